#include "estimate/speed/recommender.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/hardware.hpp"
#include "estimate/speed/parallel.hpp"

#include <cmath>

namespace gpuadvise::estimate {
namespace {

// As many samples as DLRM and its descendants are trained with.
constexpr double k_filling_batch = 65536.0;
// Kernels of a forward pass: look-ups, seven layers of products, interaction, loss.
constexpr double k_operators = 60.0;
// Categorical features of the Criteo data sets, one row each.
constexpr double k_features = 26.0;

// Outputs of the layers of both networks together: DLRM 4,100 with 2.4M weights, DCN-v2 about 12,000 with 16M.
double network_elements(const RecommenderShape& shape) {
  return 2.6 * std::sqrt(shape.dense_params);
}

}  // namespace

double recommender_batch(const Workload& workload) {
  return workload.given.batch ? workload.batch : k_filling_batch;
}

std::optional<StepTime> recommender_step(const Workload& workload, const RecommenderShape& shape, const Gpu& gpu) {
  // Rows that go to the host and back in every step are not counted: no speed is better than one without them.
  if (workload.offload.kind != OffloadKind::none) {
    return std::nullopt;
  }
  const bool training = workload.training();
  const MathPath path = training ? training_path(workload.precision, gpu, false) : inference_path(workload.precision);
  const Rate rate = sustained_rate(gpu, path);
  if (!(rate.tflops > 0.0) || !(shape.dense_params > 0.0)) {
    return std::nullopt;
  }
  const double batch = recommender_batch(workload);
  const double passes = training ? 3.0 : 1.0;
  const double bytes = path == MathPath::vector || path == MathPath::tf32 ? 4.0 : 2.0;
  const double looked_up = k_features * shape.dim;
  const double efficiency = constant(rate.tensor ? row("encoder.efficiency.tensor") : row("encoder.efficiency.vector"));
  StepTime time;
  time.compute = batch * passes * 2e-12 * shape.dense_params / (efficiency * maturity(gpu).matmul * rate.tflops);
  time.traffic = batch * passes * constant(row("recommender.passes")) * bytes * (looked_up + network_elements(shape)) * 1e-12 *
                 seconds_per_terabyte(gpu, constant(row("traffic.general")));
  time.host = k_operators * 1e-6 * constant(training ? row("encoder.launch.train") : row("encoder.launch.infer"));
  const double cards = workload.all_gpus();
  if (cards > 1.0) {
    // Every card sends the rows of its tables to the samples' cards, and gets their gradients back.
    const Link link = cluster_link(gpu, workload, cluster_of(workload, gpu));
    const double exchanges = training ? 2.0 : 1.0;
    time.communication = exchanges * batch * looked_up * bytes * (cards - 1.0) / cards / (link.all_gather_gb_s * 1e9);
  }
  return time;
}

}  // namespace gpuadvise::estimate
