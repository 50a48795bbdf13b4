// What the tensors of a file add up to: bytes by type, weights, and which of them are tables, towers or scales.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::importer {

struct FileTensor {
  std::string name;
  std::string type;                  // as the format writes it: "BF16", "Q4_K"
  std::vector<std::uint64_t> shape;  // slowest dimension first
  std::uint64_t elements = 0;        // as stored
  std::uint64_t bytes = 0;
};

struct TypeShare {
  std::string type;
  double tensors = 0;
  double elements = 0;
  double bytes = 0;
};

// Matrices of one layer as the file has them; 0 = not seen.
struct SeenMatrices {
  double vocab = 0;
  double hidden = 0;
  double query_rows = 0;
  double key_rows = 0;
  double gate_rows = 0;
  double up_rows = 0;
  double experts = 0;
  double expert_rows = 0;
};

struct TensorFacts {
  double tensors = 0;
  double params = 0;  // weights, with packed ones unpacked and scales left out
  double bytes = 0;   // of all tensors
  double embedding_bytes = 0;
  double head_bytes = 0;
  double tower_params = 0;  // vision and audio towers with their projectors
  double mtp_params = 0;    // multi-token prediction
  double layers = 0;
  std::vector<TypeShare> types;  // by bytes, largest first
  SeenMatrices seen;
  std::string packing;  // "gptq", "bitsandbytes-4bit", "mxfp4" ...: what the names of the tensors say; may be empty
};

struct PackingOptions {
  double bits = 4;           // of a weight in packed integers
  double layers = 0;         // of the model proper, where known: later ones are multi-token prediction
  bool scales_apart = true;  // scales are tensors of their own (not in GGUF)
};

[[nodiscard]] TensorFacts add_up(std::span<const FileTensor> tensors, const PackingOptions& options);

}  // namespace gpuadvise::importer
