#include "workload/keys.hpp"

#include "catch.hpp"

#include <set>
#include <string>

namespace gpuadvise::workload {

TEST_CASE("every key of the workload is described once") {
  std::set<std::string_view> names;
  for (const KeySpec& spec : keys()) {
    INFO(spec.name);
    CHECK(names.insert(spec.name).second);
    CHECK(&spec_of(spec.key) == &spec);
    CHECK(find_key(spec.name) == &spec);
    CHECK_FALSE(spec.help.empty());
    CHECK(spec.help.size() <= 60);
    CHECK((spec.kind != ValueKind::choice || !spec.choices.empty()));
  }
  CHECK(names.size() == k_workload_keys);
}

TEST_CASE("keys forgive case and hyphens, nothing else") {
  CHECK(find_key("Grad-Checkpointing") == &spec_of(WorkloadKey::grad_checkpointing));
  CHECK(find_key("kv_precision") == &spec_of(WorkloadKey::kv_precision));
  CHECK(find_key("bacth") == nullptr);
  CHECK(find_key("") == nullptr);
  CHECK(find_key("batc") == nullptr);
}

TEST_CASE("choices forgive punctuation, synonyms and remarks") {
  const auto engines = spec_of(WorkloadKey::engine).choices;
  const auto engine = [&](std::string_view text) { return find_choice(engines, text); };
  CHECK(engine("llama_cpp") == engine("llama.cpp"));
  CHECK(engine("LlamaCpp") == engine("llama.cpp"));
  CHECK(engine("caffe2 0.8.1") == static_cast<std::uint8_t>(Engine::other));
  CHECK(engine("ollama") == static_cast<std::uint8_t>(Engine::llama_cpp));
  CHECK_FALSE(engine("vlm"));
  CHECK_FALSE(engine(""));
  CHECK_FALSE(engine("-"));
  CHECK_FALSE(engine(std::string(100000, ' ') + "vllm"));
  CHECK(find_choice(spec_of(WorkloadKey::optimizer).choices, "lionw/adamw (decoupled; see yaml)") ==
        static_cast<std::uint8_t>(Optimizer::lion));
}

TEST_CASE("the shown word of an enumerator is the contract's") {
  CHECK(name_of(WorkloadKey::engine, Engine::tensorrt_llm) == "tensorrt-llm");
  CHECK(name_of(WorkloadKey::optimizer, Optimizer::paged_adamw_8bit) == "paged-adamw-8bit");
  CHECK(name_of(WorkloadKey::stack, Stack::nvidia_dle) == "nvidia-dle");
  CHECK(name_of(WorkloadKey::strategy, Strategy::layer_split) == "layer-split");
  for (const KeySpec& spec : keys()) {
    for (const Choice& choice : spec.choices) {
      INFO(spec.name << " " << choice.name);
      CHECK(find_choice(spec.choices, choice.name) == choice.value);
    }
  }
}

}  // namespace gpuadvise::workload
