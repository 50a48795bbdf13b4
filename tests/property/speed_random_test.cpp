// Speed of random work on every card of the catalogue with random changes of its numbers: a better card is never slower, more
// work is never done sooner.
#include "catalog/catalog.hpp"
#include "catch.hpp"
#include "estimate/speed/speed.hpp"

#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

namespace {

using namespace gpuadvise;

constexpr int k_trials = 6000;
constexpr double k_rounding = 1e-9;

const catalog::Catalog& catalogue() {
  static const catalog::Catalog all(catalog::Sources{});
  return all;
}

class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}

  template <typename T, std::size_t N>
  const T& one_of(const std::array<T, N>& values) {
    return values[below(N)];
  }
  std::size_t below(std::size_t n) { return engine_() % n; }
  double between(double low, double high) { return low + (high - low) * static_cast<double>(engine_() % 10007) / 10006.0; }
  bool chance(double share) { return between(0.0, 1.0) < share; }

 private:
  std::mt19937 engine_;  // the same numbers on every machine
};

struct Question {
  Workload workload;
  Model model;
  Gpu gpu;
};

constexpr std::array<std::string_view, 16> k_models = {"resnet50",
                                                       "vgg16",
                                                       "efficientnet_b0",
                                                       "vit_base_patch16_224",
                                                       "convnext_tiny",
                                                       "swin_tiny_patch4_window7_224",
                                                       "bert-base",
                                                       "llama-3.1-8b",
                                                       "mixtral-8x7b",
                                                       "gemma-2-9b",
                                                       "qwen3-0.6b",
                                                       "deepseek-v2-lite",
                                                       "stable-diffusion-v1-5",
                                                       "sdxl",
                                                       "flux.1-dev",
                                                       "dlrm"};

constexpr std::array<PrecisionKind, 10> k_precisions = {
    PrecisionKind::fp32, PrecisionKind::tf32, PrecisionKind::amp_fp16, PrecisionKind::amp_bf16, PrecisionKind::fp16,
    PrecisionKind::bf16, PrecisionKind::fp8,  PrecisionKind::int8,     PrecisionKind::int4_awq, PrecisionKind::nvfp4};
constexpr std::array<Engine, 10> k_engines = {Engine::pytorch,   Engine::tensorflow, Engine::tensorrt, Engine::transformers,
                                              Engine::llama_cpp, Engine::vllm,       Engine::sglang,   Engine::tensorrt_llm,
                                              Engine::mlx,       Engine::exllama};
constexpr std::array<Strategy, 7> k_strategies = {Strategy::ddp,   Strategy::fsdp, Strategy::zero1, Strategy::zero2,
                                                  Strategy::zero3, Strategy::tp,   Strategy::pp};

void scale(std::optional<double>& value, double factor) {
  if (value) {
    *value *= factor;
  }
}

Gpu random_card(Dice& dice) {
  const auto cards = catalogue().gpus();
  Gpu gpu = cards[dice.below(cards.size())];
  gpu.memory_bandwidth_gb_s *= dice.between(0.3, 3.0);
  scale(gpu.tflops.fp32, dice.between(0.3, 3.0));
  scale(gpu.tflops.fp16_tensor, dice.between(0.3, 3.0));
  scale(gpu.tflops.int8_tensor, dice.between(0.3, 3.0));
  scale(gpu.sm_count, dice.between(0.5, 2.0));
  scale(gpu.tdp_w, dice.between(0.3, 2.0));
  return gpu;
}

Workload random_work(Dice& dice, const Model& model) {
  Workload workload;
  workload.field = model.field;
  workload.task = dice.chance(0.5) ? Task::train : Task::infer;
  workload.precision = {dice.one_of(k_precisions)};
  workload.engine = dice.one_of(k_engines);
  workload.batch = std::floor(std::exp2(dice.between(0.0, 9.0)));
  workload.given.batch = dice.chance(0.8);
  workload.accumulate = dice.chance(0.3) ? 4.0 : 1.0;
  workload.seq = std::floor(std::exp2(dice.between(5.0, 14.0)));
  workload.prompt_len = std::floor(workload.seq * dice.between(0.1, 0.9));
  workload.gen_len = workload.seq - workload.prompt_len;
  workload.given.lengths = workload.given.seq = true;
  if (dice.chance(0.3)) {
    workload.concurrency = std::floor(std::exp2(dice.between(0.0, 8.0)));
  }
  workload.method = dice.chance(0.3) ? Method::lora : dice.chance(0.2) ? Method::qlora : Method::full;
  workload.checkpointing = dice.chance(0.3) ? Checkpointing::full : Checkpointing::none;
  workload.given.checkpointing = dice.chance(0.5);
  workload.attention = dice.chance(0.3) ? AttentionBackend::eager : dice.chance(0.5) ? AttentionBackend::flash : AttentionBackend::sdpa;
  workload.compile = dice.chance(0.2);
  workload.channels_last = dice.chance(0.3);
  if (dice.chance(0.4)) {
    workload.gpus = std::exp2(1.0 + static_cast<double>(dice.below(3)));
    workload.strategy = dice.one_of(k_strategies);
    workload.nodes = dice.chance(0.3) ? 4.0 : 1.0;
  }
  return workload;
}

// Answered questions only: cards without a rate and networks of unknown arithmetic have no speed.
void for_each_question(unsigned seed, const std::function<void(Dice&, const Question&, const SpeedFigures&)>& check) {
  std::vector<Model> models;
  for (const std::string_view name : k_models) {
    const auto found = catalogue().find_model(name);
    INFO(name);
    REQUIRE(found);
    models.push_back(found->model);
  }
  Dice dice(seed);
  int answered = 0;
  for (int trial = 0; trial < k_trials; ++trial) {
    Question question;
    question.model = models[dice.below(models.size())];
    question.gpu = random_card(dice);
    question.workload = random_work(dice, question.model);
    const auto figures = estimate::evaluate_speed(question.workload, question.model, question.gpu);
    if (!figures) {
      continue;
    }
    ++answered;
    INFO(question.gpu.id << " " << question.model.id << " task " << static_cast<int>(question.workload.task) << " precision "
                         << static_cast<int>(question.workload.precision.kind) << " engine " << static_cast<int>(question.workload.engine)
                         << " batch " << question.workload.batch << " seq " << question.workload.seq << " gpus " << question.workload.gpus
                         << "x" << question.workload.nodes << " strategy " << static_cast<int>(question.workload.strategy) << " trial "
                         << trial);
    check(dice, question, *figures);
  }
  CHECK(answered > k_trials / 2);
}

// The same samples, or tokens of one request, take at least as long.
void never_sooner(const SpeedFigures& less, const SpeedFigures& more) {
  CHECK(more.throughput.expected <= less.throughput.expected * (1 + k_rounding));
  if (less.decode_tokens_per_s && more.decode_tokens_per_s) {
    CHECK(more.decode_tokens_per_s->expected <= less.decode_tokens_per_s->expected * (1 + k_rounding));
  }
  if (less.prefill_tokens_per_s && more.prefill_tokens_per_s) {
    CHECK(more.prefill_tokens_per_s->expected <= less.prefill_tokens_per_s->expected * (1 + k_rounding));
  }
}

void never_slower(unsigned seed, const std::function<void(Dice&, Gpu&)>& better) {
  for_each_question(seed, [&](Dice& dice, const Question& question, const SpeedFigures& before) {
    Gpu improved = question.gpu;
    better(dice, improved);
    const auto after = estimate::evaluate_speed(question.workload, question.model, improved);
    REQUIRE(after);
    never_sooner(*after, before);
    CHECK(after->step_seconds.expected <= before.step_seconds.expected * (1 + k_rounding));
  });
}

}  // namespace

TEST_CASE("Random work is never slower with more bandwidth", "[property][speed]") {
  never_slower(1, [](Dice& dice, Gpu& gpu) { gpu.memory_bandwidth_gb_s *= dice.between(1.0, 3.0); });
}

TEST_CASE("Random work is never slower with any one higher peak", "[property][speed]") {
  never_slower(2, [](Dice& dice, Gpu& gpu) {
    const std::array<std::optional<double>*, 8> peaks = {&gpu.tflops.fp32,        &gpu.tflops.fp16_vector, &gpu.tflops.fp16_tensor,
                                                         &gpu.tflops.bf16_tensor, &gpu.tflops.tf32_tensor, &gpu.tflops.fp8_tensor,
                                                         &gpu.tflops.int8_tensor, &gpu.tflops.fp4_tensor};
    scale(*peaks[dice.below(peaks.size())], dice.between(1.0, 3.0));
  });
}

TEST_CASE("Random work is never slower with more power", "[property][speed]") {
  never_slower(3, [](Dice& dice, Gpu& gpu) { scale(gpu.tdp_w, dice.between(1.0, 3.0)); });
}

TEST_CASE("Random work is never slower with more multiprocessors or a higher clock", "[property][speed]") {
  never_slower(4, [](Dice& dice, Gpu& gpu) {
    scale(gpu.sm_count, dice.between(1.0, 2.0));
    scale(gpu.boost_clock_mhz, dice.between(1.0, 2.0));
  });
}

TEST_CASE("Random work is never slower over faster links", "[property][speed]") {
  never_slower(5, [](Dice& dice, Gpu& gpu) {
    scale(gpu.link_gb_s, dice.between(1.0, 2.0));
    scale(gpu.pcie_generation, dice.between(1.0, 1.5));
  });
}

// Training: samples, each of more tokens. Generation: tokens after a longer prompt, read no sooner as a whole.
TEST_CASE("Random work is never faster with a longer sequence at the same batch", "[property][speed]") {
  for_each_question(6, [](Dice& dice, const Question& question, const SpeedFigures& before) {
    if (question.model.transformer() == nullptr) {
      return;
    }
    Workload longer = question.workload;
    const double factor = dice.between(1.0, 4.0);
    const double added = std::ceil((factor - 1.0) * longer.prompt_len);
    longer.prompt_len += added;
    longer.seq += added;
    const auto after = estimate::evaluate_speed(longer, question.model, question.gpu);
    REQUIRE(after);
    if (question.workload.training()) {
      CHECK(after->step_seconds.expected >= before.step_seconds.expected * (1 - k_rounding));
      const double samples_before = before.throughput.expected / (before.unit == ThroughputUnit::tokens ? question.workload.seq : 1.0);
      const double samples_after = after->throughput.expected / (after->unit == ThroughputUnit::tokens ? longer.seq : 1.0);
      CHECK(samples_after <= samples_before * (1 + k_rounding));
      return;
    }
    CHECK(after->throughput.expected <= before.throughput.expected * (1 + k_rounding));
    if (before.decode_tokens_per_s) {
      CHECK(after->decode_tokens_per_s->expected <= before.decode_tokens_per_s->expected * (1 + k_rounding));
    }
    if (before.prefill_tokens_per_s) {
      const double read_before = question.workload.prompt_len / before.prefill_tokens_per_s->expected;
      CHECK(longer.prompt_len / after->prefill_tokens_per_s->expected >= read_before * (1 - k_rounding));
    }
  });
}

TEST_CASE("Random work is never faster with larger images", "[property][speed]") {
  for_each_question(7, [](Dice& dice, const Question& question, const SpeedFigures&) {
    if (question.model.image() == nullptr && question.model.diffusion() == nullptr) {
      return;
    }
    Workload small = question.workload;
    small.image = {256, 256, 1};
    Workload large = small;
    large.image.width = large.image.height = 256.0 * static_cast<double>(1 + dice.below(4));
    const auto before = estimate::evaluate_speed(small, question.model, question.gpu);
    const auto after = estimate::evaluate_speed(large, question.model, question.gpu);
    REQUIRE(before);
    REQUIRE(after);
    never_sooner(*before, *after);
  });
}

TEST_CASE("A larger batch of random work never takes less time, and never trains faster than in proportion", "[property][speed]") {
  for_each_question(8, [](Dice& dice, const Question& question, const SpeedFigures& before) {
    if (!question.workload.training()) {
      return;
    }
    Workload larger = question.workload;
    larger.given.batch = true;
    Workload base = larger;
    larger.batch = std::ceil(larger.batch * dice.between(1.0, 8.0));
    const auto small = estimate::evaluate_speed(base, question.model, question.gpu);
    const auto large = estimate::evaluate_speed(larger, question.model, question.gpu);
    REQUIRE(small);
    REQUIRE(large);
    CHECK(before.step_seconds.expected > 0.0);
    CHECK(large->step_seconds.expected >= small->step_seconds.expected * (1 - k_rounding));
    CHECK(large->throughput.expected >= small->throughput.expected * (1 - k_rounding));
  });
}

TEST_CASE("Random work on n cards is at most n times one", "[property][speed]") {
  for_each_question(9, [](Dice&, const Question& question, const SpeedFigures& before) {
    const double cards = question.workload.all_gpus();
    if (cards <= 1.0 || !question.workload.training()) {
      return;
    }
    Workload one = question.workload;
    one.gpus = one.nodes = 1.0;
    one.strategy = Strategy::none;
    const auto alone = estimate::evaluate_speed(one, question.model, question.gpu);
    REQUIRE(alone);
    CHECK(before.throughput.expected <= cards * alone->throughput.expected * (1 + k_rounding));
    REQUIRE(before.scaling_efficiency);
    CHECK(*before.scaling_efficiency <= 1.0 + k_rounding);
    CHECK(*before.scaling_efficiency > 0.0);
  });
}

namespace {

bool at_least(const std::optional<double>& more, const std::optional<double>& less) {
  return more.has_value() == less.has_value() && more.value_or(0.0) >= less.value_or(0.0);
}

// Of one kind, and no number of the first is below that of the second.
bool better(const Gpu& a, const Gpu& b) {
  const bool kind = a.vendor == b.vendor && a.family == b.family && a.architecture == b.architecture && a.segment == b.segment &&
                    a.memory_type == b.memory_type && a.compute_capability == b.compute_capability && a.form_factor == b.form_factor;
  const PeakRates& p = a.tflops;
  const PeakRates& q = b.tflops;
  return kind && a.memory_bandwidth_gb_s >= b.memory_bandwidth_gb_s && at_least(a.tdp_w, b.tdp_w) && at_least(a.sm_count, b.sm_count) &&
         at_least(a.boost_clock_mhz, b.boost_clock_mhz) && at_least(p.fp32, q.fp32) && at_least(p.fp16_vector, q.fp16_vector) &&
         at_least(p.fp16_tensor, q.fp16_tensor) && at_least(p.bf16_tensor, q.bf16_tensor) && at_least(p.tf32_tensor, q.tf32_tensor) &&
         at_least(p.fp8_tensor, q.fp8_tensor) && at_least(p.int8_tensor, q.int8_tensor) && at_least(p.fp4_tensor, q.fp4_tensor);
}

}  // namespace

TEST_CASE("A card of the catalogue that is better in every number than another of its kind is never slower", "[property][speed]") {
  const auto cards = catalogue().gpus();
  std::vector<std::pair<const Gpu*, const Gpu*>> pairs;
  for (const Gpu& a : cards) {
    for (const Gpu& b : cards) {
      if (&a != &b && better(a, b)) {
        pairs.emplace_back(&a, &b);
      }
    }
  }
  CHECK(pairs.size() > 100);
  Dice dice(10);
  for (const std::string_view name : k_models) {
    const Model model = catalogue().find_model(name)->model;
    for (int trial = 0; trial < 6; ++trial) {
      Workload workload = random_work(dice, model);
      workload.gpus = workload.nodes = 1.0;
      workload.strategy = Strategy::none;
      for (const auto& [more, less] : pairs) {
        // More memory holds more requests, which a server answers together.
        if (more->memory_gib != less->memory_gib && !workload.training()) {
          continue;
        }
        const auto fast = estimate::evaluate_speed(workload, model, *more);
        const auto slow = estimate::evaluate_speed(workload, model, *less);
        INFO(more->id << " against " << less->id << " " << model.id << " precision " << static_cast<int>(workload.precision.kind));
        if (fast && slow) {
          never_sooner(*fast, *slow);
        }
      }
    }
  }
}
