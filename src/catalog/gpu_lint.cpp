#include "catalog/gpu_lint.hpp"

#include <gpuadvise/units.hpp>

#include "catalog/fields.hpp"
#include "catalog/gpu_names.hpp"
#include "catalog/gpu_rates.hpp"
#include "catalog/lint_exceptions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace gpuadvise::catalog {
namespace {

// Clocks and rates are rounded by their makers; measured over the catalog the honest spread stays below these.
constexpr double k_bandwidth_tolerance = 0.02;
constexpr double k_rate_tolerance = 0.06;
// Beyond this ratio a figure is not a rounding or a bin but an error.
constexpr double k_gross = 1.7;

class Report {
 public:
  void add(const Gpu& gpu, std::string_view rule, Severity severity, const std::string& message) {
    if (lint_exception(gpu.id, rule).empty()) {
      findings_.push_back({std::string(rule), severity, std::string(gpu.id) + ": " + message});
    }
  }
  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

 private:
  std::vector<Finding> findings_;
};

std::string number(double value) {
  std::string text = format_significant(value, 6);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    text.erase(text.find_last_not_of('.') + 1);
  }
  return text;
}

// A stated figure against the one that follows from others.
struct Comparison {
  std::string_view rule;
  std::string_view what;
  double stated;
  double expected;
  double tolerance;
  std::string formula;
};

void compare(const Gpu& gpu, const Comparison& c, Report& report) {
  const double ratio = c.stated / c.expected;
  if (std::abs(ratio - 1.0) <= c.tolerance) {
    return;
  }
  std::string message = std::string(c.what) + " " + number(c.stated) + " is not " + c.formula + " = " + number(c.expected);
  if (c.rule == "gpu-tensor-rate" && std::abs(ratio - 2.0) <= 2.0 * c.tolerance) {
    message += "; twice that is the rate with sparsity, or with FP16 accumulation";
  }
  report.add(gpu, c.rule, ratio > k_gross || ratio < 1.0 / k_gross ? Severity::reject : Severity::warn, message);
}

void check_bandwidth(const Gpu& gpu, Report& report) {
  if (gpu.memory_bus_bits && gpu.memory_data_rate_gbps) {
    compare(gpu,
            {"gpu-bandwidth", "memory_bandwidth_gb_s", gpu.memory_bandwidth_gb_s, *gpu.memory_bus_bits * *gpu.memory_data_rate_gbps / 8.0,
             k_bandwidth_tolerance, number(*gpu.memory_bus_bits) + " bits x " + number(*gpu.memory_data_rate_gbps) + " Gbps / 8"},
            report);
  }
}

void check_fp32(const Gpu& gpu, Report& report) {
  if (gpu.tflops.fp32 && gpu.shaders && gpu.boost_clock_mhz) {
    const double issue = fp32_per_lane(gpu);
    compare(gpu,
            {"gpu-fp32", "tflops.fp32", *gpu.tflops.fp32, issue * *gpu.shaders * *gpu.boost_clock_mhz / 1e6, k_rate_tolerance,
             number(issue) + " x " + number(*gpu.shaders) + " shaders x " + number(*gpu.boost_clock_mhz) + " MHz"},
            report);
  }
  const double lanes = lanes_per_unit(gpu);
  if (gpu.shaders && gpu.sm_count && lanes > 0.0 && *gpu.shaders != lanes * *gpu.sm_count) {
    report.add(gpu, "gpu-shaders", Severity::warn,
               number(*gpu.shaders) + " shaders are not " + number(*gpu.sm_count) + " units x " + number(lanes) + " lanes");
  }
}

struct TensorRate {
  std::string_view name;
  std::optional<double> PeakRates::*stated;
  double RatesPerClock::*per_clock;
};

constexpr std::array k_tensor_rates = {
    TensorRate{"tflops.fp16_tensor", &PeakRates::fp16_tensor, &RatesPerClock::fp16},
    TensorRate{"tflops.bf16_tensor", &PeakRates::bf16_tensor, &RatesPerClock::bf16},
    TensorRate{"tflops.tf32_tensor", &PeakRates::tf32_tensor, &RatesPerClock::tf32},
    TensorRate{"tflops.fp8_tensor", &PeakRates::fp8_tensor, &RatesPerClock::fp8},
    TensorRate{"tflops.int8_tensor", &PeakRates::int8_tensor, &RatesPerClock::int8},
    TensorRate{"tflops.fp4_tensor", &PeakRates::fp4_tensor, &RatesPerClock::fp4},
};

void check_tensor_rates(const Gpu& gpu, Report& report) {
  const auto rates = tensor_rates_per_clock(gpu);
  if (!rates || !gpu.sm_count || !gpu.boost_clock_mhz) {
    return;
  }
  for (const TensorRate& rate : k_tensor_rates) {
    const auto& stated = gpu.tflops.*rate.stated;
    const double per_clock = (*rates).*rate.per_clock;
    if (!stated) {
      continue;
    }
    if (per_clock <= 0.0) {
      report.add(gpu, "gpu-tensor-rate", Severity::warn, std::string(rate.name) + " is stated, but this family has no such unit");
      continue;
    }
    compare(gpu,
            {"gpu-tensor-rate", rate.name, *stated, per_clock * *gpu.sm_count * *gpu.boost_clock_mhz / 1e6, k_rate_tolerance,
             number(*gpu.sm_count) + " units x " + number(per_clock) + " x " + number(*gpu.boost_clock_mhz) + " MHz"},
            report);
  }
}

struct RatioRule {
  std::string_view text;
  std::optional<double> PeakRates::*rate;
  std::optional<double> PeakRates::*base;
  double ratio;
};

// Dense rates keep these ratios on every tensor core since Hopper; a sparse figure among dense ones breaks them.
constexpr std::array k_ratios = {
    RatioRule{"tflops.bf16_tensor is not tflops.fp16_tensor", &PeakRates::bf16_tensor, &PeakRates::fp16_tensor, 1.0},
    RatioRule{"tflops.tf32_tensor is not half of tflops.fp16_tensor", &PeakRates::tf32_tensor, &PeakRates::fp16_tensor, 0.5},
    RatioRule{"tflops.fp8_tensor is not twice tflops.fp16_tensor", &PeakRates::fp8_tensor, &PeakRates::fp16_tensor, 2.0},
};

void check_ratios(const Gpu& gpu, Report& report) {
  if (gpu.family != Architecture::hopper && gpu.family != Architecture::blackwell_dc && gpu.family != Architecture::rubin) {
    return;  // the rates themselves are checked
  }
  for (const RatioRule& rule : k_ratios) {
    const auto& rate = gpu.tflops.*rule.rate;
    const auto& base = gpu.tflops.*rule.base;
    if (rate && base && std::abs(*rate / *base / rule.ratio - 1.0) > k_rate_tolerance) {
      report.add(gpu, "gpu-rate-ratio", Severity::warn, std::string(rule.text) + " (" + number(*rate) + ", " + number(*base) + ")");
    }
  }
}

struct Range {
  std::string_view name;
  std::optional<double> value;
  double low;
  double high;
};

// Wide enough for every part since 2014; what lies outside is in another unit.
void check_ranges(const Gpu& gpu, Report& report) {
  const std::array ranges = {
      Range{"memory_gib", gpu.memory_gib, 1, 2048},
      Range{"memory_bandwidth_gb_s", gpu.memory_bandwidth_gb_s, 10, 50000},
      Range{"memory_bus_bits", gpu.memory_bus_bits, 32, 32768},
      Range{"memory_data_rate_gbps", gpu.memory_data_rate_gbps, 0.5, 64},
      Range{"boost_clock_mhz", gpu.boost_clock_mhz, 300, 4000},
      Range{"sm_count", gpu.sm_count, 1, 1024},
      Range{"l2_cache_mib", gpu.l2_cache_mib, 0.1, 2048},
      Range{"tdp_w", gpu.tdp_w, 4, 5000},
      Range{"recommended_psu_w", gpu.recommended_psu_w, 150, 3000},
      Range{"slot_width", gpu.slot_width, 1, 5},
      Range{"length_mm", gpu.length_mm, 80, 500},
      Range{"launch_price_usd", gpu.launch_price_usd, 10, 1e6},
      Range{"link_gb_s", gpu.link_gb_s, 10, 20000},
      Range{"link_max_gpus", gpu.link_max_gpus, 2, 1024},
      Range{"compute_capability", gpu.compute_capability, 2, 20},
  };
  for (const Range& range : ranges) {
    if (range.value && !(*range.value >= range.low && *range.value <= range.high)) {
      report.add(
          gpu, "gpu-range", Severity::reject,
          std::string(range.name) + " " + number(*range.value) + " is not between " + number(range.low) + " and " + number(range.high));
    }
  }
  visit_fields(
      [&](std::string_view name, const std::optional<double>& rate) {
        if (rate && !(*rate > 0.0 && *rate < 1e6)) {
          report.add(gpu, "gpu-range", Severity::reject, "tflops." + std::string(name) + " must be above 0; leave an unknown rate out");
        }
      },
      gpu.tflops);
}

void check_identity(const Gpu& gpu, Report& report) {
  const bool slug =
      std::all_of(gpu.id.begin(), gpu.id.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; });
  if (!slug) {
    report.add(gpu, "gpu-id", Severity::reject, "an id has lower case letters, digits and hyphens only");
  }
  if (!gpu.release_date.empty() && !is_date(gpu.release_date)) {
    report.add(gpu, "gpu-date", Severity::reject,
               "release_date '" + std::string(gpu.release_date) + "' is no date (2024, 2024-03, 2024-03-15)");
  }
  if (gpu.reported_memory_mib && *gpu.reported_memory_mib / 1024.0 > gpu.memory_gib * 1.01) {
    report.add(gpu, "gpu-memory", Severity::reject, "reported_memory_mib is more than memory_gib");
  }
  const auto range = capabilities_of(gpu.family);
  if (range && !gpu.compute_capability) {
    report.add(gpu, "gpu-capability", Severity::reject, "an NVIDIA card needs its compute_capability");
  } else if (range && (*gpu.compute_capability < range->low || *gpu.compute_capability > range->high)) {
    report.add(gpu, "gpu-capability", Severity::reject,
               "compute_capability " + number(*gpu.compute_capability) + " does not belong to its family");
  }
}

std::set<std::string, std::less<>> field_names() {
  std::set<std::string, std::less<>> names = {"memory_options_gib", "gfx_target", "support.driver_end_of_life"};
  const Gpu gpu;
  visit_fields([&](std::string_view name, const auto&) { names.emplace(name); }, gpu);
  visit_fields([&](std::string_view name, const auto&) { names.emplace("tflops." + std::string(name)); }, gpu.tflops);
  return names;
}

void check_doubts(const Gpu& gpu, const std::set<std::string, std::less<>>& known, Report& report) {
  for (const auto& list : {gpu.derived, gpu.from_memory}) {
    for (const std::string_view field : list) {
      if (known.find(field) == known.end()) {
        report.add(gpu, "gpu-field-name", Severity::reject, "'" + std::string(field) + "' in derived or from_memory is no field");
      }
    }
  }
}

// Two cards that answer to one name could not be told apart.
void check_names(std::span<const GpuRecord> gpus, Report& report) {
  std::map<std::string, std::size_t> owner;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const GpuRecord& record = gpus[i];
    std::vector<std::string_view> names = {record.gpu.id, record.gpu.name};
    names.insert(names.end(), record.aliases.begin(), record.aliases.end());
    names.insert(names.end(), record.driver_names.begin(), record.driver_names.end());
    for (const std::string_view name : names) {
      const auto [entry, fresh] = owner.emplace(normalise_gpu_name(name), i);
      if (!fresh && entry->second != i) {
        report.add(record.gpu, "gpu-name", Severity::reject,
                   "the name '" + std::string(name) + "' also means " + std::string(gpus[entry->second].gpu.id));
      }
    }
    for (const std::string_view pci : record.pci_device_ids) {
      if (pci.size() != 6 || !pci.starts_with("0x")) {
        report.add(record.gpu, "gpu-pci-id", Severity::reject, "'" + std::string(pci) + "' is no PCI device id (0x2684)");
      }
    }
  }
}

}  // namespace

bool is_date(std::string_view text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) {
    return false;
  }
  constexpr std::string_view k_form = "dddd-dd-dd";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (k_form[i] == 'd' ? !digit : text[i] != '-') {
      return false;
    }
  }
  const auto part = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  return (text.size() < 7 || (part(5) >= 1 && part(5) <= 12)) && (text.size() < 10 || (part(8) >= 1 && part(8) <= 31));
}

std::vector<Finding> lint_gpus(std::span<const GpuRecord> gpus) {
  Report report;
  const auto known = field_names();
  check_names(gpus, report);
  for (const GpuRecord& record : gpus) {
    check_identity(record.gpu, report);
    check_ranges(record.gpu, report);
    check_bandwidth(record.gpu, report);
    check_fp32(record.gpu, report);
    check_tensor_rates(record.gpu, report);
    check_ratios(record.gpu, report);
    check_doubts(record.gpu, known, report);
  }
  return report.take();
}

}  // namespace gpuadvise::catalog
