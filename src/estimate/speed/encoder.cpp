#include "estimate/speed/encoder.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/hardware.hpp"
#include "estimate/speed/transformer.hpp"

namespace gpuadvise::estimate {
namespace {

constexpr double k_filling_batch = 32.0;

double engine_factor(const Workload& workload) {
  return constant(workload.engine == Engine::tensorrt ? row("encoder.engine.tensorrt") : row("encoder.engine.pytorch"));
}

// TensorFlow multiplies as well but runs what lies between the products as more kernels: more passes, which fp32 hardly feels.
double engine_passes(const Workload& workload) {
  return workload.engine == Engine::tensorflow ? constant(row("encoder.passes.tensorflow")) : 1.0;
}

double launch_seconds(const Workload& workload) {
  if (workload.compile || workload.engine == Engine::tensorrt) {
    return 0.0;
  }
  return 1e-6 * constant(workload.training() ? row("encoder.launch.train") : row("encoder.launch.infer"));
}

// Forward passes' worth of arithmetic. Adapters need no gradients of the frozen weights.
double passes_of_step(const Workload& workload) {
  if (!workload.training()) {
    return 1.0;
  }
  const double backward = workload.method == Method::full ? 2.0 : 1.0;
  return 1.0 + backward + (workload.checkpointing == Checkpointing::full ? 1.0 : 0.0);
}

}  // namespace

double encoder_batch(const Workload& workload) {
  return workload.given.batch ? workload.batch : k_filling_batch;
}

std::optional<StepTime> encoder_step(const Workload& workload, const TransformerShape& shape, const Gpu& gpu) {
  const bool training = workload.training();
  const MathPath path = training ? training_path(workload.precision, gpu, false) : inference_path(workload.precision);
  const Rate rate = sustained_rate(gpu, path);
  if (!(rate.tflops > 0.0) || !(workload.seq > 0.0)) {
    return std::nullopt;
  }
  const double batch = encoder_batch(workload);
  const double tokens = batch * workload.seq;
  const double passes = passes_of_step(workload);
  const double bytes = path == MathPath::vector || path == MathPath::tf32 ? 4.0 : 2.0;
  const double layers = stacked_layers(shape);
  // Scores pass through memory only where the attention is not fused.
  const double scores = workload.attention == AttentionBackend::flash ? 0.0 : constant(row("encoder.passes.scores"));
  const double elements =
      layers * engine_passes(workload) * (constant(row("encoder.passes.hidden")) * shape.hidden + scores * shape.heads * workload.seq);
  const double weight_traffic = training && workload.method == Method::full ? constant(row("encoder.optimizer_bytes")) : bytes;
  const double efficiency = constant(rate.tensor ? row("encoder.efficiency.tensor") : row("encoder.efficiency.vector"));
  StepTime time;
  time.compute = passes * tokens * 2e-12 * (matmul_params(shape) + attention_macs(shape, workload.seq)) /
                 (efficiency * engine_factor(workload) * maturity(gpu).matmul * rate.tflops);
  time.traffic = 1e-12 * (passes * tokens * bytes * elements + shape.params * weight_traffic) *
                 seconds_per_terabyte(gpu, constant(row("traffic.general")));
  time.host = layers * constant(row("encoder.operators_per_layer")) * launch_seconds(workload);
  return time;
}

}  // namespace gpuadvise::estimate
