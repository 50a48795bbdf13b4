#include "catalog/gpu_lint.hpp"

#include "catalog/price_lint.hpp"
#include "catch.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

using namespace gpuadvise;
using namespace gpuadvise::catalog;

namespace {

// A card without fault.
GpuRecord sound() {
  GpuRecord record;
  Gpu& gpu = record.gpu;
  gpu.id = "rtx-3090";
  gpu.name = "NVIDIA GeForce RTX 3090";
  gpu.family = Architecture::ampere;
  gpu.compute_capability = 8.6;
  gpu.release_date = "2020-09-24";
  gpu.memory_gib = 24;
  gpu.memory_bus_bits = 384;
  gpu.memory_data_rate_gbps = 19.5;
  gpu.memory_bandwidth_gb_s = 936;
  gpu.shaders = 10496;
  gpu.sm_count = 82;
  gpu.boost_clock_mhz = 1695;
  gpu.tflops.fp32 = 35.58;
  gpu.tflops.fp16_tensor = 71.2;
  gpu.tflops.bf16_tensor = 71.2;
  gpu.tflops.tf32_tensor = 35.6;
  return record;
}

bool finds(const std::vector<GpuRecord>& records, std::string_view rule, Severity severity) {
  const auto findings = lint_gpus(records);
  return std::any_of(findings.begin(), findings.end(),
                     [&](const Finding& finding) { return finding.rule == rule && finding.severity == severity; });
}

bool finds(const GpuRecord& record, std::string_view rule, Severity severity) {
  return finds(std::vector<GpuRecord>{record}, rule, severity);
}

bool finds_price(Price price, std::string_view rule) {
  const auto findings = lint_prices(std::vector<Price>{price}, {});
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.rule == rule; });
}

bool finds_offer(CloudOffer offer, std::string_view rule) {
  const auto findings = lint_offers(std::vector<CloudOffer>{offer}, {});
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.rule == rule; });
}

}  // namespace

TEST_CASE("a sound card gives nothing") {
  CHECK(lint_gpus(std::vector<GpuRecord>{sound()}).empty());
}

TEST_CASE("figures that contradict others are found") {
  GpuRecord record = sound();
  SECTION("bandwidth a little off") {
    record.gpu.memory_bandwidth_gb_s = 1008;
    CHECK(finds(record, "gpu-bandwidth", Severity::warn));
  }
  SECTION("bandwidth twice the truth") {
    record.gpu.memory_bandwidth_gb_s = 1872;
    CHECK(finds(record, "gpu-bandwidth", Severity::reject));
  }
  SECTION("fp32") {
    record.gpu.tflops.fp32 = 29;
    CHECK(finds(record, "gpu-fp32", Severity::warn));
  }
  SECTION("a rate with sparsity") {
    record.gpu.tflops.fp16_tensor = 142.4;
    const auto findings = lint_gpus(std::vector<GpuRecord>{record});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].severity == Severity::reject);
    CHECK_THAT(findings[0].message, ContainsSubstring("sparsity"));
  }
  SECTION("a rate that the family lacks") {
    record.gpu.tflops.fp8_tensor = 142.4;
    CHECK(finds(record, "gpu-tensor-rate", Severity::warn));
  }
  SECTION("shaders") {
    record.gpu.sm_count = 84;
    CHECK(finds(record, "gpu-shaders", Severity::warn));
  }
  SECTION("dense rates of one card") {
    record.gpu.family = Architecture::hopper;
    record.gpu.compute_capability = 9.0;
    record.gpu.tflops.tf32_tensor = 71.2;
    CHECK(finds(record, "gpu-rate-ratio", Severity::warn));
  }
}

TEST_CASE("impossible values are refused") {
  GpuRecord record = sound();
  SECTION("zero for unknown") {
    record.gpu.tflops.fp64 = 0.0;
    CHECK(finds(record, "gpu-range", Severity::reject));
  }
  SECTION("price of zero") {
    record.gpu.launch_price_usd = 0.0;
    CHECK(finds(record, "gpu-range", Severity::reject));
  }
  SECTION("clock in GHz") {
    record.gpu.boost_clock_mhz = 1.695;
    CHECK(finds(record, "gpu-range", Severity::reject));
  }
  SECTION("capability of another family") {
    record.gpu.compute_capability = 8.9;
    CHECK(finds(record, "gpu-capability", Severity::reject));
  }
  SECTION("no capability") {
    record.gpu.compute_capability.reset();
    CHECK(finds(record, "gpu-capability", Severity::reject));
  }
  SECTION("date") {
    record.gpu.release_date = "2020-9-24";
    CHECK(finds(record, "gpu-date", Severity::reject));
  }
  SECTION("id") {
    record.gpu.id = "RTX 3090";
    CHECK(finds(record, "gpu-id", Severity::reject));
  }
  SECTION("more memory than there is") {
    record.gpu.reported_memory_mib = 25000;
    CHECK(finds(record, "gpu-memory", Severity::reject));
  }
  SECTION("a doubt about no field") {
    record.gpu.from_memory.push_back("bandwith");
    CHECK(finds(record, "gpu-field-name", Severity::reject));
  }
  SECTION("PCI id") {
    record.pci_device_ids = {"2204"};
    CHECK(finds(record, "gpu-pci-id", Severity::reject));
  }
}

TEST_CASE("two cards may not share a name") {
  GpuRecord other = sound();
  other.gpu.id = "rtx-3090-24gb";
  other.gpu.name = "Another";
  CHECK_FALSE(finds({sound(), other}, "gpu-name", Severity::reject));
  SECTION("alias of one, id of the other") {
    other.aliases = {"RTX 3090"};
    CHECK(finds({sound(), other}, "gpu-name", Severity::reject));
  }
  SECTION("the same id") {
    other.gpu.id = "rtx-3090";
    CHECK(finds({sound(), other}, "gpu-name", Severity::reject));
  }
}

TEST_CASE("dates") {
  CHECK(is_date("2024"));
  CHECK(is_date("2024-02"));
  CHECK(is_date("2024-02-29"));
  for (const std::string_view text : {"", "24", "2024-", "2024-13", "2024-00", "2024-01-32", "2024/01/01", "Jan 2024", "2024-01-1"}) {
    CHECK_FALSE(is_date(text));
  }
}

TEST_CASE("prices and offers are checked") {
  const Price price{"rtx-3090", 800, PriceKind::used, "2026-05", "shop"};
  CHECK(lint_prices(std::vector<Price>{price}, {}).empty());
  CHECK(finds_price({"rtx-3090", 0.0, PriceKind::used, "2026-05", "shop"}, "price-range"));
  CHECK(finds_price({"rtx-3090", 3e6, PriceKind::used, "2026-05", "shop"}, "price-range"));
  CHECK(finds_price({"rtx-3090", 800, PriceKind::used, "", "shop"}, "price-date"));
  CHECK(finds_price({"rtx-3090", 800, PriceKind::used, "May 2026", "shop"}, "price-date"));
  CHECK(finds_price({"rtx-3090", 800, PriceKind::used, "2026-05", ""}, "price-source"));
  CHECK(lint_prices(std::vector<Price>{price, price}, {}).size() == 1);
  const std::array<std::string_view, 1> known = {"rtx-4090"};
  REQUIRE(lint_prices(std::vector<Price>{price}, known).size() == 1);
  CHECK(lint_prices(std::vector<Price>{price}, known)[0].rule == "price-gpu");

  const CloudOffer offer{"l4", "gcp", "g2", 1, 0.7, "on-demand", "2026-10", "list"};
  CHECK(lint_offers(std::vector<CloudOffer>{offer}, {}).empty());
  CHECK(finds_offer({"l4", "gcp", "g2", 1, 0.0, "on-demand", "2026-10", "list"}, "offer-range"));
  CHECK(finds_offer({"l4", "gcp", "g2", 0, 0.7, "on-demand", "2026-10", "list"}, "offer-gpus"));
  CHECK(finds_offer({"l4", "", "g2", 1, 0.7, "on-demand", "2026-10", "list"}, "offer-provider"));
  CHECK(finds_offer({"l4", "gcp", "g2", 1, 0.7, "on demand", "2026-10", "list"}, "offer-kind"));
}
