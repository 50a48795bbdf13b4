// What buyers' guides get wrong, and other figures that must never drift.
#include "catch.hpp"
#include "data/catalog_files.hpp"

#include <algorithm>
#include <string>

using namespace gpuadvise;
using data_test::find_gpu;

namespace {

const Gpu& gpu(std::string_view id) {
  const Gpu* found = find_gpu(id);
  INFO(std::string(id));
  REQUIRE(found != nullptr);
  return *found;
}

}  // namespace

TEST_CASE("all cards are there") {
  CHECK(data_test::shipped().gpus.size() == 361);
}

TEST_CASE("the RTX 40 series is Ada Lovelace, capability 8.9") {
  int seen = 0;
  for (const auto& record : data_test::shipped().gpus) {
    if (record.gpu.name.starts_with("NVIDIA GeForce RTX 40")) {
      INFO(std::string(record.gpu.id));
      CHECK(record.gpu.architecture == "Ada Lovelace");
      CHECK(record.gpu.family == Architecture::ada);
      CHECK(record.gpu.compute_capability == 8.9);
      ++seen;
    }
  }
  CHECK(seen >= 12);
}

TEST_CASE("RTX 4090 has 1.08 times the bandwidth of the RTX 3090") {
  CHECK(gpu("rtx-4090").memory_bandwidth_gb_s == Approx(1008));
  CHECK(gpu("rtx-3090").memory_bandwidth_gb_s == Approx(936).epsilon(0.001));
  CHECK(gpu("rtx-4090").memory_bandwidth_gb_s / gpu("rtx-3090").memory_bandwidth_gb_s == Approx(1.08).epsilon(0.005));
}

TEST_CASE("A100 40 GB has 1555 GB/s; 624 is its INT8 rate") {
  for (const std::string_view id : {"a100-40gb-sxm", "a100-40gb-pcie"}) {
    CHECK(gpu(id).memory_bandwidth_gb_s == Approx(1555).epsilon(0.001));
    REQUIRE(gpu(id).tflops.int8_tensor);
    CHECK(*gpu(id).tflops.int8_tensor == Approx(624).epsilon(0.002));
    CHECK(gpu(id).family == Architecture::ampere_dc);
  }
}

TEST_CASE("A40 NVLink joins two cards at 112.5 GB/s") {
  CHECK(gpu("a40").link_max_gpus == 2.0);
  CHECK(gpu("a40").link_gb_s == 112.5);
  CHECK(gpu("a40").link_kind == "nvlink");
}

TEST_CASE("B100 does 3.5 PFLOPS of dense FP8 and 1.75 of FP16") {
  REQUIRE(gpu("b100-sxm").tflops.fp8_tensor);
  REQUIRE(gpu("b100-sxm").tflops.fp16_tensor);
  CHECK(*gpu("b100-sxm").tflops.fp8_tensor == Approx(3500).epsilon(0.01));
  CHECK(*gpu("b100-sxm").tflops.fp16_tensor == Approx(1750).epsilon(0.01));
}

TEST_CASE("A100 against V100: 2.5 times the FP16 rate, 1.73 or 2.27 times the bandwidth") {
  const Gpu& v100 = gpu("v100-sxm2-16gb");
  REQUIRE(v100.tflops.fp16_tensor);
  REQUIRE(gpu("a100-40gb-sxm").tflops.fp16_tensor);
  CHECK(*gpu("a100-40gb-sxm").tflops.fp16_tensor / *v100.tflops.fp16_tensor == Approx(2.5).epsilon(0.01));
  CHECK(gpu("a100-40gb-sxm").memory_bandwidth_gb_s / v100.memory_bandwidth_gb_s == Approx(1.73).epsilon(0.005));
  CHECK(gpu("a100-80gb-sxm").memory_bandwidth_gb_s / v100.memory_bandwidth_gb_s == Approx(2.27).epsilon(0.005));
}

TEST_CASE("tensor rates are dense") {
  struct Dense {
    std::string_view id;
    double fp16;
  };
  for (const Dense& dense :
       {Dense{"rtx-3090", 71.2}, Dense{"rtx-4090", 165.2}, Dense{"rtx-5090", 209.5}, Dense{"rtx-a6000", 154.8}, Dense{"l40s", 362},
        Dense{"l4", 121}, Dense{"t4", 65}, Dense{"a10", 125}, Dense{"h100-80gb-sxm", 989.4}, Dense{"h100-80gb-pcie", 756},
        Dense{"a100-80gb-sxm", 312}, Dense{"mi300x", 1307.4}, Dense{"rx-7900-xtx", 122.8}}) {
    INFO(std::string(dense.id));
    REQUIRE(gpu(dense.id).tflops.fp16_tensor);
    CHECK(*gpu(dense.id).tflops.fp16_tensor == Approx(dense.fp16).epsilon(0.01));
  }
}

TEST_CASE("a laptop part is not its desktop namesake") {
  for (const std::string_view id : {"rtx-4090", "rtx-4080", "rtx-4070", "rtx-5090", "rtx-5080", "rtx-5070", "rtx-5070-ti"}) {
    const Gpu& laptop = gpu(std::string(id) + "-laptop");
    CHECK(laptop.segment == Segment::laptop);
    CHECK(laptop.memory_gib <= gpu(id).memory_gib);
    CHECK(laptop.memory_bandwidth_gb_s < gpu(id).memory_bandwidth_gb_s);
  }
}

TEST_CASE("boards of several devices hold the figures of one") {
  CHECK(gpu("tesla-k80").memory_gib == 12);
  CHECK(gpu("tesla-k80").gpus_per_board == 2);
  CHECK(gpu("a16").memory_gib == 16);
  CHECK(gpu("a16").gpus_per_board == 4);
  CHECK(gpu("mi250x").memory_gib == 64);
  CHECK(gpu("mi250x").gpus_per_board == 2);
  CHECK(gpu("mi250x").memory_bandwidth_gb_s == Approx(1638.4));
}

TEST_CASE("every maker's card can be judged for software") {
  for (const auto& record : data_test::shipped().gpus) {
    INFO(std::string(record.gpu.id));
    CHECK((record.gpu.vendor == Vendor::nvidia) == record.gpu.compute_capability.has_value());
    CHECK_FALSE(record.gpu.support.stack.empty());
    if (record.gpu.vendor == Vendor::nvidia) {
      CHECK(record.gpu.support.stack == "cuda");
    }
  }
}

TEST_CASE("Apple, Jetson and Strix Halo share the system's memory") {
  for (const auto& record : data_test::shipped().gpus) {
    const Gpu& card = record.gpu;
    if (card.vendor == Vendor::apple || card.form_factor == FormFactor::soc) {
      INFO(std::string(card.id));
      CHECK((card.unified_memory || card.id == "dgx-station-gb300"));
    }
  }
}
