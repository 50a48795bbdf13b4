// Texts of files that anyone may have written, made fit for a terminal and for JSON.
#pragma once

#include <string>
#include <string_view>

namespace gpuadvise::importer {

// The text with a question mark for every control character (a terminal obeys those) and every byte that is no well-formed UTF-8.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace gpuadvise::importer
