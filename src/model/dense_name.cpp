#include "model/dense_name.hpp"

#include <array>

namespace gpuadvise::model {
namespace {

bool digit(char c) {
  return c >= '0' && c <= '9';
}
bool letter(char c) {
  return c >= 'a' && c <= 'z';
}

std::string normalised(std::string_view name) {
  std::string text;
  for (const char raw : name) {
    const char c = raw >= 'A' && raw <= 'Z' ? static_cast<char>(raw - 'A' + 'a') : raw;
    if (c == '+') {
      text += "plus";
    } else if (digit(c) || letter(c) || c == '.') {
      text += c;
    } else if (!text.empty() && text.back() != '_') {
      text += '_';
    }
  }
  return text;
}

// "x101_32x4d", "resnext_101_64x4d"
bool read_resnext(std::string_view text, BackboneName& name) {
  for (const std::string_view prefix : {"resnext", "x"}) {
    const auto depth = number_after(text, prefix);
    if (!depth || *depth < 50) {
      continue;
    }
    for (const int groups : {32, 64}) {
      for (const int width : {4, 8}) {
        const std::string part = std::to_string(groups) + "x" + std::to_string(width) + "d";
        if (text.find(part) != std::string_view::npos) {
          name = {BackboneKind::resnet, *depth, static_cast<double>(groups), static_cast<double>(width), 0, ' ', false};
          return true;
        }
      }
    }
    // Nothing said: detectron2's X-101 is 32x8d, the others' is 32x4d.
    name = {BackboneKind::resnet, *depth, 32, 4, 0, ' ', false};
    return true;
  }
  return false;
}

// A letter that names a size: "swin_t", "swin_tiny".
char size_after(std::string_view text, std::string_view prefix) {
  const std::size_t at = text.find(prefix);
  if (at == std::string_view::npos) {
    return ' ';
  }
  std::size_t i = at + prefix.size();
  while (i < text.size() && text[i] == '_') {
    ++i;
  }
  return i < text.size() ? text[i] : ' ';
}

struct Marker {
  std::string_view text;
  BackboneKind kind;
};
constexpr std::array<Marker, 6> k_sized = {{{"swin", BackboneKind::swin},
                                            {"convnext", BackboneKind::convnext},
                                            {"deit", BackboneKind::vit},
                                            {"vit", BackboneKind::vit},
                                            {"mit_b", BackboneKind::mix},
                                            {"segformer_b", BackboneKind::mix}}};

bool read_sized(std::string_view text, BackboneName& name) {
  for (const Marker& marker : k_sized) {
    if (text.find(marker.text) != std::string_view::npos) {
      name.kind = marker.kind;
      name.size = size_after(text, marker.text);
      return true;
    }
  }
  return false;
}

// "HRNetV2p-W18-Small", "hrnetv2p_w32", "hr18s"
bool read_hrnet(std::string_view text, BackboneName& name) {
  auto width = number_after(text, "hr");
  if (!width && text.find("hrnet") != std::string_view::npos) {
    width = number_after(text, "w");
  }
  if (!width) {
    return false;
  }
  name.kind = BackboneKind::hrnet;
  name.width = *width;
  name.small = text.find("small") != std::string_view::npos || text.find("hr" + std::to_string(*width) + "s") != std::string_view::npos;
  return true;
}

// "regnetx-3.2GF", "regnetx-800MF"
bool read_regnet(std::string_view text, BackboneName& name) {
  std::size_t at = text.find("regnetx");
  if (at == std::string_view::npos) {
    return false;
  }
  at += 7;
  while (at < text.size() && text[at] == '_') {
    ++at;
  }
  double value = 0;
  double place = 0;
  for (; at < text.size() && (digit(text[at]) || text[at] == '.'); ++at) {
    if (text[at] == '.') {
      place = 1;
    } else {
      value = value * 10 + (text[at] - '0');
      place *= 10;
    }
  }
  name.kind = BackboneKind::regnet_x;
  name.width = value / (place > 0 ? place : 1) * (text.substr(at, 2) == "gf" ? 1000 : 1);
  return true;
}

bool read_small_networks(std::string_view text, BackboneName& name) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (has("m_v2") || has("mobilenetv2") || has("mobilenet_v2")) {
    name.kind = BackboneKind::mobilenet_v2;
  } else if (has("m_v3") || has("mobilenetv3") || has("mobilenet_v3")) {
    name.kind = BackboneKind::mobilenet_v3;
    name.small = has("m_v3s") || has("v3_small");
  } else if (has("darknet") || has("d53")) {
    name.kind = BackboneKind::darknet;
  } else if (has("unet")) {
    name.kind = BackboneKind::unet;
  } else if (has("vgg") || has("ssd300") || has("ssd512")) {
    name = {BackboneKind::vgg, 16, 1, 64, 0, ' ', false};
  }
  return name.kind != BackboneKind::unknown;
}

// "R-50", "r101", "ResNet-50", "S-101" and "resnest50"; last, because its prefixes are the shortest
bool read_resnet(std::string_view text, BackboneName& name) {
  for (const std::string_view prefix : {"resnest", "s"}) {
    const auto depth = number_after(text, prefix);
    if (depth && (*depth == 50 || *depth == 101 || *depth == 200)) {
      name.kind = BackboneKind::resnest;
      name.depth = *depth;
      return true;
    }
  }
  for (const std::string_view prefix : {"r", "resnet", "resnetv1c", "resnettsm", "tanet", "resnettin", "resnet3dslowonly", "resnet2plus1d",
                                        "resnet3d", "resnet3dcsn", "res2net"}) {
    const auto depth = number_after(text, prefix);
    if (depth && resnet_spec(*depth)) {
      name.kind = BackboneKind::resnet;
      name.depth = *depth;
      return true;
    }
  }
  return false;
}

// The particular before the general: "X-101-32x8d" holds a depth as well.
BackboneName backbone_name(std::string_view text) {
  BackboneName name;
  const bool found = read_regnet(text, name) || read_hrnet(text, name) || read_sized(text, name) || read_small_networks(text, name) ||
                     read_resnext(text, name) || read_resnet(text, name);
  if (!found) {
    name.kind = BackboneKind::unknown;
  }
  return name;
}

}  // namespace

bool DenseName::word(std::string_view part) const {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || text[at - 1] == '_') && (end == text.size() || text[end] == '_')) {
      return true;
    }
  }
  return false;
}

std::optional<int> number_after(std::string_view text, std::string_view prefix) {
  for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
    if (at > 0 && text[at - 1] != '_') {
      continue;
    }
    std::size_t i = at + prefix.size();
    i += i < text.size() && text[i] == '_' ? 1U : 0U;
    int value = 0;
    const std::size_t begin = i;
    for (; i < text.size() && digit(text[i]) && i - begin < 6; ++i) {
      value = value * 10 + (text[i] - '0');
    }
    if (i > begin) {
      return value;
    }
  }
  return std::nullopt;
}

DenseName dense_name(std::string_view name, std::string_view config) {
  DenseName result;
  result.text = normalised(std::string(name) + " " + std::string(config));
  while (!result.text.empty() && result.text.back() == '_') {
    result.text.pop_back();
  }
  for (const char c : result.text) {
    if (c != '_') {
      result.compact += c;
    }
  }
  result.backbone = backbone_name(result.text);
  return result;
}

}  // namespace gpuadvise::model
