// Keeps texts read at run time alive, so that records can hold string_views as the compiled tables do.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <utility>

namespace gpuadvise::catalog {

class TextPool {
 public:
  TextPool() = default;
  TextPool(TextPool&&) = default;  // keeps the texts in place; a copy would not
  TextPool& operator=(TextPool&&) = default;
  TextPool(const TextPool&) = delete;
  TextPool& operator=(const TextPool&) = delete;
  ~TextPool() = default;

  [[nodiscard]] std::string_view keep(std::string text) { return texts_.emplace_back(std::move(text)); }

 private:
  std::deque<std::string> texts_;  // a deque never moves its elements
};

}  // namespace gpuadvise::catalog
