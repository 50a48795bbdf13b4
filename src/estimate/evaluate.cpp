// Dispatch by what is run: each pair of task and shape has one memory method; speed has one law for all.
#include <gpuadvise/estimate.hpp>

#include "estimate/memory/diffusion_training.hpp"
#include "estimate/memory/fit.hpp"
#include "estimate/memory/image_training.hpp"
#include "estimate/memory/inference_memory.hpp"
#include "estimate/memory/recommender_training.hpp"
#include "estimate/memory/transformer_training.hpp"
#include "estimate/speed/speed.hpp"

namespace gpuadvise::estimate {
namespace {

MemoryFigures training_memory(const Workload& workload, const Model& model, const Gpu* gpu) {
  if (const auto* shape = model.image()) {
    return image_training_memory(workload, *shape, gpu);
  }
  if (const auto* shape = model.transformer()) {
    return transformer_training_memory(workload, *shape, gpu);
  }
  if (const auto* shape = model.diffusion()) {
    return diffusion_training_memory(workload, *shape, gpu);
  }
  return recommender_training_memory(workload, *model.recommender(), gpu);
}

MemoryFigures inference_memory_of(const Workload& workload, const Model& model, const Gpu* gpu, Capacity* capacity) {
  if (const auto* shape = model.image()) {
    return image_inference_memory(workload, *shape, gpu);
  }
  if (const auto* shape = model.transformer()) {
    return inference_memory(workload, *shape, gpu, capacity);
  }
  if (const auto* shape = model.diffusion()) {
    return diffusion_inference_memory(workload, *shape, gpu);
  }
  return recommender_inference_memory(workload, *model.recommender(), gpu);
}

MemoryFigures memory_of(const Plan& plan, const Gpu* gpu, Capacity* capacity) {
  return plan.workload.training() ? training_memory(plan.workload, plan.model, gpu)
                                  : inference_memory_of(plan.workload, plan.model, gpu, capacity);
}

}  // namespace

Plan prepare(const Workload& workload, const Model& model) {
  return {workload, model};
}

MemoryFigures evaluate_memory(const Plan& plan, const Gpu* gpu) {
  return memory_of(plan, gpu, nullptr);
}

Figures evaluate(const Plan& plan, const Gpu* gpu, CardUse use) {
  Figures figures;
  figures.memory = memory_of(plan, gpu, &figures.capacity);
  if (gpu == nullptr) {
    return figures;
  }
  figures.fit = fit(figures.memory, visible_bytes(*gpu), usable_bytes(*gpu, use));
  figures.speed = evaluate_speed(plan.workload, plan.model, *gpu);
  return figures;
}

}  // namespace gpuadvise::estimate
