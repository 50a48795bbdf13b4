// gpu.*: what the catalog says of a card.
#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"
#include "rules/facts.hpp"

#include <array>

namespace gpuadvise::rules {
namespace {

using catalog::enum_name;

// Compute capability from which NVIDIA's tensor cores take a format (CUDA C++ Programming Guide, table of compute capabilities).
constexpr double k_bf16_capability = 8.0;
constexpr double k_slow_fp16 = 4.0;  // consumer Pascal has a 64th of the fp32 rate, GP100 and Vega twice it
constexpr double k_tf32_capability = 8.0;
constexpr double k_fp8_capability = 8.9;
constexpr double k_fp4_capability = 10.0;

Datum native(const Gpu& gpu, const std::optional<double>& rate, double capability) {
  return boolean(rate.has_value() || (gpu.compute_capability && *gpu.compute_capability >= capability));
}

// "2021-02-25", "2021-02" or "2021" as years; nullopt when there is no year.
std::optional<double> years_of(std::string_view date) {
  const std::optional<double> year = parse_number(date.substr(0, 4));
  if (!year || date.size() < 4) {
    return std::nullopt;
  }
  const std::optional<double> month = date.size() >= 7 ? parse_number(date.substr(5, 2)) : std::nullopt;
  return *year + (month ? (*month - 1.0) / 12.0 : 0.0);
}

template <class Read>
Datum of_gpu(const Subject& subject, Read read) {
  return subject.gpu != nullptr ? read(*subject.gpu) : Datum{};
}

// One row: the expression sees the card as `g`.
#define GPU_FACT(name, kind, meaning, expression)                                                  \
  Fact {                                                                                           \
    "gpu." name, Kind::kind, scope::card, meaning,                                                 \
        [](const Subject& s) { return of_gpu(s, [](const Gpu& g) { return Datum(expression); }); } \
  }

constexpr auto k_facts = std::to_array<Fact>({
    GPU_FACT("id", text, "catalog id", text(g.id)),
    GPU_FACT("name", text, "the maker's name", text(g.name)),
    GPU_FACT("vendor", text, "nvidia, amd, intel, apple ...", text(enum_name(g.vendor))),
    GPU_FACT("chip", text, "the chip, as its maker names it", text(g.chip)),
    GPU_FACT("segment", text, "consumer, workstation, datacenter, laptop, integrated, embedded", text(enum_name(g.segment))),
    GPU_FACT("form_factor", text, "pcie, mxm, soc, sxm, oam", text(enum_name(g.form_factor))),
    GPU_FACT("cooling", text, "active, passive, liquid, unknown", text(enum_name(g.cooling))),
    GPU_FACT("availability", text, "current, discontinued, announced", text(enum_name(g.availability))),
    GPU_FACT("architecture", text, "as the maker names it", text(g.architecture)),
    GPU_FACT("family", text, "silicon family: turing, ampere, ada, rdna3, cdna3 ...", text(enum_name(g.family))),
    GPU_FACT("compute_capability", number, "NVIDIA compute capability, 8.6", number(g.compute_capability)),
    GPU_FACT("gfx_target", text, "AMD code object target, gfx1100", text(g.gfx_target)),
    GPU_FACT("release_year", number, "year of release, with the month as a fraction", number(years_of(g.release_date))),
    GPU_FACT("launch_price_usd", number, "price at launch", number(g.launch_price_usd)),
    GPU_FACT("memory_gib", number, "nominal memory of one GPU", number(g.memory_gib)),
    GPU_FACT("memory_type", text, "GDDR6, HBM3 ...", text(g.memory_type)),
    GPU_FACT("memory_bandwidth_gb_s", number, "peak memory bandwidth", number(g.memory_bandwidth_gb_s)),
    GPU_FACT("unified_memory", boolean, "memory is shared with the processor", boolean(g.unified_memory)),
    GPU_FACT("ecc", boolean, "memory with error correction", g.ecc ? boolean(*g.ecc) : Datum{}),
    GPU_FACT("gpus_per_board", number, "GPUs on one board", number(g.gpus_per_board)),
    GPU_FACT("tensor_cores", number, "number of tensor cores", number(g.tensor_cores)),
    GPU_FACT("tensor_cores_present", boolean, "has matrix units for 16-bit training",
             boolean(g.tensor_cores.value_or(0.0) > 0.0 || g.tflops.fp16_tensor.has_value())),
    GPU_FACT("fp16_slow", boolean, "16-bit arithmetic far below the fp32 rate",
             g.tflops.fp16_vector&& g.tflops.fp32 ? boolean(!g.tflops.fp16_tensor && *g.tflops.fp16_vector * k_slow_fp16 < *g.tflops.fp32)
                                                  : Datum{}),
    GPU_FACT("fp32_tflops", number, "peak fp32 rate", number(g.tflops.fp32)),
    GPU_FACT("fp16_tensor_tflops", number, "peak fp16 matrix rate, fp32 accumulation", number(g.tflops.fp16_tensor)),
    GPU_FACT("bf16_native", boolean, "bfloat16 in hardware", native(g, g.tflops.bf16_tensor, k_bf16_capability)),
    GPU_FACT("tf32_native", boolean, "TF32 in hardware", native(g, g.tflops.tf32_tensor, k_tf32_capability)),
    GPU_FACT("fp8_native", boolean, "8-bit floating point in hardware", native(g, g.tflops.fp8_tensor, k_fp8_capability)),
    GPU_FACT("fp4_native", boolean, "4-bit floating point in hardware", native(g, g.tflops.fp4_tensor, k_fp4_capability)),
    GPU_FACT("pcie_generation", number, "PCI Express generation", number(g.pcie_generation)),
    GPU_FACT("pcie_lanes", number, "PCI Express lanes", number(g.pcie_lanes)),
    GPU_FACT("link_gb_s", number, "direct link to other GPUs, both directions", number(g.link_gb_s)),
    GPU_FACT("link_max_gpus", number, "GPUs that the link joins", number(g.link_max_gpus)),
    GPU_FACT("link_kind", text, "NVLink, Infinity Fabric ...", text(g.link_kind)),
    GPU_FACT("tdp_w", number, "board power", number(g.tdp_w)),
    GPU_FACT("recommended_psu_w", number, "power supply the maker asks for", number(g.recommended_psu_w)),
    GPU_FACT("power_connectors", text, "power plugs of the board", text(g.power_connectors)),
    GPU_FACT("slot_width", number, "slots it covers", number(g.slot_width)),
    GPU_FACT("length_mm", number, "length of the board", number(g.length_mm)),
    GPU_FACT("display_outputs", boolean, "has display outputs", g.display_outputs ? boolean(*g.display_outputs) : Datum{}),
    GPU_FACT("support.stack", text, "cuda, rocm, xpu, mps or the maker's own", text(g.support.stack)),
    GPU_FACT("support.wheels", text, "which PyTorch builds run on it", text(g.support.wheels)),
    GPU_FACT("support.first_torch", text, "first PyTorch with kernels for it", text(g.support.first_torch)),
    GPU_FACT("support.last_torch", text, "last PyTorch with kernels for it", text(g.support.last_torch)),
    GPU_FACT("support.last_driver_branch", text, "last driver branch that serves it", text(g.support.last_driver_branch)),
    GPU_FACT("support.driver_end_of_life", text, "end of the last driver branch", text(g.support.driver_end_of_life)),
    GPU_FACT("support.driver_end_year", number, "the same as years", number(years_of(g.support.driver_end_of_life))),
    GPU_FACT("support.last_toolkit", text, "last CUDA or ROCm that serves it", text(g.support.last_toolkit)),
    GPU_FACT("support.note", text, "what else the sources say of its support", text(g.support.note)),
    GPU_FACT("support.ended", boolean, "no current PyTorch build runs on it", boolean(g.support.end_of_support)),
});
static_assert(k_facts.size() < 256);

#undef GPU_FACT

}  // namespace

std::span<const Fact> gpu_facts() {
  return k_facts;
}

}  // namespace gpuadvise::rules
