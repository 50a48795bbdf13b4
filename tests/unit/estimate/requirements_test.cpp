// The questions that the tool was asked for first (ResNet-50 on a small card, BERT, ResNet-152, LLaMA-7B, and workloads of
// other fields), through the shipped catalog as a user asks them, with the figures an answer must have.
#include <gpuadvise/estimate.hpp>

#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <initializer_list>
#include <string>
#include <utility>

namespace gpuadvise::estimate {
namespace {

using advise::test::RealCatalog;

constexpr double k_few_percent = 0.07;

struct Answer {
  Figures figures;
  [[nodiscard]] double allocated_gib() const { return figures.memory.allocated.expected / k_gib; }
  [[nodiscard]] double device_gib() const { return figures.memory.device.expected / k_gib; }
  [[nodiscard]] double need_gib() const { return figures.memory.need.expected / k_gib; }
  [[nodiscard]] Verdict verdict() const { return figures.fit->verdict; }
};

const RealCatalog& catalog() {
  static const RealCatalog shipped;
  return shipped;
}

Answer ask(std::initializer_list<std::pair<const char*, const char*>> pairs, std::string_view card) {
  const Request request = catalog().resolve(advise::test::settings(pairs));
  const Gpu& gpu = catalog().gpu(card);
  return {evaluate(prepare(request.workload, request.model), &gpu, default_use(gpu, false))};
}

bool between(double low, double value, double high) {
  return low <= value && value <= high;
}

}  // namespace

TEST_CASE("B1: ResNet-50 at batch 32 in fp32 needs more than a 4 GB card has, and 6 to 8 GB do", "[requirements]") {
  const Answer small = ask({{"model", "resnet50"}, {"batch", "32"}}, "gtx-1650");
  CHECK(small.need_gib() == Approx(3.65).epsilon(k_few_percent));
  CHECK(small.figures.fit->usable_bytes / k_gib == Approx(3.5).epsilon(k_few_percent));
  CHECK(small.verdict() == Verdict::no);
  CHECK(ask({{"model", "resnet50"}, {"batch", "32"}}, "rtx-2060").verdict() == Verdict::fits);
  CHECK(ask({{"model", "resnet50"}, {"batch", "32"}}, "rtx-3070").verdict() == Verdict::fits);
}

TEST_CASE("B2: BERT-base in fp32 with AdamW", "[requirements]") {
  const std::string_view card = "rtx-4090";
  const auto with = [&](const char* batch, const char* head, const char* attention) {
    return ask({{"model", "bert-base-uncased"}, {"batch", batch}, {"seq", "512"}, {"head", head}, {"attention", attention}}, card);
  };
  for (const char* batch : {"1", "2"}) {
    CHECK(between(2.8, with(batch, "lm", "sdpa").device_gib(), 4.6));
  }
  CHECK(with("16", "lm", "sdpa").device_gib() == Approx(12.0).epsilon(0.12));
  const Answer classes = with("16", "classification", "sdpa");
  CHECK(classes.device_gib() == Approx(8.0).epsilon(0.12));
  // Softmax output, its dropped-out copy and the mask: 9 bytes of each of 12 x 12 x 16 x 512 x 512 scores are 5.06 GiB.
  CHECK(between(4.8, with("16", "classification", "eager").allocated_gib() - classes.allocated_gib(), 6.0));
}

TEST_CASE("B3: ResNet-152 with AMP at batch 64 fits 12 GB", "[requirements]") {
  const Answer answer = ask({{"model", "resnet152"}, {"batch", "64"}, {"precision", "amp-fp16"}}, "rtx-3060-12gb");
  CHECK(answer.allocated_gib() == Approx(6.0).epsilon(0.12));
  CHECK(answer.device_gib() == Approx(8.0).epsilon(0.12));
  CHECK(answer.verdict() == Verdict::fits);
}

TEST_CASE("B4: LLaMA-7B runs whole on 24 GB, and cannot be trained whole there", "[requirements]") {
  const Answer run =
      ask({{"model", "llama-7b"}, {"task", "infer"}, {"engine", "transformers"}, {"precision", "fp16"}, {"seq", "4096"}}, "rtx-3090");
  CHECK(between(14.0, run.allocated_gib(), 16.5));
  CHECK(run.verdict() == Verdict::fits);
  for (const char* precision : {"fp32", "amp-bf16", "bf16"}) {
    const Answer tune =
        ask({{"model", "llama-7b"}, {"task", "finetune"}, {"precision", precision}, {"grad_checkpointing", "full"}}, "rtx-3090");
    CHECK(tune.verdict() == Verdict::no);
    // Weights, gradients and two states: 8 bytes a parameter in pure 16 bits, 16 otherwise.
    CHECK(tune.need_gib() > 6.738e9 * 8 / k_gib);
  }
}

TEST_CASE("B5: volumes of 256 x 256 x 128 voxels", "[requirements]") {
  const Answer one = ask({{"model", "3d-unet"}, {"image", "[128,256,256]"}, {"batch", "1"}}, "a100-80gb-sxm");
  // A level at full size of 32 channels is 1 GiB; such a network keeps some ten of them.
  CHECK(between(6.0, one.allocated_gib(), 60.0));
  CHECK(one.verdict() == Verdict::fits);
  const Answer half = ask({{"model", "3d-unet"}, {"image", "[128,256,256]"}, {"batch", "1"}, {"precision", "amp-fp16"}}, "a100-80gb-sxm");
  CHECK(half.allocated_gib() < one.allocated_gib());
  CHECK(half.allocated_gib() > 0.4 * one.allocated_gib());
  CHECK(ask({{"model", "3d-unet"}, {"image", "[128,256,256]"}, {"batch", "1"}}, "gtx-1650").verdict() == Verdict::no);
}

TEST_CASE("B5: point clouds and networks of images and text", "[requirements]") {
  const Answer points = ask({{"model", "pointnet-seg"}, {"batch", "16"}}, "rtx-3060-12gb");
  CHECK(between(0.2, points.allocated_gib(), 8.0));
  CHECK(points.verdict() == Verdict::fits);
  const Answer base = ask({{"model", "openai/clip-vit-base-patch32"}, {"batch", "256"}, {"precision", "amp-fp16"}}, "rtx-4090");
  const Answer large = ask({{"model", "openai/clip-vit-large-patch14"}, {"batch", "256"}, {"precision", "amp-fp16"}}, "rtx-4090");
  CHECK(between(4.0, base.allocated_gib(), 24.0));
  CHECK(large.allocated_gib() > 2.0 * base.allocated_gib());
}

TEST_CASE("B5: Stable Diffusion 2.1, H100 against A100", "[requirements]") {
  const auto on = [](std::string_view card, const char* batch) {
    return ask({{"model", "stable-diffusion-2.1"}, {"task", "infer"}, {"batch", batch}}, card);
  };
  const auto gain = [&](const char* batch) {
    const Answer hopper = on("h100-80gb-sxm", batch);
    const Answer ampere = on("a100-80gb-sxm", batch);
    REQUIRE(hopper.figures.speed);
    REQUIRE(ampere.figures.speed);
    return hopper.figures.speed->throughput.expected / ampere.figures.speed->throughput.expected;
  };
  // One image at a time the host decides, and both wait for it; a batch shows the cards.
  CHECK(gain("1") >= 1.0);
  CHECK(between(1.5, gain("8"), 2.5));
  CHECK(between(2.4, on("h100-80gb-sxm", "1").allocated_gib(), 8.0));
  CHECK(on("rtx-3060-12gb", "1").verdict() == Verdict::fits);
}

TEST_CASE("B5: recommenders hold what their tables take, split over the GPUs", "[requirements]") {
  const auto tables = [](const char* rows, const char* gpus) {
    return ask(
        {{"model", "dlrm"}, {"embedding_rows", rows}, {"embedding_dim", "128"}, {"batch", "2048"}, {"optimizer", "sgd"}, {"gpus", gpus}},
        "a100-80gb-sxm");
  };
  const Answer one = tables("100000000", "1");
  const double table_gib = 1e8 * 128 * 4 / k_gib;
  CHECK(between(table_gib, one.allocated_gib(), 2.5 * table_gib));
  const Answer eight = tables("800000000", "8");
  CHECK(between(table_gib, eight.allocated_gib(), 1.6 * one.allocated_gib()));
  CHECK(tables("800000000", "1").verdict() == Verdict::no);
}

TEST_CASE("B5: 175 billion parameters over many GPUs", "[requirements]") {
  const auto spread = [](const char* tp, const char* pp, const char* nodes) {
    return ask({{"model", "gpt3-175b"},
                {"task", "train"},
                {"stack", "megatron"},
                {"precision", "amp-bf16"},
                {"seq", "2048"},
                {"gpus", "8"},
                {"nodes", nodes},
                {"tp", tp},
                {"pp", pp},
                {"grad_checkpointing", "full"}},
               "a100-80gb-sxm");
  };
  const Answer wide = spread("8", "16", "16");
  // 16 to 18 bytes a parameter over 128 GPUs, and the activations of a few micro-batches.
  CHECK(between(175e9 * 16 / 128 / k_gib, wide.allocated_gib(), 70.0));
  CHECK(wide.verdict() != Verdict::no);
  CHECK(spread("8", "1", "1").verdict() == Verdict::no);
  REQUIRE(wide.figures.speed);
  // 6 x parameters x tokens: the peak of 128 GPUs is 40,000 TFLOPS, of which runs of this kind reach 25 to 60 %.
  const double tflops = 6 * 175e9 * wide.figures.speed->throughput.expected * 1e-12;
  CHECK(between(0.05 * 128 * 312, tflops, 0.65 * 128 * 312));
}

}  // namespace gpuadvise::estimate
