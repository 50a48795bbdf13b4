// One GPU (or accelerator) as its maker specifies it. All rates are dense (no sparsity); unknown is nullopt, never 0.
#pragma once

#include <gpuadvise/fixed_list.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpuadvise {

enum class Vendor : std::uint8_t { nvidia, amd, intel, apple, moore_threads, huawei };
enum class Segment : std::uint8_t { consumer, workstation, datacenter, laptop, integrated, embedded };
enum class FormFactor : std::uint8_t { pcie, mxm, soc, sxm, oam };
enum class Cooling : std::uint8_t { unknown, active, passive, liquid };
enum class Availability : std::uint8_t { current, discontinued, announced };
// Silicon families that the calibration tables know.
enum class Architecture : std::uint8_t {
  kepler,
  maxwell,
  pascal,
  volta,
  turing,
  ampere_dc,
  ampere,
  ada,
  hopper,
  blackwell,
  blackwell_dc,
  rubin,
  gcn,
  rdna1,
  rdna2,
  rdna3,
  rdna4,
  cdna1,
  cdna2,
  cdna3,
  cdna4,
  cdna5,
  xe_hpg,
  xe2,
  xe_hpc,
  gaudi,
  apple,
  other,
};

// Peak arithmetic rates in TFLOPS (TOPS for int8), dense; fp16_tensor means multiply in FP16, accumulate in FP32.
struct PeakRates {
  std::optional<double> fp64;
  std::optional<double> fp32;
  std::optional<double> fp16_vector;
  std::optional<double> fp16_tensor;
  std::optional<double> bf16_tensor;
  std::optional<double> tf32_tensor;
  std::optional<double> fp8_tensor;
  std::optional<double> int8_tensor;
  std::optional<double> fp4_tensor;
};

// How long drivers and PyTorch builds serve the card; texts as the sources give them.
struct SoftwareSupport {
  std::string_view first_torch;
  std::string_view last_torch;
  std::string_view last_driver_branch;
  std::string_view driver_end_of_life;
  std::string_view last_toolkit;  // CUDA or ROCm
  std::string_view wheels;
  std::string_view stack;  // cuda, rocm, xpu, mps or the maker's own
  std::string_view note;
  bool end_of_support = false;  // no current PyTorch build runs on it
};

struct Gpu {
  std::string_view id;
  std::string_view name;
  Vendor vendor = Vendor::nvidia;
  Segment segment = Segment::consumer;
  FormFactor form_factor = FormFactor::pcie;
  std::string_view architecture;  // as the maker names it ("Ada Lovelace")
  Architecture family = Architecture::other;
  std::string_view chip;
  std::optional<double> compute_capability;  // NVIDIA: 8.6
  std::string_view gfx_target;               // AMD: gfx1100
  std::string_view release_date;             // ISO date, maybe only a year
  std::optional<double> launch_price_usd;
  Availability availability = Availability::discontinued;

  double memory_gib = 0.0;  // nominal, of one GPU
  std::optional<double> reported_memory_mib;
  std::string_view memory_type;
  std::optional<double> memory_bus_bits;
  std::optional<double> memory_data_rate_gbps;
  double memory_bandwidth_gb_s = 0.0;
  std::optional<bool> ecc;
  bool unified_memory = false;
  double gpus_per_board = 1.0;

  std::optional<double> shaders;
  std::optional<double> tensor_cores;
  std::optional<double> sm_count;  // SM, CU, Xe core or GPU core
  std::optional<double> boost_clock_mhz;
  std::optional<double> l2_cache_mib;
  std::optional<double> infinity_cache_mib;
  PeakRates tflops;
  std::optional<double> measured_bf16_tflops;
  std::optional<double> measured_fp16_tflops;
  bool fp32_dual_issue = false;

  std::optional<double> pcie_generation;
  std::optional<double> pcie_lanes;
  std::optional<double> link_gb_s;  // NVLink, Infinity Fabric: both directions, per GPU
  std::optional<double> link_max_gpus;
  std::string_view link_kind;

  std::optional<double> tdp_w;
  std::optional<double> recommended_psu_w;
  std::string_view power_connectors;
  std::optional<double> slot_width;
  std::optional<double> length_mm;
  std::optional<bool> display_outputs;
  Cooling cooling = Cooling::unknown;

  SoftwareSupport support;
  // Names of fields that were computed from others, or known from memory only.
  FixedList<std::string_view, 12> derived;
  FixedList<std::string_view, 12> from_memory;
};

enum class PriceKind : std::uint8_t { new_retail, launch, used, estimate, user };

// US dollars for one board.
struct Price {
  std::string_view gpu_id;
  double usd = 0.0;
  PriceKind kind = PriceKind::launch;
  std::string_view as_of;  // ISO date or month
  std::string_view source;
};

struct CloudOffer {
  std::string_view gpu_id;
  std::string_view provider;
  std::string_view instance;
  double gpus = 1.0;
  double usd_per_gpu_hour = 0.0;
  std::string_view kind;  // on-demand, spot, reserved-1y ...
  std::string_view as_of;
  std::string_view source;
};

}  // namespace gpuadvise
