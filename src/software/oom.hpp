// What a message of exhausted memory says, in the wordings of PyTorch 1.x to 2.x on CUDA, ROCm and MPS.
#pragma once

#include <optional>
#include <string_view>

namespace gpuadvise::software {

struct MemoryPicture {
  std::optional<double> asked_bytes;
  std::optional<int> gpu;
  std::optional<double> total_bytes;
  std::optional<double> free_bytes;
  std::optional<double> process_bytes;    // of this process, with what is not PyTorch's
  std::optional<double> allocated_bytes;  // by PyTorch
  std::optional<double> reserved_bytes;   // by PyTorch, allocated or not

  // Reserved by PyTorch and not allocated: what fragmentation can be made of.
  [[nodiscard]] std::optional<double> idle_bytes() const;
  // The idle memory would have been enough, or is more than a tenth of what is reserved.
  [[nodiscard]] bool fragmented() const;
  // Used on the card by others than this process.
  [[nodiscard]] std::optional<double> others_bytes() const;
};

// Nothing when the text does not speak of exhausted memory.
[[nodiscard]] std::optional<MemoryPicture> parse_out_of_memory(std::string_view text);

}  // namespace gpuadvise::software
