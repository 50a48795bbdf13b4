#include "model/named.hpp"

#include "model/dense.hpp"
#include "model/graph_profile.hpp"
#include "model/named_table.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace gpuadvise::model {
namespace {

// Models hold views; names composed at run time live here until the program ends.
std::string_view stored(std::string text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> texts;
  const std::lock_guard lock(mutex);
  return *texts.insert(std::move(text)).first;
}

std::string compact(std::string_view text) {
  std::string result;
  for (const char raw : text) {
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      result += c;
    }
  }
  return result;
}

// What people call them, compacted; names that differ in case and punctuation alone need no row.
struct Alias {
  std::string_view compact_name;
  std::string_view id;
};
constexpr std::array<Alias, 22> k_aliases = {{
    {"lenet", "lenet5"},
    {"simplecnn", "small-cnn"},
    {"mnistcnn", "small-cnn"},
    {"cifarcnn", "small-cnn"},
    {"squeezenet", "squeezenet1_1"},
    {"shufflenet", "shufflenet_v2_x1_0"},
    {"shufflenetv2", "shufflenet_v2_x1_0"},
    {"inceptionv1", "googlenet"},
    {"mobilenetv2", "mobilenetv2_100"},
    {"mobilenetv3large", "mobilenetv3_large_100"},
    {"mobilenetv3small", "mobilenetv3_small_100"},
    {"unet2d", "unet"},
    {"3dunet", "unet3d"},
    {"nnunet", "nnunet-3d-fullres"},
    {"nnunet3d", "nnunet-3d-fullres"},
    {"nnunet3dfullres", "nnunet-3d-fullres"},
    {"pointnet", "pointnet-seg"},
    {"openaiclipvitbasepatch32", "clip-vit-b-32"},
    {"openaiclipvitbasepatch16", "clip-vit-b-16"},
    {"openaiclipvitlargepatch14", "clip-vit-l-14"},
    {"clip", "clip-vit-b-32"},
    {"yolov8", "yolov8s"},
}};

const NamedRow* row_of(std::string_view name) {
  std::string key = compact(name);
  for (const Alias& alias : k_aliases) {
    if (key == alias.compact_name) {
      key = compact(alias.id);
    }
  }
  for (const NamedRow& row : named_rows()) {
    if (key == compact(row.id)) {
      return &row;
    }
  }
  return nullptr;
}

Model named_row_model(const NamedRow& row, const NamedModelOptions& options) {
  ProfileOptions profile;
  const bool sized = options.image.height > 0;
  profile.image_height = sized ? options.image.height : row.image;
  profile.image_width = sized ? options.image.width : row.image;
  profile.frames = sized && options.image.frames > 1 ? options.image.frames : row.frames;
  profile.channels = row.channels;
  profile.classes = options.classes > 0 && row.classes > 0 ? options.classes : row.classes;
  profile.attention = row.attention;
  const auto network = [&](Graph& graph) {
    const Tensor image = graph.input(row.channels, profile.image_height, profile.image_width, profile.frames);
    row.build(graph, image, profile.classes);
  };
  Model model;
  model.id = row.id;
  model.name = row.id;
  model.family = row.family;
  model.field = row.field;
  model.source = "counted from the operators of the published architecture";
  model.shape = profile_of(network, profile);
  return model;
}

std::string slug(std::string_view name) {
  std::string result;
  for (const char raw : name) {
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
    if (c == '+') {
      result += "plus";
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.') {
      result += c;
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (!result.empty() && result.back() == '-') {
    result.pop_back();
  }
  return result;
}

// Examples of composed names, so that lists and suggestions show the pattern.
constexpr std::array<std::string_view, 26> k_composed_ids = {
    "mask-rcnn-r50-fpn",
    "mask-rcnn-r101-fpn",
    "faster-rcnn-r50-fpn",
    "faster-rcnn-r101-fpn",
    "cascade-rcnn-r50-fpn",
    "retinanet-r50-fpn",
    "fcos-r50-fpn",
    "ssd300",
    "yolov3",
    "yolox-s",
    "detr-r50",
    "deformable-detr-r50",
    "mask2former-r50",
    "mask2former-swin-t",
    "fcn-r50-d8",
    "pspnet-r50-d8",
    "deeplabv3-r50-d8",
    "deeplabv3-r101-d8",
    "deeplabv3plus-r101-d8",
    "upernet-swin-t",
    "segformer-mit-b0",
    "segformer-mit-b5",
    "tsn-r50",
    "tsm-r50",
    "slowfast-r50-4x16",
    "timesformer-divst",
};

std::vector<std::string_view> all_ids() {
  std::vector<std::string_view> ids(k_composed_ids.begin(), k_composed_ids.end());
  for (const NamedRow& row : named_rows()) {
    ids.push_back(row.id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

std::optional<Model> named_model(std::string_view name, const NamedModelOptions& options) {
  if (const NamedRow* row = row_of(name)) {
    return named_row_model(*row, options);
  }
  const DenseName parsed = dense_name(name, options.config);
  for (const auto compose : {video_network, single_shot_network, query_network, detection_network, segmentation_network}) {
    if (const auto composed = compose(parsed, options)) {
      Model model;
      model.id = stored(slug(name));
      model.name = stored(std::string(name));
      model.family = model.id;
      model.field = composed->field;
      model.source = "composed from the operators of backbone, neck and head";
      model.shape = composed->profile;
      return model;
    }
  }
  return std::nullopt;
}

std::span<const std::string_view> named_model_ids() {
  static const std::vector<std::string_view> ids = all_ids();
  return ids;
}

}  // namespace gpuadvise::model
