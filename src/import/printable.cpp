#include "import/printable.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace gpuadvise::importer {
namespace {

constexpr std::uint32_t k_delete = 0x7F;
constexpr std::uint32_t k_last_control = 0x9F;  // the second set of controls follows DEL
constexpr std::uint32_t k_surrogates = 0xD800;
constexpr std::uint32_t k_last_surrogate = 0xDFFF;
constexpr std::uint32_t k_last_code_point = 0x10FFFF;

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 0;  // 0 = ill-formed
};

CodePoint decoded(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) {
    return {first, 1};
  }
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || bytes > text.size()) {
    return {};
  }
  std::uint32_t value = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) {
      return {};
    }
    value = value << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 3> k_smallest = {0x80, 0x800, 0x10000};
  const bool surrogate = value >= k_surrogates && value <= k_last_surrogate;
  return value < k_smallest[bytes - 2] || surrogate || value > k_last_code_point ? CodePoint{} : CodePoint{value, bytes};
}

bool is_control(std::uint32_t value) {
  return value < 0x20 || (value >= k_delete && value <= k_last_control);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = decoded(text);
    const std::size_t bytes = std::max<std::size_t>(1, point.bytes);
    if (point.bytes == 0 || is_control(point.value)) {
      out += '?';
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return out;
}

}  // namespace gpuadvise::importer
