// A short list with inline storage, usable in constant tables.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>

namespace gpuadvise {

template <class T, std::size_t Capacity>
struct FixedList {
  std::array<T, Capacity> items{};
  std::size_t count = 0;

  [[nodiscard]] constexpr const T* begin() const { return items.data(); }
  [[nodiscard]] constexpr const T* end() const { return items.data() + count; }
  [[nodiscard]] constexpr std::size_t size() const { return count; }
  [[nodiscard]] constexpr bool empty() const { return count == 0; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return items[i]; }
  [[nodiscard]] static constexpr std::size_t capacity() { return Capacity; }
  constexpr void push_back(const T& value) {
    if (count == Capacity) {
      throw std::length_error("FixedList is full");
    }
    items[count++] = value;
  }
};

}  // namespace gpuadvise
