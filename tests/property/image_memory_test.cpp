// Physics of training memory over images, on networks of every kind.
#include "catch.hpp"
#include "estimate/memory/image_training.hpp"
#include "model/named.hpp"

#include <array>
#include <string_view>

using namespace gpuadvise;
using namespace gpuadvise::estimate;

namespace {

constexpr std::array<std::string_view, 14> k_networks = {"resnet50",
                                                         "vgg16",
                                                         "mobilenetv2_100",
                                                         "efficientnet_b0",
                                                         "vit_base_patch16_224",
                                                         "swin_tiny_patch4_window7_224",
                                                         "convnext_tiny",
                                                         "densenet121",
                                                         "unet",
                                                         "yolov8s",
                                                         "mask-rcnn-r50-fpn",
                                                         "deeplabv3-r50-d8",
                                                         "retinanet-r50-fpn",
                                                         "lenet5"};

Workload training(double batch) {
  Workload workload;
  workload.batch = batch;
  workload.optimizer = Optimizer::adamw;
  return workload;
}

double allocated(const Workload& workload, const ImageProfile& profile) {
  return image_training_memory(workload, profile, nullptr).allocated.expected;
}

Model network(std::string_view name) {
  return *model::named_model(name);
}

}  // namespace

TEST_CASE("more images never need less") {
  for (const std::string_view name : k_networks) {
    const Model model = network(name);
    double last = 0;
    for (double batch = 1; batch <= 512; batch *= 1.5) {
      const MemoryFigures memory = image_training_memory(training(batch), *model.image(), nullptr);
      INFO(name << " batch " << batch);
      CHECK(memory.allocated.expected >= last);
      CHECK(memory.allocated.low <= memory.allocated.expected);
      CHECK(memory.allocated.expected <= memory.allocated.high);
      CHECK(memory.reserved.expected >= memory.allocated.expected);
      CHECK(memory.device.expected >= memory.reserved.expected);
      CHECK(memory.components.sum() == Approx(memory.device.expected));
      CHECK(memory.components.fragmentation >= 0);
      CHECK(memory.components.activations >= 0);
      last = memory.allocated.expected;
    }
  }
}

TEST_CASE("larger images never need less, whether rescaled or counted anew") {
  for (const std::string_view name : k_networks) {
    const Model model = network(name);
    double rescaled = 0;
    double counted = 0;
    for (const double side : {128.0, 224.0, 320.0, 512.0, 768.0}) {
      Workload workload = training(4);
      workload.image = {1, side, side};
      INFO(name << " side " << side);
      const double a = allocated(workload, *model.image());
      CHECK(a >= rescaled);
      rescaled = a;
      if (name == "lenet5" || name == "vit_base_patch16_224") {
        continue;
      }
      model::NamedModelOptions options;
      options.image = workload.image;
      const auto sized = model::named_model(name, options);
      const double b = allocated(workload, *sized->image());
      CHECK(b >= counted);
      counted = b;
    }
  }
}

TEST_CASE("more classes never need less") {
  for (const std::string_view name : k_networks) {
    double last = 0;
    for (const double classes : {2.0, 20.0, 150.0, 1000.0}) {
      model::NamedModelOptions options;
      options.classes = classes;
      INFO(name << " classes " << classes);
      Workload workload = training(2);
      workload.classes = classes;
      const auto model = model::named_model(name, options);
      const double value = allocated(workload, *model->image());
      CHECK(value >= last);
      last = value;
    }
  }
}

TEST_CASE("checkpointing never needs more, and full never more than selective") {
  for (const std::string_view name : k_networks) {
    const Model model = network(name);
    for (const double batch : {1.0, 16.0, 256.0}) {
      INFO(name << " batch " << batch);
      Workload workload = training(batch);
      const double none = allocated(workload, *model.image());
      workload.checkpointing = Checkpointing::selective;
      const double selective = allocated(workload, *model.image());
      workload.checkpointing = Checkpointing::full;
      CHECK(allocated(workload, *model.image()) <= selective);
      CHECK(selective <= none);
    }
  }
}

TEST_CASE("autocast never keeps more activations than fp32, nor pure 16 bit more than autocast") {
  for (const std::string_view name : k_networks) {
    const Model model = network(name);
    for (const double batch : {8.0, 64.0, 256.0}) {
      INFO(name << " batch " << batch);
      Workload workload = training(batch);
      const MemoryFigures fp32 = image_training_memory(workload, *model.image(), nullptr);
      workload.precision.kind = PrecisionKind::amp_fp16;
      const MemoryFigures amp = image_training_memory(workload, *model.image(), nullptr);
      workload.precision.kind = PrecisionKind::amp_bf16;
      CHECK(image_training_memory(workload, *model.image(), nullptr).allocated == amp.allocated);
      workload.precision.kind = PrecisionKind::bf16;
      const MemoryFigures half = image_training_memory(workload, *model.image(), nullptr);
      CHECK(*model.image()->saved_amp_bytes <= model.image()->saved_bytes);
      CHECK(half.allocated.expected <= fp32.allocated.expected);
      CHECK(half.components.weights * 2 <= fp32.components.weights * 1.01 + model.image()->buffers * 4);
    }
  }
}

TEST_CASE("sharding and smaller optimizers never need more") {
  for (const std::string_view name : k_networks) {
    INFO(name);
    const Model model = network(name);
    Workload workload = training(8);
    workload.gpus = 4;
    workload.strategy = Strategy::ddp;
    const double ddp = allocated(workload, *model.image());
    double last = ddp;
    for (const Strategy strategy : {Strategy::zero1, Strategy::zero2, Strategy::zero3}) {
      workload.strategy = strategy;
      const double value = allocated(workload, *model.image());
      CHECK(value <= last);
      last = value;
    }
    workload = training(8);
    const double adamw = allocated(workload, *model.image());
    workload.optimizer = Optimizer::adamw_8bit;
    const double eight = allocated(workload, *model.image());
    workload.optimizer = Optimizer::sgd;
    CHECK(allocated(workload, *model.image()) <= adamw);
    CHECK(eight <= adamw);
  }
}

TEST_CASE("frozen parts never need more") {
  for (const std::string_view name : {"mask-rcnn-r50-fpn", "faster-rcnn-r101-fpn", "retinanet-r50-fpn"}) {
    INFO(name);
    model::NamedModelOptions options;
    const double all = allocated(training(2), *model::named_model(name, options)->image());
    options.frozen.stages = true;
    const double stages = allocated(training(2), *model::named_model(name, options)->image());
    options.frozen.batchnorm = true;
    const double constants = allocated(training(2), *model::named_model(name, options)->image());
    options.frozen.backbone = true;
    const double backbone = allocated(training(2), *model::named_model(name, options)->image());
    CHECK(stages <= all);
    CHECK(constants <= stages);
    CHECK(backbone < constants);
  }
}
