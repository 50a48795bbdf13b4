#include <gpuadvise/units.hpp>

#include "report/grid.hpp"
#include "report/host.hpp"

#include <fmt/format.h>

#include <utility>

namespace gpuadvise::report {
namespace {

std::string gib(const std::optional<double>& bytes) {
  return bytes ? fmt::format("{:.1f}", *bytes / k_gib) : "-";
}

std::optional<double> free_of(const host::MigSlice& slice) {
  return slice.total_bytes && slice.used_bytes ? std::optional<double>(*slice.total_bytes - *slice.used_bytes) : std::nullopt;
}

std::string card_of(const host::HostGpu& gpu) {
  if (gpu.card != nullptr) {
    return std::string(gpu.card->id);
  }
  if (!gpu.possible.empty()) {
    return fmt::format("one of {}", gpu.possible.size());
  }
  return gpu.integrated ? "processor's" : "not in the catalog";
}

std::string below(const host::HostGpu& gpu) {
  std::string text;
  const auto add = [&text](std::string_view words) { text += (text.empty() ? "" : "; ") + std::string(words); };
  if (!gpu.possible.empty()) {
    std::string ids;
    for (const Gpu* card : gpu.possible) {
      ids += (ids.empty() ? "" : ", ") + std::string(card->id);
    }
    add("may be " + ids);
  }
  for (const std::string& note : gpu.notes) {
    add(note);
  }
  return text;
}

std::string printed_name(const host::HostGpu& gpu) {
  return !gpu.name.empty() ? gpu.name : !gpu.pci_device_id.empty() ? "PCI " + gpu.pci_device_id : "-";
}

std::string headline(const host::Machine& machine) {
  std::string text = fmt::format("{} GPU{}, by {}", machine.gpus.size(), machine.gpus.size() == 1 ? "" : "s", machine.source);
  for (const auto& [label, value] : {std::pair<std::string_view, std::string_view>("driver", machine.driver),
                                     {"CUDA", machine.cuda},
                                     {"ROCm", machine.rocm},
                                     {"PyTorch", machine.torch},
                                     {"Python", machine.python},
                                     {"", machine.os}}) {
    if (!value.empty()) {
      text += fmt::format("; {}{}{}", label, label.empty() ? "" : " ", value);
    }
  }
  return text;
}

Grid grid_of(const host::Machine& machine) {
  Grid grid;
  grid.columns = {
      {"GPU", Align::left}, {"card", Align::left}, {"memory GiB", Align::right}, {"free GiB", Align::right}, {"printed as", Align::left}};
  for (const host::HostGpu& gpu : machine.gpus) {
    const Tone tone = gpu.card != nullptr ? Tone::strong : Tone::careful;
    grid.rows.push_back({{{std::to_string(gpu.index), Tone::plain},
                          {card_of(gpu), tone},
                          {gib(gpu.total_bytes), Tone::plain},
                          {gib(gpu.free_bytes), Tone::plain},
                          {printed_name(gpu), Tone::plain}},
                         below(gpu)});
    for (const host::MigSlice& slice : gpu.mig) {
      const std::string profile = "MIG " + (slice.profile.empty() ? "slice" : slice.profile);
      const std::string parts = slice.sm_count ? fmt::format("{:.0f} SM", *slice.sm_count) : "";
      grid.rows.push_back({{{"", Tone::plain},
                            {profile, Tone::plain},
                            {gib(slice.total_bytes), Tone::plain},
                            {gib(free_of(slice)), Tone::plain},
                            {parts, Tone::plain}},
                           {}});
    }
  }
  return grid;
}

}  // namespace

std::string host_text(const host::Machine& machine, const TextStyle& style) {
  std::string text = wrap(headline(machine), style.width) + "\n" + render_grid(grid_of(machine), style);
  for (const host::Link& link : machine.links) {
    text += fmt::format("GPU {} - GPU {}: {}\n", link.from, link.to, link.kind);
  }
  for (const std::string& note : machine.notes) {
    text += wrap("note: " + note, style.width);
  }
  return text;
}

}  // namespace gpuadvise::report
