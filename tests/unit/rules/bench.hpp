// A candidate that no shipped rule objects to, to be changed by tests; and the shipped rules, read from data/rules.
#pragma once

#include <gpuadvise/advice.hpp>
#include <gpuadvise/units.hpp>

#include "rules/engine.hpp"
#include "rules/program.hpp"
#include "rules/software_answers.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace gpuadvise::rules::test {

inline std::vector<RuleFile> shipped_files() {
  std::vector<RuleFile> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GPUADVISE_SOURCE_DIR) + "/data/rules")) {
    const std::string name = entry.path().filename().string();
    if (name != "objectives.json") {
      std::ifstream stream(entry.path());
      files.push_back({name, std::string(std::istreambuf_iterator<char>(stream), {})});
    }
  }
  std::sort(files.begin(), files.end(), [](const RuleFile& a, const RuleFile& b) { return a.name < b.name; });
  return files;
}

struct Bench {
  Gpu gpu;
  Request request;
  Preferences wants;
  Costs cost;
  Figures figures;
  Sourcing source = Sourcing::buy;
  bool named = false;
  double count = 1.0;
  bool precision_replaced = false;

  Bench() {
    gpu.id = "test-card";
    gpu.name = "Test Card";
    gpu.architecture = "Ampere";
    gpu.family = Architecture::ampere;
    gpu.compute_capability = 8.6;
    gpu.release_date = "2025-02-01";
    gpu.availability = Availability::current;
    gpu.memory_gib = 12.0;
    gpu.memory_bandwidth_gb_s = 360.0;
    gpu.tensor_cores = 112.0;
    gpu.tflops.fp32 = 12.7;
    gpu.tflops.fp16_tensor = 25.5;
    gpu.tflops.bf16_tensor = 25.5;
    gpu.tflops.tf32_tensor = 12.7;
    gpu.pcie_generation = 4.0;
    gpu.pcie_lanes = 16.0;
    gpu.tdp_w = 170.0;
    gpu.recommended_psu_w = 550.0;
    gpu.slot_width = 2.0;
    gpu.length_mm = 210.0;
    gpu.display_outputs = true;
    gpu.cooling = Cooling::active;
    gpu.support.wheels = "cu126, cu130";
    gpu.support.first_torch = "1.8";
    gpu.support.last_torch = "2.14";
    ImageProfile profile;
    profile.params = 25.6e6;
    request.model.id = "resnet50";
    request.model.shape = profile;
    request.workload.field = Field::vision;
    request.workload.task = Task::infer;
    request.workload.head = Head::classification;
    request.workload.optimizer = Optimizer::none;
    request.workload.batch = 32.0;
    request.workload.image = {1.0, 224.0, 224.0};
    wants.reserve_share = 0.2;
    wants.origins[static_cast<std::size_t>(PreferenceKey::form)] = Origin::user;
    cost.price = Price{"test-card", 300.0, PriceKind::new_retail, "2026-06", "a shop"};
    cost.purchase_usd = 300.0;
    cost.power_w = 170.0;
    need(4.0, 11.0);
    figures.speed = SpeedFigures{};
    speed().throughput = {90.0, 100.0, 110.0};
    speed().shares = {0.9, 0.1, 0.0, 0.0};
  }

  [[nodiscard]] Workload& workload() { return request.workload; }
  [[nodiscard]] SpeedFigures& speed() { return *figures.speed; }
  void need(double need_gib, double usable_gib) {
    figures.memory.need = Interval{need_gib, need_gib, need_gib}.scaled(k_gib);
    const bool fits = need_gib < 0.9 * usable_gib;
    const bool no = need_gib > usable_gib;
    figures.fit = Fit{usable_gib * k_gib, usable_gib * k_gib,
                      no     ? Verdict::no
                      : fits ? Verdict::fits
                             : Verdict::tight,
                      no     ? 0.01
                      : fits ? 0.999
                             : 0.7};
  }
  void train() {
    workload().task = Task::train;
    workload().optimizer = Optimizer::sgd_momentum;
  }
  void language(double params = 7e9) {
    TransformerShape shape;
    shape.params = params;
    request.model.shape = shape;
    workload().field = Field::language;
    workload().head = Head::lm;
    workload().seq = 2048.0;
  }
  void several(double gpus, Strategy strategy) {
    workload().gpus = gpus;
    workload().strategy = strategy;
    count = gpus;
    cost.boards = gpus;
  }
  void precision(PrecisionKind kind) { workload().precision.kind = kind; }
  void capability(double value, Architecture family) {
    gpu.compute_capability = value;
    gpu.family = family;
    gpu.tflops.bf16_tensor = value >= 8.0 ? gpu.tflops.bf16_tensor : std::nullopt;
    gpu.tflops.tf32_tensor = value >= 8.0 ? gpu.tflops.tf32_tensor : std::nullopt;
  }
  void system(HostSystem value) {
    wants.os = value;
    wants.origins[static_cast<std::size_t>(PreferenceKey::os)] = Origin::user;
  }
  void vendor(Vendor value) {
    gpu.vendor = value;
    gpu.compute_capability.reset();
  }

  [[nodiscard]] bool fires(const RuleSet& rules, std::string_view id) const {
    Workload run = request.workload;
    if (precision_replaced) {
      run.precision.kind = PrecisionKind::fp16;
    }
    const std::string precision = to_string(run.precision);
    const SoftwareAnswers software(wants, {});
    Subject subject;
    subject.software = &software;
    subject.request = &request;
    subject.workload = &run;
    subject.precision = precision;
    subject.preferences = &wants;
    subject.gpu = &gpu;
    subject.count = count;
    subject.source = source;
    subject.named = named;
    subject.cost = &cost;
    subject.figures = &figures;
    for (const RuleEntry& entry : rules.entries()) {
      if (entry.rule->id == id) {
        // The message must be formed without a hitch as well.
        return entry.holds_for(subject) && !entry.finding(subject).message.empty();
      }
    }
    return false;
  }
};

}  // namespace gpuadvise::rules::test
