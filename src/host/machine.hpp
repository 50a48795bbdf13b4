// A machine's GPUs as a vendor's tool, or a saved output of one, prints them.
#pragma once

#include <gpuadvise/gpu.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::host {

// Part of a GPU that MIG sets aside: a GPU instance. Compute instances that share one memory are one slice.
struct MigSlice {
  int instance = -1;    // the GPU instance's number; -1 where the tool prints none
  std::string profile;  // "3g.40gb"; may be empty
  std::optional<double> total_bytes;
  std::optional<double> used_bytes;
  std::optional<double> sm_count;
};

struct HostGpu {
  int index = 0;
  std::string name;           // as printed; empty where the tool prints none
  std::string bus_id;         // "00000000:01:00.0"
  std::string pci_device_id;  // "0x2684"; may be empty
  std::string gfx_target;     // AMD: "gfx1100"
  std::optional<double> compute_capability;
  std::optional<double> total_bytes;
  std::optional<double> used_bytes;
  std::optional<double> free_bytes;
  bool memory_refused = false;  // the tool has a place for the memory and prints N/A there
  std::optional<bool> drives_display;
  bool mig_enabled = false;
  std::vector<MigSlice> mig;

  // What the catalog makes of it (resolve.hpp).
  const Gpu* card = nullptr;
  std::vector<const Gpu*> possible;  // where several cards answer to what was printed
  std::string vgpu_profile;          // "24q"
  bool integrated = false;           // part of a processor and no card of the catalog
  std::vector<std::string> notes;
};

// How two GPUs reach each other: "NV12", "PHB", "SYS" ...
struct Link {
  int from = 0;
  int to = 0;
  std::string kind;
};

struct Machine {
  std::string source;  // the format that was read: "nvidia-smi -q -x"
  std::vector<HostGpu> gpus;
  std::vector<Link> links;
  std::string driver;
  std::string cuda;
  std::string rocm;
  std::string torch;
  std::string python;
  std::string os;
  std::vector<std::string> notes;
};

inline constexpr std::size_t k_most_gpus = 256;
inline constexpr std::size_t k_most_slices = 64;
inline constexpr std::size_t k_longest_name = 120;

// Reads any of the known formats, told by content. Throws Error{bad_data} that says why it is none of them, or what is wrong in it.
// `file` names the text in errors.
[[nodiscard]] Machine read_machine(std::string_view text, const std::string& file);

// Adds what a second output of the same machine knows: memory, MIG profiles, links. GPUs are matched by index, then by bus.
void merge(Machine& into, const Machine& more);

// GPUs of another maker, numbered on.
void append(Machine& into, Machine more);

// Adds another output: of the same tool or of torch about the same GPUs, or of another maker's tool, whose GPUs are numbered on.
// Throws Error{bad_data} when the two tell of different machines. `file` names the other in errors.
void add_output(Machine& into, Machine more, const std::string& file);

// The GPU of that index; added where there is none. Throws Error{bad_data} beyond k_most_gpus.
[[nodiscard]] HostGpu& gpu_at(Machine& machine, int index);

}  // namespace gpuadvise::host
