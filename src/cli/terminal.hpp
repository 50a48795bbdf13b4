// What the terminal can show. Standard output and standard error are decided separately.
#pragma once

#include "report/style.hpp"

#include <string>
#include <string_view>

namespace gpuadvise::cli {

enum class ColourWish { automatic, always, never };

// Flag > NO_COLOR > CLICOLOR_FORCE or FORCE_COLOR > TERM > whether the stream is a terminal.
[[nodiscard]] bool wants_colour(ColourWish wish, int stream);
// COLUMNS, else the terminal's own width, else 120 (not a terminal); between 40 and 400.
[[nodiscard]] int terminal_width(int stream);

// The text without what steers a terminal and what is no UTF-8: ESC becomes \x1b.
[[nodiscard]] std::string printable(std::string_view text);

// Writes everything; a closed pipe ends the program silently, another failure throws Error{unreadable}. Standard error may be closed
// or full: nothing is thrown, the exit status still tells.
void write_all(int stream, std::string_view text);
// To standard output for "-", else to the file, replacing it.
void write_output(const std::string& path, std::string_view text);

}  // namespace gpuadvise::cli
