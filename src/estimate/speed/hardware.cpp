#include "estimate/speed/hardware.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

// Index 0 is no constant: no power law is known, or the factor is 1.
constexpr std::size_t k_none = static_cast<std::size_t>(-1);

struct FamilyRow {
  Architecture family;
  std::size_t power = k_none;
  std::size_t convolution = k_none;
  std::size_t diffusion = k_none;
  std::size_t matmul = k_none;
  std::size_t prefill = k_none;
  std::size_t decode = k_none;
};

constexpr std::array<FamilyRow, 28> k_families = {{
    {Architecture::kepler, row("power.maxwell"), k_none, row("diffusion.pascal"), k_none, row("prefill.pascal")},
    {Architecture::maxwell, row("power.maxwell"), k_none, row("diffusion.pascal"), k_none, row("prefill.pascal")},
    {Architecture::pascal, row("power.pascal"), k_none, row("diffusion.pascal"), k_none, row("prefill.pascal")},
    // Flash attention needs Ampere: before it, the attention of denoisers goes through slower kernels.
    {Architecture::volta, row("power.volta"), k_none, row("diffusion.turing"), k_none, row("prefill.volta")},
    {Architecture::turing, row("power.turing"), k_none, row("diffusion.turing")},
    {Architecture::ampere_dc, row("power.ampere_dc")},
    {Architecture::ampere, row("power.ampere")},
    {Architecture::ada, row("power.ada")},
    {Architecture::hopper, row("power.hopper")},
    {Architecture::blackwell, row("power.blackwell")},
    {Architecture::blackwell_dc, row("power.blackwell_dc")},
    {Architecture::rubin, row("power.blackwell_dc")},
    {Architecture::gcn, k_none, row("convolution.gcn"), row("diffusion.gcn"), row("matmul.rdna"), row("prefill.gcn")},
    {Architecture::rdna1, k_none, row("convolution.rdna1"), row("diffusion.rdna1"), row("matmul.rdna"), row("prefill.rdna2")},
    {Architecture::rdna2, k_none, row("convolution.rdna2"), row("diffusion.rdna2"), row("matmul.rdna"), row("prefill.rdna2")},
    {Architecture::rdna3, row("power.rdna3"), row("convolution.rdna3"), row("diffusion.rdna3"), row("matmul.rdna"), row("prefill.rdna3")},
    {Architecture::rdna4, row("power.rdna4"), row("convolution.rdna4"), row("diffusion.rdna4"), row("matmul.rdna"), row("prefill.other")},
    {Architecture::cdna1, k_none, row("convolution.cdna"), row("diffusion.cdna"), row("matmul.cdna"), row("prefill.other")},
    {Architecture::cdna2, k_none, row("convolution.cdna"), row("diffusion.cdna"), row("matmul.cdna"), row("prefill.other")},
    {Architecture::cdna3, row("power.cdna"), row("convolution.cdna"), row("diffusion.cdna"), row("matmul.cdna"), row("prefill.other")},
    {Architecture::cdna4, row("power.cdna"), row("convolution.cdna"), row("diffusion.cdna"), row("matmul.cdna"), row("prefill.other")},
    {Architecture::cdna5, row("power.cdna"), row("convolution.cdna"), row("diffusion.cdna"), row("matmul.cdna"), row("prefill.other")},
    {Architecture::xe_hpg, row("power.xe"), row("convolution.xe"), row("diffusion.xe"), row("matmul.xe"), row("prefill.other"),
     row("decode.xe")},
    {Architecture::xe2, row("power.xe"), row("convolution.xe"), row("diffusion.xe"), row("matmul.xe"), row("prefill.other")},
    {Architecture::xe_hpc, row("power.xe"), row("convolution.xe"), row("diffusion.xe"), row("matmul.xe"), row("prefill.other"),
     row("decode.xe")},
    {Architecture::gaudi, k_none, row("convolution.other"), row("diffusion.other"), row("matmul.cdna"), row("prefill.other")},
    {Architecture::apple, k_none, row("convolution.apple"), row("diffusion.apple"), row("matmul.apple"), row("prefill.apple")},
    {Architecture::other, k_none, row("convolution.other"), row("diffusion.other"), row("matmul.other"), row("prefill.other")},
}};

constexpr bool indexed_by_family() {
  for (std::size_t i = 0; i < k_families.size(); ++i) {
    if (static_cast<std::size_t>(k_families[i].family) != i) {
      return false;
    }
  }
  return true;
}
static_assert(indexed_by_family());

const FamilyRow& family_of(const Gpu& gpu) {
  return k_families[static_cast<std::size_t>(gpu.family)];
}

// MIOpen picks well-tuned fp32 convolutions where it has none for packed 16 bits, and the other way round.
std::size_t vector_convolution(Architecture family) {
  switch (family) {
    case Architecture::rdna1:
      return row("vector_convolution.rdna1");
    case Architecture::rdna2:
      return row("vector_convolution.rdna2");
    default:
      return k_families[static_cast<std::size_t>(family)].convolution;
  }
}

double factor(std::size_t index) {
  return index == k_none ? 1.0 : constant(index);
}

// Products of weights unpacked to fp32 against the block kernels' share of their rate: both fill the card alike, but the
// unpacked ones do not lose the time of the blocks' scales.
constexpr double k_unpacked = 1.4;

double inverse_fourth(double x) {
  const double square = x * x;
  return 1.0 / (square * square);
}

double power_capped(const Gpu& gpu, double tflops, double energy_weight) {
  const std::size_t kappa = family_of(gpu).power;
  if (kappa == k_none || !gpu.tdp_w || *gpu.tdp_w <= 0.0 || tflops <= 0.0) {
    return tflops;
  }
  const double held = gpu.segment == Segment::laptop ? constant(row("power.laptop")) : 1.0;
  const double cap = constant(kappa) * held * *gpu.tdp_w / energy_weight;
  return 1.0 / std::sqrt(std::sqrt(inverse_fourth(tflops) + inverse_fourth(cap)));
}

bool before_ampere(Architecture family) {
  return family <= Architecture::turing;
}

// Cards whose sheet gives only a 16-bit vector rate that exceeds fp32 (GCN 5, RDNA 1 and 2, P100) use packed arithmetic.
Rate vector_half_rate(const Gpu& gpu) {
  const double single = gpu.tflops.fp32.value_or(0.0);
  const double packed = gpu.tflops.fp16_vector.value_or(0.0);
  if (gpu.vendor == Vendor::amd) {
    return {packed > 0.0 ? packed : 2.0 * single, true, false};
  }
  return {power_capped(gpu, single, constant(row("power.weight.vector"))), false, gpu.vendor == Vendor::nvidia};
}

Rate half_rate(const Gpu& gpu, bool bfloat) {
  const bool emulated = bfloat && gpu.vendor == Vendor::nvidia && before_ampere(gpu.family);
  const std::optional<double>& first = bfloat ? gpu.tflops.bf16_tensor : gpu.tflops.fp16_tensor;
  const std::optional<double>& other = bfloat ? gpu.tflops.fp16_tensor : gpu.tflops.bf16_tensor;
  const double tensor = (first ? first : other).value_or(0.0);
  if (tensor > 0.0 && !emulated) {
    return {power_capped(gpu, tensor, 1.0), true, false};
  }
  Rate rate = vector_half_rate(gpu);
  if (emulated) {
    rate = {power_capped(gpu, gpu.tflops.fp32.value_or(0.0), constant(row("power.weight.vector"))), false, true};
  }
  return rate;
}

Rate eight_bit_rate(const Gpu& gpu, const std::optional<double>& rated) {
  if (rated && *rated > 0.0) {
    return {power_capped(gpu, *rated, constant(row("power.weight.eight_bit"))), true, false};
  }
  Rate rate = half_rate(gpu, false);
  rate.emulated = true;
  return rate;
}

Rate vector_rate(const Gpu& gpu) {
  return {power_capped(gpu, gpu.tflops.fp32.value_or(0.0), constant(row("power.weight.vector"))), false, false};
}

Rate tf32_rate(const Gpu& gpu) {
  if (gpu.tflops.tf32_tensor && *gpu.tflops.tf32_tensor > 0.0) {
    return {power_capped(gpu, *gpu.tflops.tf32_tensor, constant(row("power.weight.tf32"))), true, false};
  }
  return vector_rate(gpu);
}

Rate fp4_rate(const Gpu& gpu) {
  if (gpu.tflops.fp4_tensor && *gpu.tflops.fp4_tensor > 0.0) {
    return {power_capped(gpu, *gpu.tflops.fp4_tensor, constant(row("power.weight.four_bit"))), true, false};
  }
  Rate rate = eight_bit_rate(gpu, gpu.tflops.fp8_tensor);
  rate.emulated = true;
  return rate;
}

// Multiprocessors of an NVIDIA card that would keep as many bytes in flight.
// Where the count is unknown, that of the largest accelerators: a smaller card has so little bandwidth that it does not matter.
constexpr double k_usual_units = 140.0;

double multiprocessor_equivalents(const Gpu& gpu, bool streaming_weights) {
  const double units = gpu.sm_count.value_or(0.0);
  if (!(units > 0.0)) {
    return k_usual_units;
  }
  switch (gpu.vendor) {
    case Vendor::amd:
      return units * constant(streaming_weights ? row("units.amd_decode") : row("units.amd"));
    case Vendor::intel:
      return units * constant(row("units.intel"));
    case Vendor::apple:
      return units * constant(row("units.apple"));
    default:
      return units;
  }
}

// Boards of data centres with GDDR keep the check bits of each line in the same memory: every access carries them. HBM has
// lanes of its own for them, GDDR7 checks on the die.
double inline_ecc(const Gpu& gpu) {
  const bool inside =
      gpu.vendor == Vendor::nvidia && gpu.segment == Segment::datacenter && (gpu.memory_type == "GDDR5" || gpu.memory_type == "GDDR6");
  return inside ? constant(row("traffic.inline_ecc")) : 1.0;
}

}  // namespace

Rate sustained_rate(const Gpu& gpu, MathPath path) {
  switch (path) {
    case MathPath::half:
      return half_rate(gpu, false);
    case MathPath::bfloat:
      return half_rate(gpu, true);
    case MathPath::tf32:
      return tf32_rate(gpu);
    case MathPath::vector:
      return vector_rate(gpu);
    case MathPath::int8:
      return eight_bit_rate(gpu, gpu.tflops.int8_tensor);
    case MathPath::fp8:
      return eight_bit_rate(gpu, gpu.tflops.fp8_tensor ? gpu.tflops.fp8_tensor : gpu.tflops.int8_tensor);
    case MathPath::fp4:
      return fp4_rate(gpu);
  }
  return {};
}

Rate full_accumulate_rate(const Gpu& gpu, bool quantised) {
  const double half = gpu.tflops.fp16_tensor.value_or(0.0);
  if (gpu.vendor == Vendor::nvidia) {
    // The four-way 8-bit dot product of chips without matrix units, used at about half its rate. The P100 and older chips
    // lack it: their weights are unpacked to be multiplied as fp32, at no less than half the rate of the block kernels.
    if (quantised && !(half > 0.0)) {
      const bool dot_product = gpu.compute_capability.value_or(5.0) > 6.05;
      return {gpu.tflops.fp32.value_or(0.0) * (dot_product ? 2.0 : k_unpacked), false, false};
    }
    const double integer = gpu.tflops.int8_tensor.value_or(0.0) / 2.0;
    const double rate = integer > half ? integer : half;
    return rate > 0.0 ? Rate{power_capped(gpu, rate, 1.0), true, false} : vector_rate(gpu);
  }
  if (gpu.vendor == Vendor::apple) {
    return vector_rate(gpu);
  }
  return half > 0.0 ? Rate{half, true, false} : Rate{2.0 * gpu.tflops.fp32.value_or(0.0), false, false};
}

MathPath training_path(const Precision& precision, const Gpu& gpu, bool convolution) {
  switch (precision.kind) {
    case PrecisionKind::fp32:
      return convolution && gpu.vendor == Vendor::nvidia && !before_ampere(gpu.family) ? MathPath::tf32 : MathPath::vector;
    case PrecisionKind::tf32:
      return MathPath::tf32;
    case PrecisionKind::amp_bf16:
    case PrecisionKind::bf16:
      return MathPath::bfloat;
    case PrecisionKind::fp8:
    case PrecisionKind::fp8_dynamic:
    case PrecisionKind::mxfp8:
      return MathPath::fp8;
    default:
      return MathPath::half;
  }
}

MathPath inference_path(const Precision& precision) {
  switch (precision.kind) {
    case PrecisionKind::fp32:
      return MathPath::vector;
    case PrecisionKind::tf32:
      return MathPath::tf32;
    case PrecisionKind::bf16:
    case PrecisionKind::amp_bf16:
      return MathPath::bfloat;
    case PrecisionKind::fp8:
    case PrecisionKind::fp8_dynamic:
    case PrecisionKind::mxfp8:
      return MathPath::fp8;
    case PrecisionKind::int8:
    case PrecisionKind::int8_dynamic:
      return MathPath::int8;
    case PrecisionKind::fp4:
    case PrecisionKind::nvfp4:
      return MathPath::fp4;
    default:
      return MathPath::half;  // weights alone are small: products run in 16 bits
  }
}

double clock_ghz(const Gpu& gpu) {
  if (gpu.boost_clock_mhz && *gpu.boost_clock_mhz > 0.0) {
    return *gpu.boost_clock_mhz / 1000.0;
  }
  // Apple's cores and others have 128 lanes of two operations a cycle.
  const double lanes = gpu.shaders.value_or(gpu.vendor == Vendor::apple ? 128.0 * gpu.sm_count.value_or(0.0) : 0.0);
  const double implied = lanes > 0.0 ? 500.0 * gpu.tflops.fp32.value_or(0.0) / lanes : 0.0;
  return implied > 0.3 ? implied : 1.5;
}

double seconds_per_terabyte(const Gpu& gpu, double sigma, bool streaming_weights) {
  const double rated = 1000.0 / (gpu.memory_bandwidth_gb_s * inline_ecc(gpu));
  const double units = multiprocessor_equivalents(gpu, streaming_weights);
  return std::hypot(rated, sigma / (units * clock_ghz(gpu) / 100.0));
}

Maturity maturity(const Gpu& gpu) {
  const FamilyRow& family = family_of(gpu);
  return {factor(family.convolution), factor(vector_convolution(gpu.family)),
          factor(family.diffusion),   factor(family.matmul),
          factor(family.decode),      factor(family.prefill)};
}

bool arm_host(const Gpu& gpu) {
  const bool superchip = gpu.id.starts_with("gh200") || gpu.id.starts_with("gb200") || gpu.id.starts_with("gb300");
  return gpu.vendor == Vendor::nvidia && (superchip || gpu.form_factor == FormFactor::soc);
}

namespace {

int distance_of_family(const Gpu& gpu, RunKind kind) {
  const Architecture f = gpu.family;
  const bool nvidia = gpu.vendor == Vendor::nvidia && f != Architecture::kepler && f != Architecture::rubin;
  switch (kind) {
    case RunKind::vision:
      return nvidia ? 0 : f == Architecture::rdna2 || f == Architecture::rdna3 ? 1 : 2;
    case RunKind::encoder:
    case RunKind::llm_training:
      return nvidia ? 0 : 2;
    case RunKind::decode:
      return nvidia || gpu.vendor == Vendor::apple || f == Architecture::rdna3 ? 0 : gpu.vendor == Vendor::amd ? 1 : 2;
    case RunKind::prefill:
      return nvidia || gpu.vendor == Vendor::apple ? 0 : f == Architecture::rdna3 ? 1 : 2;
    case RunKind::serving:
      return nvidia ? 0 : f == Architecture::cdna3 ? 1 : 2;
    case RunKind::diffusion:
      return nvidia ? 0 : f == Architecture::rdna2 || f == Architecture::rdna3 || f == Architecture::xe_hpg ? 1 : 2;
    case RunKind::recommender:
      return 2;  // a few measurements of two programs
  }
  return 2;
}

}  // namespace

// A laptop's maker sets its power, so that two with the same chip differ by half; streaming weights hardly feels it.
int distance(const Gpu& gpu, RunKind kind) {
  const int least = gpu.segment == Segment::laptop && kind != RunKind::decode ? 1 : 0;
  return std::max(least, distance_of_family(gpu, kind));
}

}  // namespace gpuadvise::estimate
