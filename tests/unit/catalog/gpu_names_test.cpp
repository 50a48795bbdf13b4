#include "catalog/gpu_names.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/gpu_name_words.hpp"
#include "catch.hpp"

#include <string>
#include <vector>

using namespace gpuadvise;
using namespace gpuadvise::catalog;

namespace {

GpuRecord card(std::string_view id, std::string_view name, double memory_gib, std::vector<std::string_view> aliases = {},
               Segment segment = Segment::consumer) {
  GpuRecord record;
  record.gpu.id = id;
  record.gpu.name = name;
  record.gpu.memory_gib = memory_gib;
  record.gpu.memory_bandwidth_gb_s = 500;
  record.gpu.segment = segment;
  record.aliases = std::move(aliases);
  return record;
}

// A small catalog with every kind of trouble.
struct Shelf {
  std::vector<GpuRecord> records;
  std::vector<Gpu> gpus;
  TextPool texts;
  std::vector<GpuName> names;
  std::vector<AmbiguousName> ambiguous;

  Shelf() {
    records = {card("rtx-4090", "NVIDIA GeForce RTX 4090", 24, {"RTX 4090"}),
               card("rtx-4090-laptop", "NVIDIA GeForce RTX 4090 Laptop GPU", 16, {"RTX 4090 Mobile"}, Segment::laptop),
               card("rtx-2050-laptop", "NVIDIA GeForce RTX 2050 Laptop GPU", 4, {}, Segment::laptop),
               card("rtx-3060-12gb", "NVIDIA GeForce RTX 3060 12 GB", 12),
               card("rtx-3060-8gb", "NVIDIA GeForce RTX 3060 8 GB", 8),
               card("h200-141gb-sxm", "NVIDIA H200 SXM 141 GB", 141, {}, Segment::datacenter),
               card("h200-nvl-141gb", "NVIDIA H200 NVL 141 GB", 141, {}, Segment::datacenter),
               card("quadro-rtx-6000", "NVIDIA Quadro RTX 6000", 24, {}, Segment::workstation),
               card("rtx-6000-ada", "NVIDIA RTX 6000 Ada Generation", 48, {}, Segment::workstation),
               card("rx-6600", "AMD Radeon RX 6600", 8, {"RX 6600"}),
               card("rx-7900-xtx", "AMD Radeon RX 7900 XTX", 24, {"RX 7900 XTX"}),
               card("rx-7900m", "AMD Radeon RX 7900M", 16, {"RX 7900M"}, Segment::laptop),
               card("tesla-p40", "NVIDIA Tesla P40", 24, {}, Segment::datacenter)};
    records[5].driver_names = {"NVIDIA H200"};
    records[0].pci_device_ids = {"0x2684"};
    records[10].pci_device_ids = {"0x744c"};
    records[11].pci_device_ids = {"0x744c"};
    records[5].gpu.form_factor = FormFactor::sxm;
    for (const GpuRecord& record : records) {
      gpus.push_back(record.gpu);
    }
    names = build_gpu_names(records, texts);
    const std::vector<AmbiguousRecord> rows = {{"H200", {"h200-141gb-sxm", "h200-nvl-141gb"}, "SXM or NVL"},
                                               {"3060", {"rtx-3060-12gb", "rtx-3060-8gb"}, "12 or 8 GB"},
                                               {"RTX 6000", {"rtx-6000-ada", "quadro-rtx-6000"}, "24 or 48 GB"}};
    ambiguous = build_ambiguous_names(rows, records, texts);
  }

  GpuLookup look(std::string_view text) const { return resolve_gpu(text, names, gpus, ambiguous); }

  std::string ids(std::string_view text) const {
    std::string list;
    for (const std::uint32_t gpu : look(text).gpus) {
      list += (list.empty() ? "" : " ") + std::string(gpus[gpu].id);
    }
    return list;
  }
};

}  // namespace

TEST_CASE("GPU names are normalised to words") {
  CHECK(normalise_gpu_name("NVIDIA GeForce RTX 4090") == "nvidia geforce rtx 4090");
  CHECK(normalise_gpu_name("rtx4090") == "rtx 4090");
  CHECK(normalise_gpu_name("RTX4070TiSUPER") == "rtx 4070 ti super");
  CHECK(normalise_gpu_name("gtx1080ti") == "gtx 1080 ti");
  CHECK(normalise_gpu_name("RX7900XTX") == "rx 7900 xtx");
  CHECK(normalise_gpu_name("A100-80G") == "a100 80gb");
  CHECK(normalise_gpu_name("A100 80 GB") == "a100 80gb");
  CHECK(normalise_gpu_name("A100-SXM4-80GiB") == "a100 sxm 80gb");
  CHECK(normalise_gpu_name("GeForce RTX 3080 Mobile") == normalise_gpu_name("GeForce RTX 3080 Laptop GPU"));
  CHECK(normalise_gpu_name("RTX PRO 6000 Max-Q") == "rtx pro 6000 maxq");
  CHECK(normalise_gpu_name("Intel(R) Arc(TM) A770 Graphics") == "intel arc a770");
  CHECK(normalise_gpu_name("m4max") == "m4 max");
  CHECK(normalise_gpu_name("  --  ").empty());
}

TEST_CASE("a brief name leaves maker and brand out") {
  CHECK(brief_gpu_name("nvidia geforce rtx 4090") == "4090");
  CHECK(brief_gpu_name("nvidia tesla p40") == "p40");
  CHECK(brief_gpu_name("radeon") == "radeon");
}

TEST_CASE("PCI device ids are read in the forms of the tools") {
  CHECK(pci_device_id("0x2684") == "0x2684");
  CHECK(pci_device_id("10DE:2684") == "0x2684");
  CHECK(pci_device_id("0X744C") == "0x744c");
  CHECK_FALSE(pci_device_id("a100-80gb").has_value());
  CHECK_FALSE(pci_device_id("2684").has_value());
}

TEST_CASE("an exact id, name, alias, driver name or PCI id is one card") {
  const Shelf shelf;
  CHECK(shelf.ids("rtx-4090") == "rtx-4090");
  CHECK(shelf.ids("RTX_4090") == "rtx-4090");
  CHECK(shelf.ids("nvidia geforce rtx 4090") == "rtx-4090");
  CHECK(shelf.ids("0x2684") == "rtx-4090");
  CHECK(shelf.ids("10de:2684") == "rtx-4090");
  CHECK(shelf.ids("NVIDIA H200") == "h200-141gb-sxm");
  CHECK(shelf.ids("P40") == "tesla-p40");
  CHECK(shelf.ids("4090") == "rtx-4090");
  CHECK(shelf.ids("RTX 4090 24GB") == "rtx-4090");
}

TEST_CASE("an ambiguous name means all its variants") {
  const Shelf shelf;
  CHECK(shelf.ids("h200") == "h200-141gb-sxm h200-nvl-141gb");
  CHECK(shelf.look("h200").hint == "SXM or NVL");
  CHECK(shelf.ids("rtx-3060") == "rtx-3060-12gb rtx-3060-8gb");
  CHECK(shelf.ids("RTX 6000") == "rtx-6000-ada quadro-rtx-6000");
  CHECK(shelf.look("0x744c").gpus.size() == 2);

  SECTION("a further word decides") {
    CHECK(shelf.ids("3060 8G") == "rtx-3060-8gb");
    CHECK(shelf.ids("H200 NVL") == "h200-nvl-141gb");
    CHECK(shelf.ids("H200 SXM5") == "h200-141gb-sxm");
    CHECK(shelf.ids("RTX 6000 48 GB") == "rtx-6000-ada");
    CHECK(shelf.ids("Quadro 6000") == "quadro-rtx-6000");
    CHECK(shelf.look("Quadro 6000").hint.empty());
  }
}

TEST_CASE("laptop parts answer only when the text says laptop") {
  const Shelf shelf;
  CHECK(shelf.ids("RTX 4090 laptop") == "rtx-4090-laptop");
  CHECK(shelf.ids("4090 mobile") == "rtx-4090-laptop");
  CHECK(shelf.ids("RX 7900M") == "rx-7900m");
  CHECK(shelf.ids("RTX 2050").empty());
  CHECK(shelf.look("RTX 2050").suggestions == std::vector<std::string_view>{"rtx-2050-laptop"});
}

TEST_CASE("an unknown name gets suggestions, and no wrong card") {
  const Shelf shelf;
  const GpuLookup typo = shelf.look("RTX 4900");
  CHECK(typo.unknown());
  REQUIRE_FALSE(typo.suggestions.empty());
  CHECK(typo.suggestions.front() == "rtx-4090");
  CHECK(shelf.look("RTX 6600").unknown());  // the RX 6600 is another maker's
  CHECK(shelf.look("RTX 4090 48GB").unknown());
  CHECK(shelf.look("NVIDIA").unknown());
  CHECK(shelf.look("24GB").unknown());
  CHECK(shelf.look("").unknown());
}

TEST_CASE("an ambiguous name must list cards") {
  const Shelf shelf;
  TextPool texts;
  const std::vector<AmbiguousRecord> rows = {{"B60", {"rtx-4090", "no-such-card"}, ""}};
  CHECK_THROWS_AS(build_ambiguous_names(rows, shelf.records, texts), Error);
}
