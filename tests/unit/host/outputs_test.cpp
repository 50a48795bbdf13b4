// Several outputs of one machine.
#include <gpuadvise/error.hpp>

#include "catch.hpp"
#include "host/machine.hpp"

#include <string>

using namespace gpuadvise;
using namespace gpuadvise::host;

namespace {

Machine read(const std::string& text) {
  return read_machine(text, "test");
}

const std::string k_csv =
    "index, name, memory.total [MiB], memory.used [MiB], driver_version\n"
    "0, NVIDIA GeForce RTX 3090, 24576 MiB, 300 MiB, 550.90.07\n"
    "1, NVIDIA GeForce RTX 3090, 24576 MiB, 0 MiB, 550.90.07\n";
const std::string k_list = "GPU 0: NVIDIA GeForce RTX 3090 (UUID: GPU-1)\nGPU 1: NVIDIA GeForce RTX 3090 (UUID: GPU-2)\n";
const std::string k_env =
    "PyTorch version: 2.5.1+cu124\nPython version: 3.11.9\nGPU models and configuration: GPU 0: NVIDIA GeForce RTX 3090\n"
    "GPU 1: NVIDIA GeForce RTX 3090\nNvidia driver version: 550.90.07\n";
const std::string k_amd = R"x({"card0": {"Card Series": "AMD Radeon RX 7900 XTX", "VRAM Total Memory (B)": "25753026560"}})x";

}  // namespace

TEST_CASE("outputs of the same tool and of torch add to each other") {
  Machine machine = read(k_list);
  add_output(machine, read(k_csv), "csv");
  add_output(machine, read(k_env), "env");
  REQUIRE(machine.gpus.size() == 2);
  CHECK(machine.gpus[0].used_bytes.has_value());
  CHECK(machine.driver == "550.90.07");
  CHECK(machine.torch == "2.5.1+cu124");
  CHECK_THAT(machine.source, ContainsSubstring(" and "));
}

TEST_CASE("another maker's GPUs are numbered on") {
  Machine machine = read(k_csv);
  add_output(machine, read(k_amd), "amd");
  REQUIRE(machine.gpus.size() == 3);
  CHECK(machine.gpus[2].index == 2);
  CHECK(machine.gpus[1].name == "NVIDIA GeForce RTX 3090");
  CHECK(machine.gpus[2].name.find("7900") != std::string::npos);
}

TEST_CASE("outputs of two machines are refused, cut and older names are not") {
  Machine machine = read(k_csv);
  CHECK_THROWS_AS(add_output(machine, read("GPU 0: NVIDIA A100-SXM4-80GB (UUID: GPU-1)\n"), "other"), Error);
  Machine old = read("GPU 0: GeForce RTX 3090 (UUID: GPU-1)\n");
  add_output(old, read(k_csv), "csv");
  CHECK(old.gpus.size() == 2);
}
