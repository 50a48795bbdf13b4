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

constexpr double k_short_context = 300.0;  // tokens: what a speed is for where no length is stated

bool certainly_not(const Fit& fit) {
  return fit.probability < k_certainly_not;
}

// A speed is that of the usual run of its kind. Where the user left checkpointing or the length open, a run that recomputes
// activations, or one of a short prompt, answers as well. False where no such choice is left.
bool ease_open_settings(Workload& workload, const Model& model) {
  if (workload.training()) {
    const bool open = model.transformer() != nullptr && !workload.given.checkpointing && workload.checkpointing != Checkpointing::full;
    workload.checkpointing = open ? Checkpointing::full : workload.checkpointing;
    return open;
  }
  const bool open = !workload.given.seq && !workload.given.lengths && workload.seq > k_short_context;
  if (open) {
    workload.seq = k_short_context;
    workload.gen_len = workload.prompt_len = k_short_context / 2.0;
  }
  return open;
}

// A run that cannot be has no speed; one that can be only with recomputed activations has the speed of that.
void withhold_speed(const Plan& plan, const Gpu& gpu, Figures& figures) {
  if (!certainly_not(*figures.fit)) {
    return;
  }
  Plan eased = plan;
  const bool open = ease_open_settings(eased.workload, plan.model);
  if (!open || certainly_not(fit(memory_of(eased, &gpu, nullptr), figures.fit->visible_bytes, figures.fit->usable_bytes))) {
    figures.speed.reset();
    figures.speed_refused = true;
  } else if (figures.speed && plan.workload.training()) {
    figures.speed = evaluate_speed(eased.workload, plan.model, gpu);
  }
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
  withhold_speed(plan, *gpu, figures);
  return figures;
}

}  // namespace gpuadvise::estimate
