// What the builds of PyTorch make of a card under the user's versions, judged when a rule first asks and kept.
#pragma once

#include <gpuadvise/preferences.hpp>

#include "software/compat.hpp"
#include "workload/fault.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>

namespace gpuadvise::rules {

struct SoftwareAnswer {
  software::Compatibility found;
  std::string take;           // "torch 2.14 cu126"; empty where nothing serves the card
  std::string limit;          // all besides the end of support, which the catalog tells
  std::string change;         // "--torch 2.7"
  std::string driver_fault;   // why the driver does not drive the card, whatever the program
  std::string driver_change;  // "--driver 570"
  std::string cudnn_change;   // "--torch 2.3": where the build's cuDNN has no kernels for the card
  std::string own_wheels;     // AMD's index, where only it serves the chip
};

// Texts that are no versions, name nothing known, or exclude each other on any card. Nothing is read where no version is given.
[[nodiscard]] workload::Faults version_faults(const Preferences& wants, const std::function<const software::Facts&()>& facts);

class SoftwareAnswers {
 public:
  using Source = std::function<const software::Facts&()>;

  // The facts are not read when the user gave neither a version nor a system. Throws workload::RequestError for texts that are no
  // versions, or name nothing known.
  SoftwareAnswers(const Preferences& wants, const Source& facts);

  [[nodiscard]] bool asked() const { return facts_ != nullptr; }
  [[nodiscard]] bool torch_given() const { return question_.torch.has_value(); }
  // Rented machines have their own driver and system. nullptr when nothing was asked. Stays valid as long as this object.
  [[nodiscard]] const SoftwareAnswer* of(const Gpu& gpu, Sourcing source) const;

 private:
  struct Kept {
    software::Card card;
    Sourcing source = Sourcing::buy;
    SoftwareAnswer answer;
  };

  [[nodiscard]] SoftwareAnswer judge(const software::Card& card, Sourcing source) const;

  const software::Facts* facts_ = nullptr;
  software::Question question_;     // without cards
  std::optional<software::Os> os_;  // where the user named one
  mutable std::deque<Kept> kept_;   // cards that software cannot tell apart share one answer
};

}  // namespace gpuadvise::rules
