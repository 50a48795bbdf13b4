// Cutting a tool's output into lines, cells and amounts.
#pragma once

#include "units/lower_case.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::host {

[[nodiscard]] std::string_view trim(std::string_view text);

// Takes the next line, without its end, off the front; false at the end of the text.
[[nodiscard]] bool next_line(std::string_view& rest, std::string_view& line);
// Parts between separators, trimmed; empty ones are kept.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
// Words between blanks.
[[nodiscard]] std::vector<std::string_view> words(std::string_view text);

// Whether the tool says that it does not know: "[N/A]", "Not Supported", "ERR!", "None", nothing at all.
[[nodiscard]] bool is_unknown(std::string_view cell);
// The cell, or nothing where the tool does not know.
[[nodiscard]] std::string known(std::string_view cell);

// The cell as an index; nullopt where it is no whole number below 100000.
[[nodiscard]] std::optional<int> parse_index(std::string_view cell);
// "81559 MiB", "15473MB", "24560 MB", "23.5 GiB", "34342961152 B". These tools mean powers of two by MB and GB too. A bare number is
// taken times `unit`.
[[nodiscard]] std::optional<double> parse_amount(std::string_view cell, double unit);

// "0x2684", "2684", "0x268410DE", "268410DE" (device and vendor as nvidia-smi writes them) -> "0x2684"; empty where it is none.
[[nodiscard]] std::string device_id(std::string_view cell);

// UTF-8 without a byte order mark, without terminal colours and NUL: redirected PowerShell output is UTF-16.
[[nodiscard]] std::string plain_text(std::string_view raw);
// Printable and not longer than a name: what goes into reports.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace gpuadvise::host
