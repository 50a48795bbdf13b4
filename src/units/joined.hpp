// Words in a row.
#pragma once

#include <string>
#include <string_view>

namespace gpuadvise {

// Items: any range of texts.
template <class Items>
[[nodiscard]] std::string joined(const Items& items, std::string_view between = ", ") {
  std::string text;
  for (const auto& item : items) {
    if (!text.empty()) {
      text += between;
    }
    text += item;
  }
  return text;
}

}  // namespace gpuadvise
