// Does a build of PyTorch run on these cards: the verdict, the fact that decides it, and what would work.
#pragma once

#include "software/builds.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gpuadvise::software {

enum class Verdict { works, limited, fails };
[[nodiscard]] std::string_view to_string(Verdict verdict);

// A build name and the releases that have it.
struct Span {
  std::string build;
  std::string torch_from;
  std::string torch_to;
  std::string driver;  // oldest driver; empty = not known
};

struct Choice {
  std::string torch;  // "2.8"
  std::string build;
  std::string driver;
  std::string python_from;
  std::string python_to;
  std::string gfx_override;
  bool needs_index = true;
  const Release* release = nullptr;
};

struct NeedAnswer {
  std::string library;
  Verdict verdict = Verdict::works;
  std::string why;
};

struct Compatibility {
  Verdict verdict = Verdict::fails;
  std::string deciding;             // the fact that decides it, in words
  std::string obstacle;             // "architecture", "driver" ...: stable; empty when it works
  std::vector<std::string> limits;  // what makes "works" "works with limits"
  std::vector<std::string> notes;
  std::vector<NeedAnswer> needs;
  std::vector<Span> working;  // of what was asked; when that fails, of what would work instead
  std::string condition;      // what must change for "working" when it is not the versions: "with driver 580"
  std::optional<Choice> oldest;
  std::optional<Choice> newest;
  std::optional<Choice> install;   // the one to take
  bool convolutions_fail = false;  // the build works, but its cuDNN has no kernels for a card
  std::vector<std::string> sources;
};

[[nodiscard]] Compatibility judge(const Facts& facts, const Question& question);

}  // namespace gpuadvise::software
