// Each remedy, given as flags, does what it promised: the same need, the same verdict, on its card and count.
#include <gpuadvise/error.hpp>
#include <gpuadvise/estimate.hpp>

#include "advise/preferences.hpp"
#include "advise/remedies.hpp"
#include "catch.hpp"
#include "cli/advisor.hpp"

#include <array>
#include <random>
#include <string>
#include <vector>

namespace gpuadvise::advise::test {
namespace {

Setting setting(std::string key, Value value) {
  return {std::move(key), std::move(value), Origin::user};
}

bool is_preference(const std::string& key) {
  const auto keys = preference_keys();
  return std::any_of(keys.begin(), keys.end(), [&key](const PreferenceSpec& spec) { return spec.name == key; });
}

// Jobs of every field, many of them too large for the cards below.
class Jobs {
 public:
  explicit Jobs(unsigned seed) : random_(seed) {}

  std::vector<Setting> next() {
    static constexpr auto training = std::to_array<const char*>(
        {"resnet50", "vit_base_patch16_224", "convnext_base", "mask-rcnn-r50-fpn", "bert-large", "bert-base", "gpt2", "llama-2-7b",
         "qwen2.5-7b", "llama-3.1-8b", "sdxl", "sd-2.1", "flux.1-dev", "llama-2-13b", "t5-large"});
    static constexpr auto running = std::to_array<const char*>({"llama-2-7b", "qwen2.5-7b", "llama-3.1-70b", "mixtral-8x7b", "sdxl",
                                                                "flux.1-dev", "resnet50", "bert-large", "whisper-large-v3", "gemma-2-9b"});
    const bool trains = chance(0.6);
    std::vector<Setting> job;
    job.push_back(setting("model", trains ? pick(training) : pick(running)));
    job.push_back(setting("task", trains ? (chance(0.5) ? "finetune" : "train") : "infer"));
    job.push_back(setting("batch", std::floor(std::exp2(between(0.0, 8.0)))));
    if (trains) {
      add_training(job);
    } else {
      add_inference(job);
    }
    return job;
  }

  std::string card() {
    static constexpr auto cards =
        std::to_array<const char*>({"rtx-3060-12gb", "rtx-3090", "rtx-4060-ti-16gb", "gtx-1650-gddr6", "rtx-2080-ti", "rx-7900-xtx",
                                    "rtx-4090", "t4", "arc-pro-b60", "rtx-a6000", "v100-pcie-16gb"});
    return pick(cards);
  }

  bool chance(double share) { return between(0.0, 1.0) < share; }

 private:
  double between(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }

  template <std::size_t N>
  std::string pick(const std::array<const char*, N>& words) {
    return words[std::uniform_int_distribution<std::size_t>(0, N - 1)(random_)];
  }

  void add_training(std::vector<Setting>& job) {
    static constexpr auto precisions = std::to_array<const char*>({"fp32", "amp-fp16", "amp-bf16", "bf16"});
    if (chance(0.4)) {
      job.push_back(setting("precision", pick(precisions)));
    }
    if (chance(0.3)) {
      job.push_back(setting("accumulate", 2.0));
    }
    if (chance(0.2)) {
      job.push_back(setting("gpus", chance(0.5) ? 2.0 : 4.0));
    }
    if (chance(0.2)) {
      job.push_back(setting("attention", "eager"));
    }
    if (chance(0.2)) {
      job.push_back(setting("grad_checkpointing", chance(0.5) ? "full" : "selective"));
    }
    if (chance(0.1)) {
      job.push_back(setting("stack", "hf-deepspeed"));
    }
  }

  void add_inference(std::vector<Setting>& job) {
    static constexpr auto engines = std::to_array<const char*>({"vllm", "llama.cpp", "transformers", "sglang"});
    static constexpr auto precisions = std::to_array<const char*>({"fp16", "bf16", "fp32"});
    const std::string model = *job.front().value.text();
    const bool language =
        model.starts_with("llama") || model.starts_with("qwen") || model.starts_with("mixtral") || model.starts_with("gemma");
    if (language) {
      job.push_back(setting("engine", pick(engines)));
      if (chance(0.3)) {
        job.push_back(setting("concurrency", 16.0));
      }
      if (chance(0.3)) {
        job.push_back(setting("prompt_len", 3000.0));
      }
    }
    const bool own_format = language && *job[3].value.text() == "llama.cpp";
    if (chance(0.3) && !own_format) {
      job.push_back(setting("precision", pick(precisions)));
    }
  }

  std::mt19937 random_;
};

struct Bench {
  Bench() : session(wishes()), advisor(session, wishes()) {}

  static cli::DataWishes wishes() {
    cli::DataWishes data;
    data.user_data = false;
    return data;
  }

  [[nodiscard]] Request with(std::vector<Setting> settings, std::span<const Setting> changes) const {
    for (const Setting& change : changes) {
      if (!is_preference(change.key)) {
        std::erase_if(settings, [&change](const Setting& each) { return each.key == change.key; });
        settings.push_back(change);
      }
    }
    return session.resolve(settings);
  }

  cli::Session session;
  cli::Advisor advisor;
};

std::string text_of(const std::vector<Setting>& settings) {
  std::string text;
  for (const Setting& each : settings) {
    text += " " + each.key + "=";
    text += each.value.text() != nullptr     ? *each.value.text()
            : each.value.number() != nullptr ? std::to_string(*each.value.number())
                                             : std::string("...");
  }
  return text;
}

// How many remedies were looked at.
std::size_t check_remedies(const Bench& bench, unsigned seed, bool confirmed, Jobs& jobs) {
  const std::vector<Setting> job = jobs.next();
  Preferences wants;
  wants.candidates = {jobs.card()};
  if (jobs.chance(0.2)) {
    wants.os = HostSystem::windows;
  }
  if (jobs.chance(0.2)) {
    wants.ram_gib = 32.0;
  }
  AdviceOptions options;
  options.shorter_input = jobs.chance(0.5);
  options.snippets = true;
  if (confirmed) {
    options.with_settings = [&](std::span<const Setting> changes) { return bench.with(job, changes); };
  }
  Request request;
  try {
    request = bench.session.resolve(job);
  } catch (const Error&) {
    return 0;  // settings that exclude each other
  }
  const Advice advice = recommend(request, wants, bench.advisor.view(wants), options);
  CHECK(advice.remedies.size() <= 5);
  for (const Remedy& remedy : advice.remedies) {
    INFO("seed " << seed << text_of(job) << " on " << wants.candidates.front() << ": " << remedy.id << " on " << remedy.gpu->id << ":"
                 << text_of(remedy.settings));
    const Request again = bench.with(job, remedy.settings);
    const bool windows = has_windows_driver(wants.os) && remedy.source == Sourcing::buy;
    const Figures figures =
        estimate::evaluate(estimate::prepare(again.workload, again.model), remedy.gpu, estimate::default_use(*remedy.gpu, windows));
    REQUIRE(figures.fit.has_value());
    REQUIRE(remedy.figures.fit.has_value());
    CHECK(figures.memory.need.expected == Approx(remedy.figures.memory.need.expected).epsilon(1e-6));
    CHECK(figures.fit->verdict == remedy.figures.fit->verdict);
    CHECK(figures.fit->verdict != Verdict::no);
    CHECK(again.workload.all_gpus() == remedy.count);
    CHECK_FALSE(remedy.settings.empty());
    CHECK_FALSE(remedy.how.empty());
    if (wants.ram_gib) {
      CHECK(figures.memory.host_bytes / k_gib <= *wants.ram_gib);
    }
  }
  return advice.remedies.size();
}

}  // namespace

TEST_CASE("remedies given as flags need what was promised, as their search counts it", "[property]") {
  const Bench bench;
  std::size_t remedies = 0;
  for (unsigned seed = 1; seed <= 150; ++seed) {
    Jobs jobs(seed);
    remedies += check_remedies(bench, seed, false, jobs);
  }
  CHECK(remedies > 200);
}

TEST_CASE("remedies given as flags need what was promised, read again as the program does", "[property]") {
  const Bench bench;
  std::size_t remedies = 0;
  for (unsigned seed = 1001; seed <= 1150; ++seed) {
    Jobs jobs(seed);
    remedies += check_remedies(bench, seed, true, jobs);
  }
  CHECK(remedies > 200);
}

}  // namespace gpuadvise::advise::test
