// One spelling for every way to write a model's name.
#pragma once

#include <string>
#include <string_view>

namespace gpuadvise::catalog {

// "Qwen2.5 7B-Instruct" -> "qwen-2.5-7b-instruct": lower case; words and numbers parted by '-'; a number keeps one unit letter
// (7b, 125m); a point stays between digits, so that qwen2-57b and qwen2.5-7b differ. With underscore_is_point, "phi-1_5" is 1.5.
[[nodiscard]] std::string model_key(std::string_view text, bool underscore_is_point = false);

// Writes the key into out and returns its length, or 0 where it does not fit; does not allocate.
[[nodiscard]] std::size_t write_model_key(std::string_view text, char* out, std::size_t capacity, bool underscore_is_point = false);

}  // namespace gpuadvise::catalog
