#include "software/builds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace gpuadvise::software {
namespace {

bool holds(const std::vector<std::string>& list, const std::string& item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool windows_driver(Os os) {
  return os == Os::windows || os == Os::wsl2;  // WSL 2 runs on the driver of Windows
}

const std::string& own_driver(const Toolkit& toolkit, Os os) {
  return windows_driver(os) ? toolkit.driver_windows : toolkit.driver_linux;
}

// The driver that came with the toolkit of this version.
std::string toolkit_driver(const Facts& facts, const Version& cuda, Os os) {
  for (const Toolkit& toolkit : facts.toolkits) {
    if (same_as_far_as_given(toolkit.version, cuda)) {
      return own_driver(toolkit, os);
    }
  }
  return {};
}

// From CUDA 11 on a driver serves every minor of its major; before, it had to be that of the toolkit.
std::string least_driver(const Facts& facts, const Version& cuda, Os os) {
  for (const CudaMajor& row : facts.majors) {
    if (row.major == cuda.parts[0]) {
      return windows_driver(os) ? row.driver_windows : row.driver_linux;
    }
  }
  return toolkit_driver(facts, cuda, os);
}

void raise(std::string& driver, const std::string& other) {
  const auto least = parse_version(driver);
  const auto more = parse_version(other);
  if (more && (!least || *more > *least)) {
    driver = other;
  }
}

void block(Candidate& candidate, Obstacle obstacle) {
  if (!candidate.blocked_by(obstacle)) {
    candidate.obstacles.push_back(obstacle);
  }
}

void weigh_card(const Facts& facts, const Question& question, const Card& card, Candidate& candidate) {
  const Kernels& kernels = kernels_of(*candidate.cuda, question.os);
  if (!card.capability || card.jetpack_only) {
    block(candidate, Obstacle::architecture);
    return;
  }
  const bool by_code = runs_code(kernels, *card.capability);
  if (!by_code && !runs_ptx(kernels, *card.capability)) {
    block(candidate, Obstacle::architecture);
  } else if (!by_code) {
    candidate.by_ptx = true;
    raise(candidate.driver, toolkit_driver(facts, candidate.cuda->cuda, question.os));
  }
  if (const ArchitectureSpan* span = span_of(facts, *card.capability); span != nullptr && span->first_driver) {
    raise(candidate.driver, span->first_driver->text());
  }
  if (question.driver && driver_drops(facts, card, *question.driver)) {
    block(candidate, Obstacle::card_driver);
  }
  const Library* cudnn = find_library(facts, "cudnn-9");
  candidate.lacks_cudnn = candidate.lacks_cudnn || (cudnn != nullptr && *card.capability < cudnn->capability_from && cudnn->torch_from &&
                                                    candidate.release->number >= *cudnn->torch_from);
}

void weigh_cuda(const Facts& facts, const Question& question, Candidate& candidate) {
  candidate.driver = least_driver(facts, candidate.cuda->cuda, question.os);
  for (const Card& card : question.cards) {
    weigh_card(facts, question, card, candidate);
  }
  const auto least = parse_version(candidate.driver);
  if (question.driver && least && !reaches(*question.driver, *least)) {
    block(candidate, Obstacle::build_driver);
  }
}

void weigh_python(const Question& question, Candidate& candidate) {
  if (question.python && !has_python(*candidate.release, *question.python)) {
    block(candidate, Obstacle::python);
  }
}

void add_cuda(const Facts& facts, const Question& question, const Release& release, std::vector<Candidate>& out) {
  for (const Build& build : release.builds) {
    if (kernels_of(build, question.os).code.empty()) {
      continue;
    }
    Candidate candidate;
    candidate.release = &release;
    candidate.build = build.name;
    candidate.cuda = &build;
    candidate.confidence = build.confidence;
    const bool pypi_has_cuda = question.os == Os::linux || question.os == Os::wsl2;  // elsewhere PyPI serves CPU wheels
    candidate.is_default = pypi_has_cuda && build.name == release.default_build;
    weigh_cuda(facts, question, candidate);
    weigh_python(question, candidate);
    out.push_back(std::move(candidate));
  }
}

// A chip without code of its own may run that of its sister when told so, under Linux.
const GfxOverride* override_for(const Facts& facts, const RocmWheel& wheel, const std::string& gfx) {
  for (const GfxOverride& row : facts.overrides) {
    if (holds(row.gfx, gfx) && holds(wheel.gfx, row.serves_as)) {
      return &row;
    }
  }
  return nullptr;
}

void add_rocm(const Facts& facts, const Question& question, const Release& release, std::vector<Candidate>& out) {
  for (const RocmWheel& wheel : facts.rocm) {
    if (release.number < wheel.torch_from || release.number > wheel.torch_to) {
      continue;
    }
    Candidate candidate;
    candidate.release = &release;
    candidate.build = "rocm" + wheel.rocm_text;
    candidate.confidence = wheel.confidence;
    for (const Card& card : question.cards) {
      if (holds(wheel.gfx, card.gfx)) {
        continue;
      }
      if (const GfxOverride* row = override_for(facts, wheel, card.gfx)) {
        candidate.gfx_override = row->value;
      } else {
        block(candidate, Obstacle::architecture);
      }
    }
    weigh_python(question, candidate);
    out.push_back(std::move(candidate));
  }
}

void add_single(const Question& question, const Release& release, const char* build, bool is_default, bool serves,
                std::vector<Candidate>& out) {
  Candidate candidate;
  candidate.release = &release;
  candidate.build = build;
  candidate.confidence = "high";
  candidate.is_default = is_default;
  if (!serves) {
    block(candidate, Obstacle::architecture);
  }
  weigh_python(question, candidate);
  out.push_back(std::move(candidate));
}

bool xpu_family(Architecture family) {
  return family == Architecture::xe_hpg || family == Architecture::xe2 || family == Architecture::xe_hpc;
}

}  // namespace

std::optional<Os> parse_os(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, Os>, 8> names{{{"linux", Os::linux},
                                                                         {"linux-aarch64", Os::aarch64},
                                                                         {"aarch64", Os::aarch64},
                                                                         {"windows", Os::windows},
                                                                         {"wsl2", Os::wsl2},
                                                                         {"wsl", Os::wsl2},
                                                                         {"macos", Os::macos},
                                                                         {"mac", Os::macos}}};
  for (const auto& [name, os] : names) {
    if (name == text) {
      return os;
    }
  }
  return std::nullopt;
}

std::string_view to_string(Os os) {
  static constexpr std::array<std::string_view, 5> names{"linux", "linux-aarch64", "windows", "wsl2", "macos"};
  return names[static_cast<std::size_t>(os)];
}

Card card_of(const Gpu& gpu, const Facts& facts) {
  Card card;
  card.name = std::string(gpu.name);
  card.vendor = gpu.vendor;
  card.family = gpu.family;
  if (gpu.compute_capability) {
    card.capability = static_cast<int>(std::lround(*gpu.compute_capability * 10));
  }
  card.gfx = std::string(gpu.gfx_target);
  card.arm_host =
      std::any_of(facts.arm_hosts.begin(), facts.arm_hosts.end(), [&](const std::string& id) { return gpu.id.starts_with(id); });
  card.jetpack_only = gpu.support.wheels.starts_with("JetPack") && gpu.support.first_torch.empty();
  card.announced = gpu.availability == Availability::announced;
  return card;
}

bool Candidate::blocked_by(Obstacle obstacle) const {
  return std::find(obstacles.begin(), obstacles.end(), obstacle) != obstacles.end();
}

const Kernels& kernels_of(const Build& build, Os os) {
  static const Kernels none;
  switch (os) {
    case Os::linux:
    case Os::wsl2:
      return build.linux;
    case Os::aarch64:
      return build.aarch64;
    case Os::windows:
      return build.windows;
    case Os::macos:
      break;
  }
  return none;
}

int branch_of(const Facts& facts, const Version& driver) {
  int newest = 0;
  for (const DriverBranch& row : facts.branches) {
    newest = row.branch <= driver.parts[0] ? std::max(newest, row.branch) : newest;
  }
  return newest;
}

bool driver_drops(const Facts& facts, const Card& card, const Version& driver) {
  const ArchitectureSpan* span = card.capability ? span_of(facts, *card.capability) : nullptr;
  if (span == nullptr) {
    return false;
  }
  const bool too_new = span->last_branch && branch_of(facts, driver) > span->last_branch->parts[0];
  const bool too_old = span->first_driver && !reaches(driver, *span->first_driver);
  return too_new || too_old;
}

bool has_python(const Release& release, const Version& python) {
  return python >= release.python_from && (python <= release.python_to || same_as_far_as_given(python, release.python_to));
}

bool names_build(std::string_view asked, const Candidate& candidate) {
  const std::string& name = candidate.build;
  if (asked.empty() || asked == name) {
    return true;
  }
  const bool major_only = asked == "cu11" || asked == "cu12" || asked == "cu13" || asked == "rocm";
  return major_only && name.starts_with(asked);
}

std::vector<Candidate> candidates(const Facts& facts, const Question& question) {
  std::vector<Candidate> all;
  if (question.cards.empty()) {
    return all;
  }
  const Vendor vendor = question.cards.front().vendor;
  const auto every = [&](auto&& test) { return std::all_of(question.cards.begin(), question.cards.end(), test); };
  if (!every([&](const Card& card) { return card.vendor == vendor; })) {
    return all;
  }
  const bool linux = question.os == Os::linux || question.os == Os::wsl2;
  for (const Release& release : facts.releases) {
    if (vendor == Vendor::nvidia) {
      add_cuda(facts, question, release, all);
    } else if (vendor == Vendor::amd && linux) {
      add_rocm(facts, question, release, all);
    } else if (vendor == Vendor::intel && release.xpu && (question.os == Os::linux || question.os == Os::windows)) {
      add_single(question, release, "xpu", false, every([](const Card& card) { return xpu_family(card.family); }), all);
    } else if (vendor == Vendor::apple && release.mps && question.os == Os::macos) {
      add_single(question, release, "mps", true, true, all);
    }
  }
  return all;
}

}  // namespace gpuadvise::software
