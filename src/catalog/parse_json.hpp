// JSON from outside: bounded depth, no duplicate keys, errors with line and column.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace gpuadvise::catalog {

// Data files of this program are printed as they are; the texts of other programs' files are made printable by their readers.
enum class ControlCharacters { refused, taken };

// Throws Error{bad_data} whose where is "file:line:column".
[[nodiscard]] nlohmann::json parse_json(std::string_view text, const std::string& file,
                                        ControlCharacters controls = ControlCharacters::refused);

// "line:column", both from 1, of a byte offset.
[[nodiscard]] std::string line_and_column(std::string_view text, std::size_t offset);

// The JSON library's message without its own prefix and position.
[[nodiscard]] std::string parse_fault(std::string_view message);

}  // namespace gpuadvise::catalog
