// Rules of single operators for the shape of their output, shared by the files that hold them.
#pragma once

#include "import/onnx_values.hpp"

namespace gpuadvise::importer {

// Limits of sizes and lists: beyond any network, and far from overflow.
inline constexpr std::size_t k_most_integers = 1024;
inline constexpr std::int64_t k_largest_size = std::int64_t{1} << 40;
inline constexpr std::size_t k_highest_rank = 16;

// Known unless a size is impossible.
[[nodiscard]] InferredValue shaped(Dims dims);
// A list of integers, or one.
[[nodiscard]] InferredValue counted(std::vector<std::int64_t> integers, bool scalar = false);
// From the end where negative.
[[nodiscard]] std::size_t axis_of(std::int64_t axis, std::size_t rank);

// Operators that arrange elements anew, and those that make shapes.
namespace rule {
[[nodiscard]] InferredValue reshape(const NodeView& view);
[[nodiscard]] InferredValue flatten(const NodeView& view);
[[nodiscard]] InferredValue transpose(const NodeView& view);
[[nodiscard]] InferredValue squeeze(const NodeView& view);
[[nodiscard]] InferredValue unsqueeze(const NodeView& view);
[[nodiscard]] InferredValue concat(const NodeView& view);
[[nodiscard]] InferredValue gather(const NodeView& view);
[[nodiscard]] InferredValue slice(const NodeView& view);
[[nodiscard]] InferredValue reduce(const NodeView& view);
[[nodiscard]] InferredValue pad(const NodeView& view);
[[nodiscard]] InferredValue expand(const NodeView& view);
[[nodiscard]] InferredValue constant_of_shape(const NodeView& view);
[[nodiscard]] InferredValue shape_of(const NodeView& view);
[[nodiscard]] InferredValue constant(const NodeView& view);
}  // namespace rule

}  // namespace gpuadvise::importer
