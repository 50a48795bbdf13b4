// What is said to admit a rejected card does admit it, when it is given as a user would.
#include "advise/preferences.hpp"
#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace gpuadvise::advise::test {
namespace {

using Settings = std::vector<Setting>;

struct Choice {
  const char* key;
  std::vector<const char*> values;  // nullptr = left away
};

struct Random {
  std::mt19937 engine;

  template <class T>
  const T& of(const std::vector<T>& items) {
    return items[std::uniform_int_distribution<std::size_t>(0, items.size() - 1)(engine)];
  }
  void add(Settings& out, const std::vector<Choice>& choices) {
    for (const Choice& choice : choices) {
      if (const char* value = of(choice.values)) {
        out.push_back({choice.key, Value(value), Origin::user});
      }
    }
  }
};

Settings random_workload(Random& random) {
  Settings out;
  switch (std::uniform_int_distribution<int>(0, 3)(random.engine)) {
    case 0:
      random.add(out, {{"model", {"resnet50", "resnet152", "vit_large_patch16_224", "mask-rcnn-r50-fpn"}},
                       {"batch", {"8", "64", "512", "4096"}},
                       {"precision", {nullptr, "amp-fp16", "fp32"}},
                       {"dataset_size", {nullptr, "100000"}},
                       {"epochs", {"3"}}});
      break;
    case 1:
      random.add(out, {{"model", {"llama-3.1-8b", "llama-2-13b", "gpt2", "qwen2.5-7b"}},
                       {"task", {"finetune"}},
                       {"method", {nullptr, "full", "lora", "qlora"}},
                       {"batch", {nullptr, "4", "16"}},
                       {"seq", {nullptr, "512", "4096"}},
                       {"optimizer", {nullptr, "adamw", "adamw-8bit"}},
                       {"precision", {nullptr, nullptr, "fp8"}},
                       {"gpus", {nullptr, nullptr, "2"}}});
      break;
    case 2:
      random.add(out, {{"model", {"llama-3.1-70b", "llama-3.1-8b", "mixtral-8x7b", "qwen2.5-32b"}},
                       {"task", {"infer"}},
                       {"engine", {nullptr, "vllm", "llama.cpp", "tensorrt-llm", "sglang"}},
                       {"seq", {nullptr, "16384"}},
                       {"concurrency", {nullptr, nullptr, "16"}}});
      break;
    default:
      random.add(out, {{"model", {"sdxl", "flux.1-dev", "bert-large"}}, {"task", {"infer"}}, {"batch", {nullptr, "4"}}});
  }
  return out;
}

Settings random_wishes(Random& random) {
  Settings out;
  random.add(out, {{"budget", {nullptr, "250", "900", "3000"}},
                   {"reserve_share", {nullptr, nullptr, "0.2"}},
                   {"source", {nullptr, nullptr, "rent", "both"}},
                   {"budget_per_hour", {nullptr, nullptr, "0.5"}},
                   {"budget_per_run", {nullptr, nullptr, nullptr, "0.01"}},
                   {"deadline_hours", {nullptr, nullptr, nullptr, "0.2"}},
                   {"min_speed", {nullptr, nullptr, nullptr, "500"}},
                   {"form", {nullptr, nullptr, "server", "sff", "laptop"}},
                   {"psu_w", {nullptr, nullptr, "450"}},
                   {"max_power_w", {nullptr, nullptr, nullptr, "200"}},
                   {"slots", {nullptr, nullptr, nullptr, "2"}},
                   {"max_length_mm", {nullptr, nullptr, nullptr, "200"}},
                   {"vendor", {nullptr, nullptr, nullptr, "amd"}},
                   {"segment", {nullptr, nullptr, nullptr, "workstation"}},
                   {"tier", {nullptr, nullptr, nullptr, "entry", "enterprise"}},
                   {"torch", {nullptr, nullptr, nullptr, "2.4"}},
                   {"strict", {nullptr, nullptr, "true"}}});
  return out;
}

// The settings with others in their place.
Settings replaced(Settings settings, const Settings& changes) {
  for (const Setting& change : changes) {
    settings.erase(std::remove_if(settings.begin(), settings.end(), [&](const Setting& each) { return each.key == change.key; }),
                   settings.end());
    settings.push_back(change);
  }
  return settings;
}

bool is_wish(const Setting& setting) {
  return find_preference(setting.key) != nullptr;
}

// As the command line would ask again, with the change in place.
Advice asked_again(const RealCatalog& real, const Settings& workload, const Settings& wishes, const Rejection& rejection,
                   bool as_candidate) {
  Settings of_workload;
  Settings of_wishes;
  for (const Setting& setting : rejection.change) {
    (is_wish(setting) ? of_wishes : of_workload).push_back(setting);
  }
  if (as_candidate) {
    of_wishes.push_back({"candidates", Value(std::string(rejection.gpu->id)), Origin::user});
  }
  const Preferences preferences = read_preferences(replaced(wishes, of_wishes));
  AdviceOptions options;
  options.remedies = false;
  return recommend(real.resolve(replaced(workload, of_workload)), preferences, real.view(), options);
}

bool recommends(const Advice& advice, const Gpu* gpu) {
  return std::any_of(advice.results.begin(), advice.results.end(), [gpu](const Recommendation& each) { return each.gpu == gpu; });
}

// With no more cards than were asked for, once the change is made.
bool recommends_as_many(const RealCatalog& real, const Settings& workload, const Advice& advice, const Rejection& rejection) {
  Settings of_workload;
  for (const Setting& setting : rejection.change) {
    if (!is_wish(setting)) {
      of_workload.push_back(setting);
    }
  }
  const double asked = real.resolve(replaced(workload, of_workload)).workload.all_gpus();
  return std::any_of(advice.results.begin(), advice.results.end(),
                     [&](const Recommendation& each) { return each.gpu == rejection.gpu && each.count <= asked; });
}

std::string words_of(const Settings& settings) {
  std::string out;
  for (const Setting& setting : settings) {
    out += " " + setting.key + "=" + (setting.value.text() != nullptr ? *setting.value.text() : "?");
  }
  return out;
}

Advice asked(const RealCatalog& real, const Settings& workload, const Settings& wishes, std::vector<std::string> why_not) {
  AdviceOptions options;
  options.remedies = false;
  options.every_change = true;
  options.why_not = std::move(why_not);
  options.with_settings = [&](std::span<const Setting> changes) {
    return real.resolve(replaced(workload, {changes.begin(), changes.end()}));
  };
  return recommend(real.resolve(workload), read_preferences(wishes), real.view(), options);
}

}  // namespace

TEST_CASE("the smallest change of a rejected card admits it when it is asked for", "[property]") {
  const RealCatalog real;
  std::size_t changes = 0;
  std::size_t rejected = 0;
  for (unsigned seed = 1; seed <= 16; ++seed) {
    Random random{std::mt19937(seed)};
    const Settings workload = random_workload(random);
    const Settings wishes = random_wishes(random);
    const Advice advice = asked(real, workload, wishes, {"rtx-3090", "a100-80gb-pcie", "gtx-1060-6gb"});
    for (std::size_t i = seed % 13; i < advice.rejected.size(); i += 13) {
      const Rejection& rejection = advice.rejected[i];
      ++rejected;
      if (rejection.change.empty()) {
        continue;
      }
      ++changes;
      INFO("seed " << seed << words_of(workload) << words_of(wishes) << " card " << rejection.gpu->id << ": " << rejection.rule << ", "
                   << rejection.smallest_change);
      const Advice again = asked_again(real, workload, wishes, rejection, true);
      CHECK(recommends(again, rejection.gpu));
      CHECK(recommends_as_many(real, workload, again, rejection));
      CHECK(recommends(asked_again(real, workload, wishes, rejection, false), rejection.gpu));
    }
  }
  CHECK(rejected > 200);
  CHECK(changes > rejected / 2);
}

TEST_CASE("none of several changes is superfluous", "[property]") {
  const RealCatalog real;
  for (unsigned seed = 101; seed <= 105; ++seed) {
    Random random{std::mt19937(seed)};
    const Settings workload = random_workload(random);
    const Settings wishes = random_wishes(random);
    const Advice advice = asked(real, workload, wishes, {});
    for (std::size_t i = seed % 29; i < advice.rejected.size(); i += 29) {
      for (std::size_t left_out = 0; advice.rejected[i].change.size() > 1 && left_out < advice.rejected[i].change.size(); ++left_out) {
        if (advice.rejected[i].change[left_out].key == "gpus") {
          continue;  // said although it may follow from how the job is divided
        }
        Rejection fewer = advice.rejected[i];
        fewer.change.erase(fewer.change.begin() + static_cast<std::ptrdiff_t>(left_out));
        if (fewer.source == Sourcing::buy &&
            wishes.end() == std::find_if(wishes.begin(), wishes.end(), [](const Setting& s) { return s.key == "source"; })) {
          INFO("seed " << seed << words_of(workload) << words_of(wishes) << " card " << fewer.gpu->id << ": " << fewer.smallest_change);
          const Advice again = asked_again(real, workload, wishes, fewer, false);
          CHECK_FALSE((recommends(again, fewer.gpu) && recommends_as_many(real, workload, again, fewer)));
        }
      }
    }
  }
}

}  // namespace gpuadvise::advise::test
