// Every build of PyTorch that exists for a system, and what stands between it and a set of cards.
#pragma once

#include "software/releases.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::software {

enum class Os { linux, aarch64, windows, wsl2, macos };
[[nodiscard]] std::optional<Os> parse_os(std::string_view text);
[[nodiscard]] std::string_view to_string(Os os);

// What decides about software in a card.
struct Card {
  std::string name;
  Vendor vendor = Vendor::nvidia;
  Architecture family = Architecture::other;
  std::optional<int> capability;  // times ten
  std::string gfx;
  bool arm_host = false;
  bool jetpack_only = false;  // Jetson modules take PyTorch from JetPack
  bool announced = false;
};
[[nodiscard]] Card card_of(const Gpu& gpu, const Facts& facts);

struct Question {
  std::vector<Card> cards;
  std::optional<Version> torch;
  std::string build;  // "cu128", "rocm6.4", "cu12" for any of CUDA 12; empty = any
  std::optional<Version> driver;
  std::optional<Version> python;
  Os os = Os::linux;
  std::vector<const Library*> needs;
};

enum class Obstacle { architecture, card_driver, build_driver, python };

struct Candidate {
  const Release* release = nullptr;
  std::string build;            // the index: cu128, rocm6.4, xpu, mps
  const Build* cuda = nullptr;  // of CUDA builds
  std::string driver;           // oldest that serves it with these cards; empty = not known
  std::string gfx_override;     // HSA_OVERRIDE_GFX_VERSION without which it does not run
  std::string confidence;
  bool by_ptx = false;              // compiled at the first start
  bool is_default = false;          // what pip takes when no index is named
  bool lacks_cudnn = false;         // its cuDNN has no kernels for the card: convolutions fail
  std::vector<Obstacle> obstacles;  // empty: it works

  [[nodiscard]] bool works() const { return obstacles.empty(); }
  [[nodiscard]] bool blocked_by(Obstacle obstacle) const;
};

// All builds for the cards' maker and the system, oldest release first; torch and build of the question do not count here.
[[nodiscard]] std::vector<Candidate> candidates(const Facts& facts, const Question& question);

[[nodiscard]] const Kernels& kernels_of(const Build& build, Os os);
// R580 for 581.42: the newest known branch not above it.
[[nodiscard]] int branch_of(const Facts& facts, const Version& driver);
// True when the card's last branch is older than the driver, or the first newer.
[[nodiscard]] bool driver_drops(const Facts& facts, const Card& card, const Version& driver);
[[nodiscard]] bool has_python(const Release& release, const Version& python);
// Does "cu12" or "cu128" name this build.
[[nodiscard]] bool names_build(std::string_view asked, const Candidate& candidate);

}  // namespace gpuadvise::software
