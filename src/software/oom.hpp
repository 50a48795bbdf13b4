// What a message of exhausted memory says: PyTorch 0.4 to 2.x on CUDA, ROCm, XPU and MPS, vLLM, llama.cpp, TensorFlow and JAX.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuadvise::software {

struct MemoryPicture {
  std::optional<double> asked_bytes;
  std::optional<int> gpu;
  std::optional<double> total_bytes;
  std::optional<double> free_bytes;
  std::optional<double> process_bytes;     // of this process, with what is not PyTorch's
  std::optional<double> allocated_bytes;   // by PyTorch
  std::optional<double> reserved_bytes;    // by PyTorch, allocated or not
  std::optional<double> allowed_bytes;     // a limit below the total that the program set itself
  std::optional<double> pools_bytes;       // of the allocated memory, in private pools: CUDA graphs
  std::optional<double> weights_bytes;     // a server's account of its start
  std::optional<double> activation_bytes;  // the same: peak of its trial run
  std::optional<double> cache_bytes;       // the same: what is left for the KV cache; below 0 nothing is

  // Reserved by PyTorch and not allocated: what fragmentation can be made of.
  [[nodiscard]] std::optional<double> idle_bytes() const;
  // The idle memory would have been enough, or is more than a tenth of what is reserved.
  [[nodiscard]] bool fragmented() const;
  // Used on the card by others than this process.
  [[nodiscard]] std::optional<double> others_bytes() const;
  // Where the message does not tell this process from others: used on the card and not reserved by PyTorch.
  [[nodiscard]] std::optional<double> outside_bytes() const;
  [[nodiscard]] bool empty() const;
};

// Nothing when the text does not speak of exhausted memory.
[[nodiscard]] std::optional<MemoryPicture> parse_out_of_memory(std::string_view text);

// Lines of one log, the last the newest: it decides, and those before it fill what it leaves open.
[[nodiscard]] std::optional<MemoryPicture> parse_out_of_memory(std::span<const std::string> lines);

}  // namespace gpuadvise::software
