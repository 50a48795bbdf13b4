#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "catalog/data_reader.hpp"
#include "catch.hpp"
#include "host/lines.hpp"
#include "host/resolve.hpp"

#include <string>

namespace gpuadvise::host {
namespace {

const catalog::Catalog& all_cards() {
  static const catalog::Catalog catalog({});
  return catalog;
}

std::string recorded(const std::string& name) {
  return catalog::read_text_file(std::string(GPUADVISE_SOURCE_DIR) + "/tests/data/host/" + name);
}

Machine machine_of(const std::string& name) {
  Machine machine = read_machine(recorded(name), name);
  resolve(machine, all_cards());
  return machine;
}

std::string card(const HostGpu& gpu) {
  return gpu.card != nullptr ? std::string(gpu.card->id) : gpu.integrated ? "integrated" : gpu.possible.empty() ? "?" : "several";
}

double mib(const std::optional<double>& bytes) {
  return bytes.value_or(-k_mib) / k_mib;
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(read_machine(text, "saved"));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::bad_data);
    return error.message();
  }
  return "read";
}

TEST_CASE("every recorded output names its cards, memory and driver") {
  struct Row {
    const char* file;
    std::size_t gpus;
    const char* card;  // of the first GPU
    double total_mib;
    double free_mib;
    const char* driver;
  };
  for (const Row& row : {
           Row{"mixed.csv", 3, "rtx-3090", 24576, 23200, "550.90.07"},
           Row{"vgpu.csv", 2, "t4", 8192, 7580, "535.161.08"},
           Row{"unified.txt", 1, "dgx-spark-gb10", -1, -1, "580.95.05"},
           Row{"windows-laptop.txt", 2, "several", 6144, 5732, "512.15"},
           Row{"mig-list.txt", 2, "a100-80gb-sxm", -1, -1, ""},
           Row{"mig.xml", 2, "a100-80gb-sxm", 81920, 81232, "550.54.15"},
           Row{"topology.txt", 2, "?", -1, -1, ""},
           Row{"rocm-smi.json", 2, "rx-7900-xtx", 24560, 24534, "6.8.0-45-generic"},
           Row{"rocm-smi-lines.txt", 1, "mi210", 65520.0, 65508.87, ""},
           Row{"rocm-smi-concise.txt", 1, "mi100", -1, -1, ""},
           Row{"amd-smi.json", 1, "mi300x", 196288, -1, ""},
           Row{"amd-smi.txt", 1, "rx-7900-xtx", 24560, -1, ""},
           Row{"xpu-smi.txt", 2, "intel-max-1100", -1, -1, ""},
           Row{"xpu-smi.json", 1, "arc-a770-16gb", 16288, -1, ""},
           Row{"systeminformation.json", 1, "rtx-4070-laptop", 8188, 7522, "551.61"},
           Row{"collect-env.txt", 2, "a100-40gb-sxm", -1, -1, "550.54.15"},
       }) {
    INFO(row.file);
    const Machine machine = machine_of(row.file);
    REQUIRE(machine.gpus.size() == row.gpus);
    const HostGpu& first = machine.gpus.front();
    CHECK(card(first) == row.card);
    CHECK(mib(first.total_bytes) == Approx(row.total_mib).epsilon(1e-3));
    CHECK(mib(first.free_bytes) == Approx(row.free_mib).epsilon(1e-3));
    CHECK(machine.driver == row.driver);
  }
}

TEST_CASE("a card with another memory than it is sold with keeps what was seen") {
  const HostGpu modded = machine_of("mixed.csv").gpus[1];
  CHECK(card(modded) == "rtx-2080-ti");
  CHECK(mib(modded.total_bytes) == 22528);
  REQUIRE(modded.notes.size() == 1);
  CHECK(modded.notes.front() == "memory as seen: 22.0 GiB; the card is sold with 11.0 GiB");
}

TEST_CASE("a nameless card is found by its PCI id") {
  CHECK(card(machine_of("mig.xml").gpus[1]) == "rtx-4090");
}

TEST_CASE("laptop parts are told from cards by their name") {
  CHECK(card(machine_of("mig-list.txt").gpus[1]) == "rtx-4090-laptop");
}

TEST_CASE("compute instances share the memory of one slice") {
  const auto listed = machine_of("mig-list.txt").gpus.front().mig;
  REQUIRE(listed.size() == 2);
  CHECK(listed[0].profile == "4g.40gb");
  CHECK(listed[1].profile == "3g.40gb");
  const auto sized = machine_of("mig.xml").gpus.front().mig;
  REQUIRE(sized.size() == 2);
  CHECK(mib(sized[0].total_bytes) == 40192);
  CHECK(sized[0].sm_count == 56.0);
  CHECK(mib(sized[1].used_bytes) == 20000);
}

TEST_CASE("a list of profiles and the memory of the same slices come together") {
  Machine machine = machine_of("mig.xml");
  merge(machine, machine_of("mig-list.txt"));
  const auto& slices = machine.gpus.front().mig;
  REQUIRE(slices.size() == 2);
  CHECK(slices[0].profile == "4g.40gb");
  CHECK(mib(slices[0].total_bytes) == 40192);
}

TEST_CASE("virtual GPUs have the memory of their profile") {
  const Machine machine = machine_of("vgpu.csv");
  CHECK(machine.gpus[0].vgpu_profile == "8q");
  CHECK(mib(machine.gpus[0].total_bytes) == 8192);
  CHECK(card(machine.gpus[1]) == "a40");
}

TEST_CASE("graphics of the processor are no card") {
  const Machine machine = machine_of("rocm-smi.json");
  CHECK(card(machine.gpus[1]) == "integrated");
}

TEST_CASE("a name cut short leaves the cards of that memory") {
  const HostGpu cut = machine_of("windows-laptop.txt").gpus.front();
  CHECK(cut.drives_display == true);
  CHECK(cut.possible.size() > 3);
  for (const Gpu* each : cut.possible) {
    INFO(each->id);
    CHECK(each->memory_gib == Approx(6.0).epsilon(0.05));
  }
  HostGpu volta;
  volta.name = "Tesla V100-SXM2...";
  volta.total_bytes = 32510 * k_mib;
  resolve(volta, all_cards());
  CHECK(card(volta) == "v100-sxm2-32gb");
}

TEST_CASE("a name that the catalog lacks is not taken for its neighbour") {
  for (const char* name : {"GeForce GTX 780", "Quadro P400", "Graphics Device", "NVIDIA Imaginary 9000"}) {
    INFO(name);
    HostGpu gpu;
    gpu.name = name;
    resolve(gpu, all_cards());
    CHECK(card(gpu) == "?");
  }
}

TEST_CASE("links of the topology") {
  const Machine machine = machine_of("topology.txt");
  REQUIRE(machine.links.size() == 1);
  CHECK(machine.links.front().from == 0);
  CHECK(machine.links.front().to == 1);
  CHECK(machine.links.front().kind == "NV4");
}

TEST_CASE("memory in use comes from a second output") {
  Machine machine = machine_of("amd-smi.json");
  merge(machine, machine_of("amd-smi-memory.json"));
  REQUIRE(machine.gpus.size() == 1);
  CHECK(mib(machine.gpus.front().free_bytes) == 196003);
  CHECK(mib(machine.gpus.front().total_bytes) == 196288);
}

TEST_CASE("UTF-16 and a byte order mark are read like plain text") {
  const std::string plain = recorded("mixed.csv");
  std::string wide = "\xFF\xFE";
  for (const char c : plain) {
    wide += c;
    wide += '\0';
  }
  CHECK(read_machine(wide, "wide").gpus.size() == 3);
  CHECK(read_machine("\xEF\xBB\xBF" + plain, "marked").gpus.size() == 3);
}

TEST_CASE("what is no output of a tool is refused with the reason") {
  CHECK(refusal("") == "it is empty");
  CHECK(refusal("  \n\t\n") == "it is empty");
  CHECK(refusal("once upon a time") == "not the output of a tool that lists GPUs");
  CHECK(refusal("<html></html>") == "an XML file with the root <html>, not nvidia-smi's");
  CHECK(refusal("{\"a\": 1}") == "JSON, but of no tool that lists GPUs");
  CHECK(refusal("[1, 2]") == "JSON, but of no tool that lists GPUs");
  CHECK_THAT(refusal("{\"card0\": "), ContainsSubstring("not valid JSON"));
  CHECK_THAT(refusal(recorded("failed.txt")), ContainsSubstring("the tool itself saw no GPU"));
  CHECK_THAT(refusal("No devices were found\n"), ContainsSubstring("the tool itself saw no GPU"));
  CHECK_THAT(refusal("<nvidia_smi_log></nvidia_smi_log>"), ContainsSubstring("no GPU is in it"));
  CHECK_THAT(refusal("index, name, memory.total [MiB]\n"), ContainsSubstring("no GPU is in it"));
  CHECK_THAT(refusal("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"), ContainsSubstring("names no GPU"));
}

TEST_CASE("broken and hostile files end in a refusal") {
  CHECK(refusal(recorded("cut.csv")) == "3 cells under 4 headers: the file is cut off or mixed");
  CHECK_THAT(refusal(recorded("cut.xml")), ContainsSubstring("not valid XML"));
  CHECK_THAT(refusal(recorded("entities.xml")), ContainsSubstring("definitions of its own"));
  std::string deep;
  for (int i = 0; i < 10000; ++i) {
    deep += "<a>";
  }
  CHECK_THAT(refusal(deep), ContainsSubstring("nested deeper"));
  CHECK_THAT(refusal(std::string(100000, '[')), ContainsSubstring("nested deeper"));
  std::string many = "index, name\n";
  for (int i = 0; i < 300; ++i) {
    many += std::to_string(i) + ", NVIDIA L4\n";
  }
  CHECK_THAT(refusal(many), ContainsSubstring("more than 256 GPUs"));
  CHECK_THAT(refusal("<nvidia_smi_log><gpu id=\"1\"></gpu></nvidia_smi_log><more/>"), ContainsSubstring("something follows"));
}

TEST_CASE("control characters of a name do not reach a terminal") {
  const Machine machine = read_machine("GPU 0: NVIDIA \x07L4\x1B[2J (UUID: GPU-0)\n", "saved");
  CHECK(machine.gpus.front().name == "NVIDIA ?L4");
}

TEST_CASE("amounts") {
  CHECK(parse_amount("81559 MiB", k_mib) == 81559 * k_mib);
  CHECK(parse_amount("15473MB", k_mib) == 15473 * k_mib);
  CHECK(parse_amount("24576", k_mib) == 24576 * k_mib);
  CHECK(parse_amount("34342961152", 1.0) == 34342961152.0);
  for (const char* bad : {"", "[N/A]", "-3 MiB", "1e400", "inf", "nan", "12 parsecs", "MiB"}) {
    INFO(bad);
    CHECK_FALSE(parse_amount(bad, k_mib).has_value());
  }
}

TEST_CASE("device ids") {
  CHECK(device_id("0x268410DE") == "0x2684");
  CHECK(device_id("268410de") == "0x2684");
  CHECK(device_id("0x744C") == "0x744c");
  CHECK(device_id("66a1") == "0x66a1");
  CHECK(device_id("N/A").empty());
  CHECK(device_id("0x12345").empty());
}

TEST_CASE("MIG profiles") {
  const auto profile = parse_mig_profile("3g.40gb");
  REQUIRE(profile.has_value());
  CHECK(profile->parts == 3);
  CHECK(profile->memory_gib == 40);
  CHECK(parse_mig_profile("1g.10gb+me").has_value());
  for (const char* bad : {"", "g.gb", "9g.40gb", "3g.", "40gb", "3g.xgb"}) {
    INFO(bad);
    CHECK_FALSE(parse_mig_profile(bad).has_value());
  }
}

}  // namespace
}  // namespace gpuadvise::host
