// The estimator: a workload and a model become a plan once; the plan is evaluated for any number of cards.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include <memory>

namespace gpuadvise::estimate {

// How a card is used; decides what part of its memory is usable.
struct CardUse {
  bool drives_display = false;
  bool windows = false;
};

// Everything evaluate needs, as numbers. Copies the workload and the shape; holds no reference to either.
struct Plan {
  Workload workload;
  Model model;
};

// Cheap: no allocation. The workload must be resolved and validated.
[[nodiscard]] Plan prepare(const Workload& workload, const Model& model);

// Memory alone; a null card means a card of the workload's gpu_memory_gib, else one large enough.
[[nodiscard]] MemoryFigures evaluate_memory(const Plan& plan, const Gpu* gpu);

// Memory, fit and speed on `workload.gpus * workload.nodes` of the card. No allocation; about a microsecond.
[[nodiscard]] Figures evaluate(const Plan& plan, const Gpu* gpu, CardUse use);

// Whether consumer cards are presumed to drive a display (the contract's default).
[[nodiscard]] CardUse default_use(const Gpu& gpu, bool windows);

// Contract section 3: what the driver offers, before the display or Windows takes its share.
[[nodiscard]] double visible_bytes(const Gpu& gpu);
[[nodiscard]] double usable_bytes(const Gpu& gpu, CardUse use);

}  // namespace gpuadvise::estimate
