// What publishers append to a model's name without changing its shape: formats, training stages, dates.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gpuadvise::catalog {

struct NameSuffix {
  std::size_t length = 0;  // characters at the end of the key, the '-' before them included; 0 = none
  std::string precision;   // the contract's name of the format; empty where the suffix is no format
};

// The longest known suffix of a key (see model_key.hpp).
[[nodiscard]] NameSuffix find_name_suffix(std::string_view key);

// "7b", "1.3b", "125m".
[[nodiscard]] bool is_size_word(std::string_view word);
// Training stages ("instruct"), wherever they stand.
[[nodiscard]] bool is_stage_word(std::string_view word);
// "2507", "0414", "20240101", but not a picture's size.
[[nodiscard]] bool is_date_word(std::string_view word);
// A word that says that the shape is another one ("vision", "moe", "mini").
[[nodiscard]] bool changes_shape(std::string_view word);

}  // namespace gpuadvise::catalog
