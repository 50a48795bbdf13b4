// Physics of training memory over every model that ships, asked as a user asks.
#include <gpuadvise/error.hpp>
#include <gpuadvise/estimate.hpp>

#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpuadvise::estimate {
namespace {

using advise::test::RealCatalog;
using Pairs = std::vector<std::pair<const char*, const char*>>;

constexpr double k_rounding = 1.0 + 1e-6;

const RealCatalog& catalog() {
  static const RealCatalog shipped;
  return shipped;
}

class Subject {
 public:
  explicit Subject(const Model& model) : id_(model.id), field_(model.field), autocast_share_(share_of(model)) {}

  [[nodiscard]] const std::string& id() const { return id_; }
  [[nodiscard]] Field field() const { return field_; }
  // Kept under autocast over fp32 as traced; above 1 where norms run in fp32 between 16-bit operators and both copies stay.
  [[nodiscard]] double autocast_share() const { return autocast_share_; }
  // Nothing where the model cannot be trained so; such a fault is not what these tests are about.
  [[nodiscard]] std::optional<MemoryFigures> memory(const Pairs& pairs) const {
    std::vector<Setting> all{{"model", Value(id_), Origin::user},
                             {"task", Value(field_ == Field::diffusion ? "finetune" : "train"), Origin::user}};
    for (const auto& pair : pairs) {
      all.push_back({pair.first, Value(pair.second), Origin::user});
    }
    try {
      const Request request = catalog().resolve(all);
      return evaluate_memory(prepare(request.workload, request.model), nullptr);
    } catch (const Error&) {
      return std::nullopt;
    }
  }

 private:
  static double share_of(const Model& model) {
    const ImageProfile* profile = model.image();
    return profile != nullptr && profile->saved_amp_bytes ? *profile->saved_amp_bytes / profile->saved_bytes : 1.0;
  }

  std::string id_;
  Field field_;
  double autocast_share_;
};

// Runs a comparison on every model; `least` guards against a catalog or a vocabulary that lets everything be skipped.
void for_every_model(std::size_t least, const std::function<bool(const Subject&)>& compared) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < catalog().catalog().model_count(); ++i) {
    const Subject subject(catalog().catalog().model(i));
    INFO(subject.id());
    count += compared(subject) ? 1U : 0U;
  }
  CHECK(count >= least);
}

void never_less(const Subject& subject, const char* what, const Pairs& less, const Pairs& more, std::size_t& compared) {
  const auto a = subject.memory(less);
  const auto b = subject.memory(more);
  if (a && b) {
    ++compared;
    if (!(b->allocated.expected * k_rounding >= a->allocated.expected)) {
      FAIL_CHECK(subject.id() << ": " << what << " went from " << a->allocated.expected / k_gib << " to " << b->allocated.expected / k_gib
                              << " GiB");
    }
  }
}

}  // namespace

TEST_CASE("every model: more samples, pixels or tokens never need less", "[property][catalog]") {
  for_every_model(1000, [](const Subject& subject) {
    std::size_t compared = 0;
    never_less(subject, "batch", {{"batch", "1"}}, {{"batch", "8"}}, compared);
    if (subject.field() == Field::language || subject.field() == Field::encoder) {
      never_less(subject, "seq", {{"seq", "128"}}, {{"seq", "512"}}, compared);
      never_less(subject, "rank", {{"method", "lora"}, {"lora_rank", "8"}, {"seq", "512"}},
                 {{"method", "lora"}, {"lora_rank", "64"}, {"seq", "512"}}, compared);
    } else {
      never_less(subject, "image", {{"image", "[256,256]"}}, {{"image", "[512,512]"}}, compared);
    }
    return compared > 0;
  });
}

TEST_CASE("every model: checkpointing never needs more", "[property][catalog]") {
  for_every_model(1000, [](const Subject& subject) {
    std::size_t compared = 0;
    for (const char* batch : {"1", "16"}) {
      const Pairs none = {{"batch", batch}, {"grad_checkpointing", "none"}};
      const Pairs selective = {{"batch", batch}, {"grad_checkpointing", "selective"}};
      const Pairs full = {{"batch", batch}, {"grad_checkpointing", "full"}};
      never_less(subject, "without selective checkpoints", selective, none, compared);
      never_less(subject, "selective instead of full checkpoints", full, selective, compared);
    }
    return compared > 0;
  });
}

TEST_CASE("every model: sharding never needs more on a GPU", "[property][catalog]") {
  for_every_model(1000, [](const Subject& subject) {
    std::size_t compared = 0;
    for (const char* strategy : {"zero1", "zero2", "zero3", "fsdp"}) {
      // Buckets of a fixed size do not pay for the smallest networks.
      const auto replica = subject.memory({{"gpus", "8"}, {"strategy", "ddp"}, {"precision", "fp32"}});
      if (replica && replica->components.weights > 2e9) {
        never_less(subject, strategy, {{"gpus", "8"}, {"strategy", strategy}, {"precision", "fp32"}},
                   {{"gpus", "8"}, {"strategy", "ddp"}, {"precision", "fp32"}}, compared);
      }
    }
    never_less(subject, "fewer GPUs", {{"gpus", "8"}, {"strategy", "fsdp"}}, {{"gpus", "2"}, {"strategy", "fsdp"}}, compared);
    return compared > 0;
  });
}

TEST_CASE("every model: autocast never keeps more activations than fp32", "[property][catalog]") {
  int above = 0;
  for_every_model(1000, [&above](const Subject& subject) {
    std::size_t compared = 0;
    for (const char* precision : {"amp-fp16", "amp-bf16"}) {
      const auto wide = subject.memory({{"batch", "32"}, {"precision", "fp32"}});
      const auto narrow = subject.memory({{"batch", "32"}, {"precision", precision}});
      if (wide && narrow) {
        ++compared;
        // The 16-bit copies of the weights live through the step beside the activations.
        const double kept = narrow->components.activations + narrow->components.logits - narrow->components.weights / 2;
        const double most = std::max(1.0, subject.autocast_share()) * k_rounding;
        CHECK(kept <= (wide->components.activations + wide->components.logits) * most);
      }
    }
    above += subject.autocast_share() > 1.0 ? 1 : 0;
    return compared > 0;
  });
  // Group and layer norms over images (resnet50_gn, poolformerv2, convformer): traced, and few.
  CHECK(above < 40);
}

}  // namespace gpuadvise::estimate
