// Another project's use of the installed library: memory of a hand-made model.
#include <gpuadvise/estimate.hpp>

#include <cstdio>

int main() {
  gpuadvise::ImageProfile profile;
  profile.params = 25e6;
  profile.image = 224;
  profile.saved_bytes = 86e6;
  gpuadvise::Workload workload;
  workload.field = gpuadvise::Field::vision;
  workload.optimizer = gpuadvise::Optimizer::sgd_momentum;
  workload.batch = 32;
  workload.image = {1, 224, 224};
  gpuadvise::Model model;
  model.shape = profile;
  const auto memory = gpuadvise::estimate::evaluate_memory(gpuadvise::estimate::prepare(workload, model), nullptr);
  std::printf("%.2f GiB\n", memory.need.expected / gpuadvise::k_gib);
  return memory.need.expected > 2 * gpuadvise::k_gib && memory.need.expected < 6 * gpuadvise::k_gib ? 0 : 1;
}
