#include <gpuadvise/error.hpp>
#include <gpuadvise/estimate.hpp>

#include "catch.hpp"
#include "estimate/memory/assemble.hpp"
#include "estimate/memory/band.hpp"
#include "estimate/memory/communication.hpp"
#include "estimate/memory/fit.hpp"
#include "estimate/memory/optimizer_states.hpp"
#include "estimate/memory/runtime.hpp"

using namespace gpuadvise;
using namespace gpuadvise::estimate;

namespace {

Gpu card(Vendor vendor, Architecture family) {
  Gpu gpu;
  gpu.vendor = vendor;
  gpu.family = family;
  gpu.memory_gib = 24;
  return gpu;
}

}  // namespace

TEST_CASE("the context depends on module loading and architecture") {
  const Gpu a100 = card(Vendor::nvidia, Architecture::ampere_dc);
  const Gpu v100 = card(Vendor::nvidia, Architecture::volta);
  const Gpu ada = card(Vendor::nvidia, Architecture::ada);
  CHECK(runtime_bytes(true, ModuleLoading::eager, &a100).expected == Approx(1.68 * k_gib));
  CHECK(runtime_bytes(true, ModuleLoading::eager, &v100).expected == Approx(1.31 * k_gib));
  CHECK(runtime_bytes(true, ModuleLoading::eager, &ada).expected == Approx(1.0 * k_gib));
  CHECK(runtime_bytes(true, ModuleLoading::lazy, &a100).expected == Approx(0.7 * k_gib));
  CHECK(runtime_bytes(false, ModuleLoading::lazy, nullptr).expected == Approx(0.45 * k_gib));
}

TEST_CASE("module loading is a setting of CUDA alone") {
  const Gpu amd = card(Vendor::amd, Architecture::cdna3);
  CHECK(runtime_bytes(true, ModuleLoading::eager, &amd) == runtime_bytes(true, ModuleLoading::lazy, &amd));
}

TEST_CASE("optimizer states in bytes per parameter") {
  CHECK(optimizer_bytes(Optimizer::sgd, 4).states == 0);
  CHECK(optimizer_bytes(Optimizer::sgd_momentum, 4).states == 4);
  CHECK(optimizer_bytes(Optimizer::adamw, 4).states == 8);
  CHECK(optimizer_bytes(Optimizer::adamw, 2).states == 4);
  CHECK(optimizer_bytes(Optimizer::adamw_8bit, 2).states == Approx(2.03));
  CHECK(optimizer_bytes(Optimizer::adamw_8bit, 4).temporary == 0);
  CHECK(optimizer_bytes(Optimizer::adam, 4).temporary == 4);
  CHECK(optimizer_bytes(Optimizer::none, 4).states == 0);
}

TEST_CASE("one process communicates with nobody") {
  CHECK(ddp_bucket_bytes(100, 1) == 0);
  CHECK(ddp_bucket_bytes(100, 2) == 100);
  CHECK(collective_library_bytes(1, 1) == 0);
  CHECK(collective_library_bytes(8, 1) > collective_library_bytes(2, 1));
  CHECK(collective_library_bytes(16, 2) > collective_library_bytes(8, 1));
}

TEST_CASE("intervals widen in ratio") {
  const Interval wide = widened({80, 100, 125}, 2);
  CHECK(wide.low == Approx(64));
  CHECK(wide.expected == 100);
  CHECK(wide.high == Approx(156.25));
}

TEST_CASE("independent errors add as squares") {
  const Interval sum = sum_independent({97, 100, 103}, {6, 10, 14});
  CHECK(sum.expected == 110);
  CHECK(sum.low == Approx(105));
  CHECK(sum.high == Approx(115));
}

TEST_CASE("need is 1.06 times allocated, runtime and communication") {
  const Interval need = need_bytes({10, 10, 10}, {2, 2, 2}, 1);
  CHECK(need.expected == Approx(13.6));
  CHECK(need.low == Approx(13.6));
}

TEST_CASE("components that do not sum to the device figure are a fault of the program") {
  MemoryParts parts;
  parts.device = {10, 10, 10};
  parts.components.weights = 9;
  CHECK_THROWS_AS(assemble(parts), Error);
  parts.components.activations = 1;
  CHECK(assemble(parts).components.sum() == Approx(10));
}

TEST_CASE("figures of all GPUs are those of one times their number") {
  MemoryParts parts;
  parts.allocated = {4, 5, 6};
  parts.device = {8, 10, 12};
  parts.components.weights = 10;
  parts.gpus = 8;
  const MemoryFigures figures = assemble(parts);
  CHECK(figures.all_gpus.allocated.expected == 40);
  CHECK(figures.all_gpus.device.high == 96);
  CHECK(figures.all_gpus.components.weights == 80);
}

TEST_CASE("probability at the interval's points") {
  const Interval need = {8, 10, 14};
  CHECK(probability_at_most(need, 10) == Approx(0.5));
  CHECK(probability_at_most(need, 14) == Approx(0.95).epsilon(1e-6));
  CHECK(probability_at_most(need, 8) == Approx(0.05).epsilon(1e-6));
  CHECK(probability_at_most(need, 0) == 0);
  CHECK(probability_at_most({10, 10, 10}, 9.99) == 0);
  CHECK(probability_at_most({10, 10, 10}, 10) == 1);
}

TEST_CASE("verdicts change at 95 and 50 percent") {
  MemoryFigures memory;
  memory.need = {8, 10, 14};
  CHECK(fit(memory, 15, 14.1).verdict == Verdict::fits);
  CHECK(fit(memory, 15, 13.9).verdict == Verdict::tight);
  CHECK(fit(memory, 15, 9.9).verdict == Verdict::no);
}

TEST_CASE("a steady need above the memory never fits") {
  MemoryFigures memory;
  memory.need = {8, 10, 14};
  memory.steady = Interval{16, 17, 18};
  CHECK(fit(memory, 15, 15).probability == 0);
  CHECK(fit(memory, 15, 15).verdict == Verdict::no);
}

TEST_CASE("visible memory is what the driver leaves") {
  Gpu gtx1650 = card(Vendor::nvidia, Architecture::turing);
  gtx1650.memory_gib = 4;
  CHECK(visible_bytes(gtx1650) / k_gib == Approx(3.816).epsilon(1e-3));
  CHECK(usable_bytes(gtx1650, default_use(gtx1650, false)) / k_gib == Approx(3.516).epsilon(1e-3));
  CHECK(usable_bytes(gtx1650, {false, false}) == visible_bytes(gtx1650));
  CHECK(usable_bytes(gtx1650, {false, true}) < visible_bytes(gtx1650));
}

TEST_CASE("reported memory wins over nominal, and GDDR with ECC on gives a sixteenth away") {
  Gpu t4 = card(Vendor::nvidia, Architecture::turing);
  t4.segment = Segment::datacenter;
  t4.memory_gib = 16;
  t4.memory_type = "GDDR6";
  t4.ecc = true;
  const double nominal = visible_bytes(t4);
  CHECK(nominal / k_gib == Approx(15 * 0.9915 - 0.15));
  t4.reported_memory_mib = 14000;
  CHECK(visible_bytes(t4) < nominal);
  t4.reported_memory_mib.reset();
  t4.memory_type = "HBM2";
  CHECK(visible_bytes(t4) / k_gib == Approx(16 * 0.9915 - 0.15));
}

TEST_CASE("unified memory gives three quarters, whatever draws the desktop") {
  Gpu apple = card(Vendor::apple, Architecture::apple);
  apple.unified_memory = true;
  CHECK(visible_bytes(apple) == Approx(18 * k_gib));
  CHECK(usable_bytes(apple, {true, false}) == visible_bytes(apple));
}

TEST_CASE("consumer cards draw the desktop, others do not") {
  Gpu gpu = card(Vendor::nvidia, Architecture::ada);
  CHECK(default_use(gpu, false).drives_display);
  gpu.segment = Segment::datacenter;
  CHECK_FALSE(default_use(gpu, false).drives_display);
}
