// Names of the catalog's enumerations in data files, in the order of the enumerators.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace gpuadvise::catalog {

template <class E>
struct EnumNames;  // specialised below: static constexpr std::array names

template <>
struct EnumNames<Vendor> {
  static constexpr std::array names = std::to_array<std::string_view>({"nvidia", "amd", "intel", "apple", "moore-threads", "huawei"});
};
template <>
struct EnumNames<Segment> {
  static constexpr std::array names =
      std::to_array<std::string_view>({"consumer", "workstation", "datacenter", "laptop", "integrated", "embedded"});
};
template <>
struct EnumNames<FormFactor> {
  static constexpr std::array names = std::to_array<std::string_view>({"pcie", "mxm", "soc", "sxm", "oam"});
};
template <>
struct EnumNames<Cooling> {
  static constexpr std::array names = std::to_array<std::string_view>({"unknown", "active", "passive", "liquid"});
};
template <>
struct EnumNames<Availability> {
  static constexpr std::array names = std::to_array<std::string_view>({"current", "discontinued", "announced"});
};
template <>
struct EnumNames<Architecture> {
  static constexpr std::array names = std::to_array<std::string_view>(
      {"kepler",       "maxwell", "pascal", "volta", "turing", "ampere-dc", "ampere", "ada",   "hopper", "blackwell",
       "blackwell-dc", "rubin",   "gcn",    "rdna1", "rdna2",  "rdna3",     "rdna4",  "cdna1", "cdna2",  "cdna3",
       "cdna4",        "cdna5",   "xe-hpg", "xe2",   "xe-hpc", "gaudi",     "apple",  "other"});
};
template <>
struct EnumNames<PriceKind> {
  static constexpr std::array names = std::to_array<std::string_view>({"new-retail", "launch", "used", "estimate", "user"});
};
template <>
struct EnumNames<Field> {
  static constexpr std::array names = std::to_array<std::string_view>(
      {"vision", "detection", "segmentation", "video", "language", "vision-language", "encoder", "speech", "diffusion", "recommender"});
};
template <>
struct EnumNames<VisionAttention> {
  static constexpr std::array names = std::to_array<std::string_view>({"unknown", "none", "fused", "eager"});
};
template <>
struct EnumNames<ProfileSource> {
  static constexpr std::array names = std::to_array<std::string_view>({"traced", "counted", "estimated"});
};
template <>
struct EnumNames<AttentionKind> {
  static constexpr std::array names = std::to_array<std::string_view>({"mha", "gqa", "mqa", "mla", "hybrid", "ssm"});
};
template <>
struct EnumNames<TransformerKind> {
  static constexpr std::array names =
      std::to_array<std::string_view>({"decoder", "vision-decoder", "encoder", "embedding-decoder", "encoder-decoder", "speech"});
};
template <>
struct EnumNames<StateKind> {
  static constexpr std::array names = std::to_array<std::string_view>({"none", "gated-delta", "mamba1", "mamba2", "short-conv", "rwkv"});
};
template <>
struct EnumNames<DenoiserKind> {
  static constexpr std::array names = std::to_array<std::string_view>({"unet", "dit", "mmdit", "uvit"});
};

template <class E>
[[nodiscard]] constexpr std::string_view enum_name(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

template <class E>
[[nodiscard]] constexpr std::optional<E> parse_enum(std::string_view text) {
  for (std::size_t i = 0; i < EnumNames<E>::names.size(); ++i) {
    if (EnumNames<E>::names[i] == text) {
      return static_cast<E>(i);
    }
  }
  return std::nullopt;
}

}  // namespace gpuadvise::catalog
