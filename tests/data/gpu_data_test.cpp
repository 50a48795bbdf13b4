// Every shipped row is in order, and every name leads to its card.
#include "catalog/gpu_lint.hpp"
#include "catalog/gpu_names.hpp"
#include "catalog/lint.hpp"
#include "catalog/lint_exceptions.hpp"
#include "catch.hpp"
#include "data/catalog_files.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace gpuadvise;
using namespace gpuadvise::catalog;
using data_test::shipped;

namespace {

std::vector<std::string_view> gpu_ids() {
  std::vector<std::string_view> ids;
  for (const GpuRecord& record : shipped().gpus) {
    ids.push_back(record.gpu.id);
  }
  return ids;
}

std::string first_message(const std::vector<Finding>& findings) {
  return findings.empty() ? std::string() : findings.front().rule + ": " + findings.front().message;
}

struct Lookup {
  std::vector<Gpu> gpus;
  TextPool texts;
  std::vector<GpuName> names;
  std::vector<AmbiguousName> ambiguous;

  Lookup() {
    for (const GpuRecord& record : shipped().gpus) {
      gpus.push_back(record.gpu);
    }
    names = build_gpu_names(shipped().gpus, texts);
    ambiguous = build_ambiguous_names(shipped().ambiguous, shipped().gpus, texts);
  }

  std::set<std::string_view> ids(std::string_view text) const {
    std::set<std::string_view> found;
    for (const std::uint32_t gpu : resolve_gpu(text, names, gpus, ambiguous).gpus) {
      found.insert(gpus[gpu].id);
    }
    return found;
  }
};

using Ids = std::set<std::string_view>;

}  // namespace

TEST_CASE("every GPU and price file lints clean") {
  const auto ids = gpu_ids();
  for (const std::string_view folder : {"gpus", "prices"}) {
    for (const auto& file : data_test::json_files(data_test::data_dir() / folder)) {
      INFO(file.string());
      const auto findings = lint_text(read_text_file(file.string()), file.string(), {ids, {}});
      INFO(first_message(findings));
      CHECK(findings.empty());
    }
  }
}

TEST_CASE("names are unique across all files") {
  CHECK(first_message(lint_gpus(shipped().gpus)).empty());
}

TEST_CASE("an exception from a lint rule is about a card that needs it") {
  std::map<std::string_view, Gpu> cards;
  for (const GpuRecord& record : shipped().gpus) {
    cards[record.gpu.id] = record.gpu;
  }
  for (const auto& [id, rule] : {std::pair("a10g", "gpu-tensor-rate"), std::pair("l20", "gpu-tensor-rate"),
                                 std::pair("l40", "gpu-tensor-rate"), std::pair("rubin-r200", "gpu-rate-ratio")}) {
    INFO(id);
    CHECK_FALSE(lint_exception(id, rule).empty());
    // Under another id the same figures are found.
    GpuRecord other{cards.at(id), {}, {}, {}};
    other.gpu.id = "another-card";
    const auto findings = lint_gpus(std::vector<GpuRecord>{other});
    CHECK(std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) { return finding.rule == rule; }));
  }
  CHECK(lint_exception("rtx-4090", "gpu-tensor-rate").empty());
}

TEST_CASE("every id, name, alias and driver name leads to its card") {
  const Lookup lookup;
  for (const GpuRecord& record : shipped().gpus) {
    std::vector<std::string_view> texts = {record.gpu.id, record.gpu.name};
    texts.insert(texts.end(), record.aliases.begin(), record.aliases.end());
    texts.insert(texts.end(), record.driver_names.begin(), record.driver_names.end());
    for (const std::string_view text : texts) {
      INFO(std::string(text));
      CHECK(lookup.ids(text) == Ids{record.gpu.id});
    }
  }
}

TEST_CASE("every ambiguous name leads to its variants") {
  const Lookup lookup;
  REQUIRE(shipped().ambiguous.size() >= 48);
  for (const AmbiguousRecord& row : shipped().ambiguous) {
    INFO(std::string(row.name));
    CHECK(lookup.ids(row.name) == Ids(row.gpus.begin(), row.gpus.end()));
  }
}

TEST_CASE("names as people, drivers and shops write them") {
  const Lookup lookup;
  CHECK(lookup.ids("rtx4090") == Ids{"rtx-4090"});
  CHECK(lookup.ids("NVIDIA GeForce RTX 4070 Ti SUPER") == Ids{"rtx-4070-ti-super"});
  CHECK(lookup.ids("RTX 4060 Ti 16G") == Ids{"rtx-4060-ti-16gb"});
  CHECK(lookup.ids("NVIDIA A100-SXM4-40GB") == Ids{"a100-40gb-sxm"});
  CHECK(lookup.ids("NVIDIA A100 80GB PCIe") == Ids{"a100-80gb-pcie"});
  CHECK(lookup.ids("NVIDIA H100 80GB HBM3") == Ids{"h100-80gb-sxm"});
  CHECK(lookup.ids("Tesla V100-PCIE-32GB") == Ids{"v100-pcie-32gb"});
  CHECK(lookup.ids("Tesla T4") == Ids{"t4"});
  CHECK(lookup.ids("NVIDIA RTX 6000 Ada Generation") == Ids{"rtx-6000-ada"});
  CHECK(lookup.ids("AMD Instinct MI300X OAM") == Ids{"mi300x"});
  CHECK(lookup.ids("AMD Radeon RX 7900 XTX") == Ids{"rx-7900-xtx"});
  CHECK(lookup.ids("Intel(R) Arc(TM) B580 Graphics") == Ids{"arc-b580"});
  CHECK(lookup.ids("Apple M2 Ultra") == Ids{"apple-m2-ultra-76core"});
  CHECK(lookup.ids("RTX 6000").size() == 6);
  CHECK(lookup.ids("A100") == Ids{"a100-40gb-sxm", "a100-40gb-pcie", "a100-80gb-sxm", "a100-80gb-pcie"});
  CHECK(lookup.ids("RTX 4070 laptop") == Ids{"rtx-4070-laptop"});
  CHECK(lookup.ids("resnet50").empty());
}

TEST_CASE("prices in force: one of a card and kind, none of the doubtful ones") {
  std::set<std::pair<std::string_view, PriceKind>> seen;
  for (const Price& price : shipped().prices) {
    INFO(std::string(price.gpu_id));
    CHECK(seen.emplace(price.gpu_id, price.kind).second);
  }
  const std::string current = read_text_file((data_test::data_dir() / "prices/current.json").string());
  CHECK(current.find("left_out") == std::string::npos);
  const std::string cloud = read_text_file((data_test::data_dir() / "prices/cloud.json").string());
  CHECK(cloud.find("left_out") == std::string::npos);
  CHECK(cloud.find("98.32") != std::string::npos);  // Azure's eight H100: dear, but real
  for (const CloudOffer& offer : shipped().offers) {
    INFO(std::string(offer.gpu_id) + " " + std::string(offer.provider) + " " + std::string(offer.instance));
    CHECK_FALSE((offer.gpu_id == "h100-80gb-sxm" && offer.kind == "on-demand" && offer.usd_per_gpu_hour < 1.0));
    CHECK_FALSE((offer.gpu_id == "mi300x" && offer.usd_per_gpu_hour < 0.6));
    CHECK_FALSE((offer.provider == "aws" && offer.instance == "p5.48xlarge" && offer.usd_per_gpu_hour > 12.0));
  }
}
