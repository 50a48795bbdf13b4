#include "estimate/speed/serving.hpp"

#include "estimate/speed/calibration.hpp"
#include "estimate/speed/generation.hpp"
#include "estimate/speed/hardware.hpp"
#include "estimate/speed/parallel.hpp"
#include "estimate/speed/transformer.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

// vLLM multiplies 4-bit floats as such on data-centre cards only; elsewhere it unpacks them to 16 bits (its Marlin kernels).
MathPath serving_path(const Workload& workload, const Gpu& gpu) {
  const MathPath path = inference_path(workload.precision);
  const bool unpacks = workload.engine == Engine::vllm && path == MathPath::fp4 && gpu.segment != Segment::datacenter;
  return unpacks ? MathPath::half : path;
}

// TensorRT-LLM's 8- and 4-bit checkpoints come with an 8-bit cache.
KvPrecision cache_precision(const Workload& workload) {
  const MathPath path = inference_path(workload.precision);
  const bool narrow = workload.engine == Engine::tensorrt_llm && (path == MathPath::fp8 || path == MathPath::fp4);
  return narrow ? KvPrecision{KvType::fp8, KvType::fp8} : workload.kv_precision;
}

// How the cards are used: `copies` of the model, each over tensor x pipeline cards.
struct Layout {
  double copies = 1.0;
  double tensor = 1.0;
  double pipeline = 1.0;
  bool experts_spread = false;  // every card holds a part of the experts and answers its own requests
  [[nodiscard]] double cards() const { return tensor * pipeline; }
};

Layout layout_of(const Workload& workload, const TransformerShape& shape) {
  Layout layout;
  const double cards = workload.all_gpus();
  layout.pipeline = std::max(1.0, workload.pp);
  layout.tensor = layout.pipeline > 1.0 ? std::max(1.0, workload.tp) : std::min(cards, tensor_group(workload));
  if (layout.cards() < cards && layout.tensor == 1.0 && layout.pipeline == 1.0 && !serves_many(workload.engine)) {
    layout.pipeline = cards;  // layer split
  }
  layout.copies = std::max(1.0, std::floor(cards / layout.cards()));
  layout.experts_spread = shape.moe.experts > 0.0 && layout.tensor > 1.0 && layout.pipeline == 1.0;
  return layout;
}

// Sequences whose keys and values fit beside the weights of one copy.
double sequences_that_fit(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const Layout& layout, double stored) {
  const double memory = gpu.memory_gib * 1073741824.0 * 0.94;
  const double left = (memory - 1.5e9) * layout.cards() - 1.03 * stored;
  const double length = workload.prompt_len + 0.75 * workload.gen_len;
  const double each = kv_sequence_bytes(shape, cache_precision(workload), length);
  return each > 0.0 ? std::max(1.0, left / each) : 256.0;
}

double efficiency_of(MathPath path, const Rate& rate) {
  if (rate.emulated || (path != MathPath::fp8 && path != MathPath::fp4 && path != MathPath::int8)) {
    return constant(row("serving.efficiency.half"));
  }
  return constant(path == MathPath::fp4 ? row("serving.efficiency.fp4") : row("serving.efficiency.fp8"));
}

// Weights that an iteration reads: more tokens in flight touch more experts, up to all of them.
double weights_read(const TransformerShape& shape, const StreamedWeights& bytes, double sequences) {
  if (!(shape.moe.experts > 0.0)) {
    return bytes.active;
  }
  return std::min(bytes.stored, bytes.active * std::sqrt(std::max(1.0, sequences)));
}

// Efficiency of a group whose every further card costs the same share: tokens exchanged, stages that wait.
double lost_share(std::size_t loss, double cards) {
  return 1.0 / (1.0 + constant(loss) * (cards - 1.0));
}

struct Costs {
  double flop_seconds = 0.0;       // arithmetic of one token
  double attention_seconds = 0.0;  // of a prompt token pair
  double inverse_bandwidth = 0.0;
};

Costs costs_of(const Workload& workload, const TransformerShape& shape, const Gpu& gpu) {
  const MathPath path = serving_path(workload, gpu);
  const Rate rate = sustained_rate(gpu, path);
  double factor = efficiency_of(path, rate);
  factor *= workload.engine == Engine::vllm ? constant(row("serving.vllm")) : 1.0;
  factor *= gpu.vendor == Vendor::nvidia ? 1.0 : constant(row("serving.cdna"));
  factor *= shape.moe.experts > 0.0 ? constant(row("serving.experts")) : 1.0;
  Costs costs;
  costs.flop_seconds = 2e-12 * matmul_params(shape) / (factor * rate.tflops);
  const double half = sustained_rate(gpu, MathPath::half).tflops;
  costs.attention_seconds = half > 0.0 ? 2e-12 / (constant(row("serving.attention")) * half) : 0.0;
  costs.inverse_bandwidth = 1e-12 * seconds_per_terabyte(gpu, constant(row("traffic.serving")), true);
  return costs;
}

double all_reduce_seconds(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const Layout& layout, double tokens) {
  if (layout.tensor <= 1.0 || layout.experts_spread) {
    return 0.0;
  }
  const Link link = group_link(gpu, workload, layout.tensor);
  const double latency = 1e-6 * constant(link.switched ? row("serving.all_reduce.link") : row("serving.all_reduce.pcie"));
  const double volume = 2.0 * (layout.tensor - 1.0) / layout.tensor * tokens * shape.hidden * 2.0 / (link.all_gather_gb_s * 1e9);
  return 2.0 * stacked_layers(shape) * (latency + volume);
}

// Activations of every token from stage to stage. Inside a machine they hide; a network between the stages may be slower than they.
double hand_over_seconds(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const Layout& layout, double tokens) {
  const Cluster cluster = cluster_of(workload, gpu);
  if (layout.pipeline <= 1.0 || layout.cards() <= cluster.per_node) {
    return 0.0;
  }
  return layout.pipeline * tokens * shape.hidden * 2.0 / (cluster_link(gpu, workload, cluster).all_gather_gb_s * 1e9);
}

StepTime iteration_of(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const Layout& layout, const Costs& costs,
                      const StreamedWeights& bytes, double sequences) {
  const double context = workload.prompt_len + workload.gen_len / 2.0;
  StepTime time;
  time.traffic =
      costs.inverse_bandwidth * (weights_read(shape, bytes, sequences) / constant(row("serving.weights")) +
                                 sequences * kv_sequence_bytes(shape, cache_precision(workload), context) / constant(row("serving.kv")));
  time.compute = sequences * costs.flop_seconds;
  // Routing, sorting and the many small products of experts add kernels that no larger card shortens.
  const double routing = shape.moe.experts > 0.0 ? constant(row("serving.expert_layer")) : 0.0;
  const double slow_host = arm_host(gpu) ? constant(row("serving.arm_host")) : 1.0;
  time.kernels = stacked_layers(shape) * (constant(row("serving.layer")) + routing) * 1e-6 * slow_host;
  time.compute /= layout.tensor;
  time.traffic /= layout.tensor;
  time.communication =
      all_reduce_seconds(workload, shape, gpu, layout, sequences) + hand_over_seconds(workload, shape, gpu, layout, sequences);
  // Stages work on different requests at the same time.
  return layout.pipeline > 1.0 ? time.scaled(1.0 / (layout.pipeline * lost_share(row("serving.pipeline_loss"), layout.pipeline))) : time;
}

double prompt_seconds(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const Layout& layout, const Costs& costs) {
  const double prompt = workload.prompt_len;
  const double alone = prompt * costs.flop_seconds / 1.15 + prompt * attention_macs(shape, prompt / 2.0) * costs.attention_seconds;
  return alone / layout.cards() + all_reduce_seconds(workload, shape, gpu, layout, prompt);
}

}  // namespace

std::optional<Serving> serving(const Workload& workload, const TransformerShape& shape, const Gpu& gpu, const StreamedWeights& weights) {
  if (!(sustained_rate(gpu, inference_path(workload.precision)).tflops > 0.0) || !(workload.gen_len > 0.0)) {
    return std::nullopt;
  }
  const Layout layout = layout_of(workload, shape);
  const Costs costs = costs_of(workload, shape, gpu);
  const double spread = layout.pipeline > 1.0 ? layout.pipeline : layout.experts_spread ? layout.tensor : 1.0;
  const std::size_t limit = workload.engine == Engine::vllm ? row("serving.max_sequences.vllm") : row("serving.max_sequences");
  const double most = workload.max_num_seqs.value_or(constant(limit)) * spread;
  const double wanted = workload.concurrency ? *workload.concurrency / layout.copies : most;
  const double sequences = std::max(1.0, std::min(wanted, sequences_that_fit(workload, shape, gpu, layout, weights.stored)));
  const StepTime iteration = iteration_of(workload, shape, gpu, layout, costs, weights, sequences);
  const double one_request_each = workload.gen_len * iteration.total() + sequences * prompt_seconds(workload, shape, gpu, layout, costs);
  double rate = layout.copies * sequences * workload.gen_len / one_request_each;
  if (layout.experts_spread) {
    const bool switched = group_link(gpu, workload, layout.tensor).switched;
    rate *= lost_share(switched ? row("serving.expert_loss.link") : row("serving.expert_loss.pcie"), layout.tensor);
  }
  return Serving{sequences * layout.copies, rate, iteration};
}

}  // namespace gpuadvise::estimate
