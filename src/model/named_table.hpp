// The networks that have an id of their own, with their reference sizes.
#pragma once

#include <gpuadvise/model.hpp>

#include "model/graph.hpp"

#include <span>
#include <string_view>

namespace gpuadvise::model {

struct NamedRow {
  std::string_view id;
  std::string_view family;
  Field field;
  double image;   // reference side
  double frames;  // or depth
  double channels;
  double classes;
  VisionAttention attention;
  void (*build)(Graph&, const Tensor&, double classes);
};

[[nodiscard]] std::span<const NamedRow> named_rows();

}  // namespace gpuadvise::model
