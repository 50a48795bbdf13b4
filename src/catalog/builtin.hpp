// The tables that the data compiler writes (see cmake/CompileData.cmake); nothing here is parsed at run time.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>

#include "catalog/gpu_names.hpp"
#include "catalog/model_names.hpp"

#include <span>
#include <string_view>

namespace gpuadvise::catalog {

// Points into a shard of the compiled profiles; exactly one of the four is set.
struct ModelEntry {
  std::string_view id;
  std::string_view name;
  std::string_view hf_id;
  std::string_view family;
  Field field = Field::vision;
  std::string_view source;
  const ImageProfile* image = nullptr;
  const TransformerShape* transformer = nullptr;
  const DiffusionPipeline* diffusion = nullptr;
  const RecommenderShape* recommender = nullptr;
};

[[nodiscard]] Model to_model(const ModelEntry& entry);

// A data file as it stands in data/, for provenance and for readers that need more than the tables hold.
struct EmbeddedFile {
  std::string_view path;  // "gpus/nvidia.json"
  std::string_view text;
};

[[nodiscard]] std::span<const Gpu> builtin_gpus();           // by file, then as listed
[[nodiscard]] std::span<const Price> builtin_prices();       // sorted by gpu_id
[[nodiscard]] std::span<const CloudOffer> builtin_offers();  // sorted by gpu_id, then price
[[nodiscard]] std::span<const ModelEntry> builtin_models();  // sorted by id
[[nodiscard]] std::span<const GpuName> builtin_gpu_names();
[[nodiscard]] std::span<const AmbiguousName> builtin_ambiguous_names();
[[nodiscard]] std::span<const ModelName> builtin_model_names();
[[nodiscard]] std::span<const EmbeddedFile> builtin_files();  // sorted by path
[[nodiscard]] std::string_view builtin_data_version();        // digest of data/

}  // namespace gpuadvise::catalog
