#include "estimate/memory/transformer_training_mode.hpp"

namespace gpuadvise::estimate {
namespace {

// Counted. NF4 has 4 bits and one fp32 scale for 64 weights; double quantisation stores those scales in 8 bits.
// GPTQ and AWQ: 4 bits, an fp16 scale and a 4-bit zero for 128.
constexpr double k_nf4_double = 0.5 + 1.0 / 64.0 + 4.0 / (64.0 * 256.0);
constexpr double k_gptq4 = 0.5 + 2.5 / 128.0;
constexpr double k_int8 = 1.02;

// Parameters of a sharded or DeepSpeed run are cast when they are gathered: inside a step there is one type only.
bool casts_whole_model(const Workload& w) {
  return w.strategy == Strategy::fsdp || w.strategy == Strategy::zero1 || w.strategy == Strategy::zero2 || w.strategy == Strategy::zero3;
}

// ZeRO optimizers hold the fp32 weights beside their states, and the model itself is in 16 bits.
bool keeps_master_copy(const Workload& w) {
  return w.method == Method::full && casts_whole_model(w) && w.strategy != Strategy::fsdp;
}

double quantised_bytes(PrecisionKind kind) {
  switch (kind) {
    case PrecisionKind::int4_gptq:
    case PrecisionKind::int4_awq:
    case PrecisionKind::int4:
    case PrecisionKind::int4_weight_only:
      return k_gptq4;
    case PrecisionKind::int8:
    case PrecisionKind::int8_gptq:
    case PrecisionKind::int8_weight_only:
    case PrecisionKind::int8_dynamic:
    case PrecisionKind::fp8:
    case PrecisionKind::fp8_weight_only:
      return k_int8;
    default:
      return k_nf4_double;
  }
}

TrainingMode full_mode(const Workload& w, bool sixteen_bit) {
  TrainingMode mode;
  mode.autocast = sixteen_bit && !(w.precision.kind == PrecisionKind::bf16 || w.precision.kind == PrecisionKind::fp16);
  if (mode.autocast) {
    const bool one_type = casts_whole_model(w);
    mode.compute = 2;
    mode.residual = one_type ? 2 : 4;
    mode.cast_copy = one_type ? 0 : 2;
    if (keeps_master_copy(w)) {
      mode.base = mode.embedding = mode.trained = 2;
      mode.master = 4;
    }
  } else if (sixteen_bit) {
    mode.base = mode.embedding = mode.trained = mode.compute = mode.residual = 2;
  }
  return mode;
}

}  // namespace

TrainingMode training_mode(const Workload& w, const StackBehaviour& stack) {
  const bool sixteen_bit = compute_bytes(w.precision) <= 2;
  TrainingMode mode = full_mode(w, sixteen_bit);
  if (w.method == Method::full) {
    return mode;
  }
  mode.trains_base = false;
  mode.cast_copy = 0;
  mode.trained = sixteen_bit ? stack.adapter_bytes : 4;
  const Precision stored_as = w.weights.value_or(w.method == Method::qlora ? Precision{PrecisionKind::nf4} : w.precision);
  const PrecisionKind stored = stored_as.kind;
  const bool fp32_base = stored == PrecisionKind::fp32 || !sixteen_bit;
  mode.base = mode.embedding = mode.unquantised = fp32_base ? 4 : 2;
  mode.residual = fp32_base ? 4 : 2;
  mode.cast_copy = fp32_base && sixteen_bit ? 2 : 0;
  if (is_quantised(stored_as)) {
    mode.quantised = quantised_bytes(stored);
    mode.storage = mode.quantised > 0.9 ? BaseStorage::int8 : BaseStorage::nf4;
    mode.base = 2;
    // peft's prepare_model_for_kbit_training: what is not quantised becomes fp32, and 4-bit layers answer in the type
    // of their input, so the whole stream is fp32. Programs with a 16-bit model leave it out; DeepSpeed's fp16 has the
    // stream in fp16 again.
    const bool prepared = stack.kbit_preparation && is_amp(w.precision) && mode.storage == BaseStorage::nf4;
    mode.embedding = prepared ? 4 : 2;
    mode.unquantised = prepared ? 4 : 2;
    const bool wide_stream = prepared && w.precision.kind == PrecisionKind::amp_bf16 && !stack.casts_model;
    mode.residual = wide_stream ? 4 : 2;
    mode.compute = wide_stream ? 4 : 2;
  }
  return mode;
}

}  // namespace gpuadvise::estimate
