// Comma- and tab-separated values.
#pragma once

#include <gpuadvise/value.hpp>

#include <span>
#include <string>
#include <string_view>

namespace gpuadvise::report {

// One line, ended by a newline. Comma: quoted as RFC 4180 asks. Tab: tabs and line breaks inside a text become spaces.
[[nodiscard]] std::string separated_line(std::span<const Value> values, char separator);

}  // namespace gpuadvise::report
