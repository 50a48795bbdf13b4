// A handful of models for tests of resolve, and short ways to call it.
#pragma once

#include "workload/resolve.hpp"

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuadvise::workload {

inline Model image_model(std::string_view id, Field field, VisionAttention attention) {
  ImageProfile profile;
  profile.params = 25557032;
  profile.image = 224;
  profile.attention = attention;
  Model model;
  model.id = id;
  model.field = field;
  model.shape = profile;
  return model;
}

// Normalized by layers: windowed attention that is traced without a fused kernel, and convolutions that see far.
inline Model normalized_model(std::string_view id, double layernorms, double spatial_convs) {
  Model model = image_model(id, Field::vision, VisionAttention::none);
  ImageProfile& profile = std::get<ImageProfile>(model.shape);
  profile.layernorms = layernorms;
  profile.batchnorms = 0.0;
  profile.spatial_convs = spatial_convs;
  return model;
}

inline Model text_model(std::string_view id, Field field, double params, double context) {
  TransformerShape shape;
  shape.params = params;
  shape.max_context = context;
  Model model;
  model.id = id;
  model.field = field;
  model.shape = shape;
  return model;
}

inline Model pipeline_model(std::string_view id) {
  DiffusionPipeline pipeline;
  pipeline.denoiser_params = 2.6e9;
  pipeline.width_px = 1024;
  pipeline.height_px = 1024;
  pipeline.default_steps = 50;
  Model model;
  model.id = id;
  model.field = Field::diffusion;
  model.shape = pipeline;
  return model;
}

class SampleModels final : public ModelSource {
 public:
  std::optional<FoundModel> find(const ModelQuery& query) const override {
    for (const Model& model : models_) {
      if (model.id == query.text) {
        return FoundModel{model, std::string(model.id), {}, false};
      }
    }
    if (query.text == "llama-awq") {
      return FoundModel{models_[2], "llama", "int4-awq", true};
    }
    return std::nullopt;
  }
  std::vector<std::string> near(std::string_view) const override { return {"resnet50"}; }
  std::optional<Model> infer(double params, std::optional<double> active, Field field) const override {
    Model model = text_model("inferred", field, params, 8192);
    std::get<TransformerShape>(model.shape).active_params = active.value_or(params);
    return field == Field::vision ? std::nullopt : std::optional<Model>(model);
  }
  FoundModel read_file(std::string_view path) const override {
    if (path == "missing.json") {
      throw Error(ErrorCode::unreadable, "cannot read missing.json");
    }
    return {models_[2], "llama", {}, false};
  }

 private:
  std::array<Model, 10> models_{image_model("resnet50", Field::vision, VisionAttention::none),
                                image_model("vit", Field::vision, VisionAttention::fused),
                                text_model("llama", Field::language, 7e9, 4096),
                                text_model("bert", Field::encoder, 110e6, 512),
                                pipeline_model("sdxl"),
                                text_model("whisper", Field::speech, 1.5e9, 448),
                                text_model("gpt-oss-20b", Field::language, 20.9e9, 131072),
                                image_model("mask-rcnn", Field::detection, VisionAttention::none),
                                normalized_model("windows", 29.0, 1.0),
                                normalized_model("convnext", 23.0, 22.0)};
};

inline constexpr std::array<StackPreset, 4> k_sample_presets{{{"unsloth", "", "offload", "activations"},
                                                              {"unsloth", "", "loss", "fused"},
                                                              {"openmmlab", "segmentation", "cudnn_benchmark", "true"},
                                                              {"litgpt", "", "strategy", "fsdp"}}};

using Pairs = std::initializer_list<std::pair<const char*, Value>>;

inline Request resolved(Pairs pairs) {
  std::vector<Setting> settings;
  for (const auto& [key, value] : pairs) {
    settings.push_back({key, value, Origin::user});
  }
  return resolve(settings, SampleModels(), k_sample_presets);
}

inline Faults faults_of(Pairs pairs) {
  try {
    static_cast<void>(resolved(pairs));
  } catch (const RequestError& error) {
    return error.faults();
  }
  return {};
}

}  // namespace gpuadvise::workload
