// software.*: what the user's versions of PyTorch, CUDA, driver, Python and the system make of a card.
#include "rules/facts.hpp"
#include "rules/software_answers.hpp"

#include <array>

namespace gpuadvise::rules {
namespace {

// Programs with kernels of their own, which no wheel of PyTorch decides.
bool runs_on_torch(Engine engine) {
  switch (engine) {
    case Engine::llama_cpp:
    case Engine::mlc_llm:
    case Engine::mlx:
    case Engine::stable_diffusion_cpp:
    case Engine::faster_whisper:
    case Engine::whisper_cpp:
    case Engine::tensorflow:
    case Engine::tensorrt:
    case Engine::other:
      return false;
    default:
      return true;
  }
}

template <class Read>
Datum of_answer(const Subject& subject, Read read) {
  const SoftwareAnswer* answer =
      subject.software != nullptr && subject.gpu != nullptr ? subject.software->of(*subject.gpu, subject.source) : nullptr;
  return answer != nullptr ? read(*answer) : Datum{};
}

#define ANSWER_FACT(name, kind, meaning, expression)                                                             \
  Fact {                                                                                                         \
    "software." name, Kind::kind, scope::card, meaning,                                                          \
        [](const Subject& s) { return of_answer(s, [](const SoftwareAnswer& a) { return Datum(expression); }); } \
  }

constexpr auto k_facts = std::to_array<Fact>({
    Fact{"software.asked", Kind::boolean, scope::request, "the user gave a version or the system",
         [](const Subject& s) { return boolean(s.software != nullptr && s.software->asked()); }},
    Fact{"software.torch_given", Kind::boolean, scope::request, "the user gave the PyTorch version",
         [](const Subject& s) { return boolean(s.software != nullptr && s.software->torch_given()); }},
    Fact{"software.runs_on_torch", Kind::boolean, scope::request, "the engine is built on PyTorch",
         [](const Subject& s) { return s.workload != nullptr ? boolean(runs_on_torch(s.workload->engine)) : Datum{}; }},
    ANSWER_FACT("verdict", text, "works, works-with-limits, does-not-work with the user's versions", text(to_string(a.found.verdict))),
    ANSWER_FACT("deciding", text, "the fact that decides it", text(a.found.deciding)),
    ANSWER_FACT("obstacle", text, "what stands in the way: architecture, driver, python, build, system, unknown ...",
                text(a.found.obstacle)),
    ANSWER_FACT("take", text, "the build to take, or what would work instead: torch 2.14 cu126", text(a.take)),
    ANSWER_FACT("limit", text, "what limits a build that works", text(a.limit)),
    ANSWER_FACT("change", text, "the fewest versions to change, as flags", text(a.change)),
    ANSWER_FACT("driver_fault", text, "why the driver does not drive the card, whatever the program", text(a.driver_fault)),
    ANSWER_FACT("driver_change", text, "the driver that does, as a flag", text(a.driver_change)),
    ANSWER_FACT("convolutions_fail", boolean, "the build's cuDNN has no kernels for the card", boolean(a.found.convolutions_fail)),
    ANSWER_FACT("cudnn_change", text, "the newest release whose cuDNN has them, as flags", text(a.cudnn_change)),
    ANSWER_FACT("own_wheels", text, "the maker's own index, where only it serves the chip", text(a.own_wheels)),
});
static_assert(k_facts.size() < 256);

#undef ANSWER_FACT

}  // namespace

std::span<const Fact> software_facts() {
  return k_facts;
}

}  // namespace gpuadvise::rules
