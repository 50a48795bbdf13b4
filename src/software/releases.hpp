// What data/software says: PyTorch releases and their builds, CUDA and drivers, libraries, ROCm, XPU and MPS.
#pragma once

#include <gpuadvise/gpu.hpp>

#include "software/version.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::software {

// What a wheel runs on: compute capabilities times ten. Empty code: there is no such wheel.
struct Kernels {
  std::vector<int> code;
  std::vector<int> ptx;
};

struct Build {
  std::string name;  // "cu128"
  Version cuda;
  Kernels linux;
  Kernels windows;
  Kernels aarch64;
  std::string cudnn;
  std::string confidence;
  std::string note;
  std::string source;
};

struct Release {
  std::string version;
  Version number;
  std::string released;
  std::string newest_patch;
  Version python_from;
  Version python_to;
  std::string python_note;
  std::string torchvision;
  std::string torchaudio;
  std::string default_build;  // what pip installs on Linux when no index is named
  bool xpu = false;
  bool mps = false;
  bool conda = false;
  std::string note;
  std::vector<Build> builds;
};

struct RocmWheel {
  Version torch_from;
  Version torch_to;
  Version rocm;
  std::string rocm_text;
  std::vector<std::string> gfx;
  std::string confidence;
  std::string source;
};

struct GfxOverride {
  std::vector<std::string> gfx;
  std::string value;
  std::string serves_as;
  std::string note;
};

struct CudaMajor {
  int major = 0;
  std::string driver_linux;
  std::string driver_windows;
  std::string source;
};

// From when to when NVIDIA's drivers and toolkits serve capabilities from..to (times ten).
struct ArchitectureSpan {
  int from = 0;
  int to = 0;
  std::optional<Version> first_driver;
  std::optional<Version> last_branch;
  std::string last_toolkit;
};

struct Toolkit {
  Version version;
  std::string driver_linux;
  std::string driver_windows;
  int from = 0;  // capabilities it compiles for, times ten
  int to = 0;
};

struct DriverBranch {
  int branch = 0;
  std::string cuda;  // what nvidia-smi shows
  std::string kind;
  std::string support_ends;
  bool ended = false;
};

struct Library {
  std::string id;
  std::string name;
  std::vector<std::string> also;
  int capability_from = 0;
  std::optional<int> capability_to;
  std::optional<Version> torch_from;
  std::vector<std::string> os;  // empty: any
  std::vector<std::string> vendors;
  std::string note;
  std::string confidence;
  std::string source;
};

struct Facts {
  std::vector<Release> releases;  // oldest first
  std::vector<CudaMajor> majors;
  std::vector<ArchitectureSpan> architectures;
  std::vector<Toolkit> toolkits;
  std::vector<DriverBranch> branches;
  std::vector<Library> libraries;
  std::vector<RocmWheel> rocm;
  std::vector<GfxOverride> overrides;
  std::vector<std::string> amd_linux;  // gfx targets that AMD's own wheels serve
  std::vector<std::string> amd_windows;
  std::string amd_index;
  Kernels conda_forge;  // one package of CUDA 12
  std::string conda_forge_to;
  std::vector<std::string> arm_hosts;  // ids of cards that sit beside an Arm processor begin so
};

// Reads the four files. Throws Error{bad_data}.
struct FactTexts {
  std::string_view releases;
  std::string_view cuda;
  std::string_view platforms;
  std::string_view libraries;
};
inline constexpr std::array<std::string_view, 4> k_fact_files{"releases.json", "cuda.json", "platforms.json", "libraries.json"};
[[nodiscard]] Facts read_facts(const FactTexts& texts);
// The rows that one file holds, in its order. Throws Error{bad_data}.
[[nodiscard]] Facts read_rows(std::string_view text, const std::string& file);
// Lays rows over facts: a row of the same version, branch or id replaces. Returns what was laid, "2 PyTorch releases"; empty: nothing.
[[nodiscard]] std::string lay_over(Facts& base, Facts&& extra);

// Those compiled in, read once.
[[nodiscard]] const Facts& facts();

// A file of data/software as compiled in. Throws Error{internal} when it is missing.
[[nodiscard]] std::string_view builtin_software_file(std::string_view name);

[[nodiscard]] const Library* find_library(const Facts& facts, std::string_view name);
[[nodiscard]] const ArchitectureSpan* span_of(const Facts& facts, int capability);

// The wheel's machine code runs on the same major with at least its minor; NVIDIA promises this within a major only.
[[nodiscard]] bool runs_code(const Kernels& kernels, int capability);
// PTX of an old level is not counted: torch warns about it and users report failures; from Blackwell on it is.
[[nodiscard]] bool runs_ptx(const Kernels& kernels, int capability);

// 86 -> "8.6", "sm_86"
[[nodiscard]] std::string capability_text(int capability);

}  // namespace gpuadvise::software
