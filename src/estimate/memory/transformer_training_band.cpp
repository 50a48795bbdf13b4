#include "estimate/memory/transformer_training_band.hpp"

#include "estimate/memory/band.hpp"
#include "estimate/memory/band_rows.hpp"

#include <array>

namespace gpuadvise::estimate {
namespace {

enum class RunClass : std::uint8_t { encoder, full, lora, qlora, vision_language };

struct ClassRow {
  RunClass run;
  BandRow band;
};

constexpr std::array<ClassRow, 5> k_classes = {{
    {RunClass::encoder, {"encoder", 0.85, 1.18, ConstantKind::fitted, 12, 0.05, 2}},
    {RunClass::full, {"full", 0.75, 1.30, ConstantKind::fitted, 14, 0.10, 9}},
    {RunClass::lora, {"lora", 0.78, 1.25, ConstantKind::fitted, 110, 0.07, 14}},
    {RunClass::qlora, {"qlora", 0.805, 1.33, ConstantKind::fitted, 75, 0.10, 22}},
    {RunClass::vision_language, {"vision-language", 0.76, 1.62, ConstantKind::prior, 14, 0.12, 2}},
}};
constexpr auto k_bands = bands_of(k_classes);

RunClass run_class(const Workload& w, const TransformerShape& s) {
  if (s.vision_params > 0) {
    return RunClass::vision_language;
  }
  if (w.method == Method::qlora) {
    return RunClass::qlora;
  }
  if (w.method == Method::lora) {
    return RunClass::lora;
  }
  return s.kind == TransformerKind::encoder ? RunClass::encoder : RunClass::full;
}

// What was measured ends about here; every step beyond widens the interval (in ratio terms).
constexpr double k_longest_measured = 16384;

double distance(const Workload& w, const TransformerShape& s) {
  double factor = 1.0;
  factor *= w.seq > k_longest_measured ? 1.3 : 1.0;
  factor *= s.moe.experts > 0 || s.linear.layers > 0 ? 1.3 : 1.0;
  factor *= s.decoder_layers > 0 ? 1.3 : 1.0;
  factor *= w.tp * w.pp * w.cp > 1 ? 1.3 : 1.0;
  factor *= s.from_memory ? 1.05 : 1.0;
  return factor;
}

}  // namespace

std::span<const BandRow> transformer_training_band_rows() {
  return k_bands;
}

TransformerBands transformer_training_bands(const Workload& w, const TransformerShape& s, const StackBehaviour& stack) {
  const RunClass run = run_class(w, s);
  for (const ClassRow& row : k_classes) {
    if (row.run == run) {
      const Interval factors = widened(banded(1.0, row.band), stack.band_factor * distance(w, s));
      return {factors, factors};
    }
  }
  return {{0.6, 1, 1.7}, {0.6, 1, 1.7}};
}

}  // namespace gpuadvise::estimate
