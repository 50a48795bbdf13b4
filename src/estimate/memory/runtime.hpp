// Memory of a process on the card that no tensor owns: the CUDA (ROCm, Metal) context and the kernels of the libraries.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/units.hpp>
#include <gpuadvise/workload.hpp>

namespace gpuadvise::estimate {

// Outside the framework's allocator; the driver's tool shows it. A null card means an NVIDIA card of unknown kind.
[[nodiscard]] Interval runtime_bytes(bool training, ModuleLoading loading, const Gpu* gpu);

// Work buffers that cuBLAS takes once a process from the framework's allocator (inside allocated and reserved).
[[nodiscard]] double blas_workspace_bytes(const Gpu* gpu);

}  // namespace gpuadvise::estimate
