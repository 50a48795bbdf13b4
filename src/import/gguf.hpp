// The header of a GGUF file: metadata and the types of its tensors. No tensor data is read.
#pragma once

#include "import/byte_source.hpp"
#include "import/tensor_facts.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace gpuadvise::importer {

// Numbers and texts are kept; of arrays the length, and the elements where they are few numbers.
struct GgufArray {
  std::uint64_t count = 0;
  std::vector<double> numbers;
};
using GgufValue = std::variant<double, std::string, GgufArray>;

struct GgufHeader {
  std::uint32_t version = 0;
  std::map<std::string, GgufValue, std::less<>> metadata;
  std::vector<FileTensor> tensors;
  bool truncated = false;

  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] std::string_view text(std::string_view key) const;
  [[nodiscard]] const GgufArray* array(std::string_view key) const;
};

// Throws Error{bad_data} with the byte where the header cannot be meant.
[[nodiscard]] GgufHeader read_gguf(const ByteSource& source);

}  // namespace gpuadvise::importer
