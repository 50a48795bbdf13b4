// Buffers of data-parallel and sharded runs.
#pragma once

namespace gpuadvise::estimate {

// Flat copies of the gradients that DistributedDataParallel reduces, inside the framework's allocator. They are a whole
// second set of gradients unless gradients are views of the buckets (not PyTorch's default).
[[nodiscard]] double ddp_bucket_bytes(double gradient_bytes, double ranks);

// Channel buffers of NCCL or RCCL, outside the framework's allocator.
[[nodiscard]] double collective_library_bytes(double ranks, double nodes);

}  // namespace gpuadvise::estimate
