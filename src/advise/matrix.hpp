// A grid of estimates: settings that vary along axes, on each of several cards. Cells are visited one at a time, so that a grid
// of any size takes constant memory.
#pragma once

#include <gpuadvise/estimate.hpp>
#include <gpuadvise/figures.hpp>
#include <gpuadvise/gpu.hpp>
#include <gpuadvise/workload.hpp>

#include "advise/solve.hpp"

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::advise {

struct Axis {
  std::string key;
  std::vector<std::string> values;
};

// "batch=1..256" doubles (1, 2, 4 ... 256); "batch=16..64..16" steps; "precision=fp32,amp-fp16" lists; parts may be mixed.
// Throws Error{usage}.
[[nodiscard]] Axis parse_axis(std::string_view text);

struct Cell {
  std::span<const std::size_t> at;  // position on each axis
  const Gpu& gpu;
  const Figures& figures;
  std::string_view division = {};  // how the job is divided over several GPUs, where that was left open
};

struct Refused {
  std::span<const std::size_t> at;
  std::string_view code;
  std::string_view message;
};

struct MatrixVisitor {
  std::function<void(const Cell&)> cell;
  std::function<void(const Refused&)> refused;  // a combination that cannot be: all its cells
};

// Cards vary fastest, then the last axis. Settings must not hold a key of an axis.
void visit_matrix(std::span<const Axis> axes, std::span<const Setting> settings, std::span<const Gpu* const> cards, bool windows,
                  const Resolver& resolve, const MatrixVisitor& visitor);

}  // namespace gpuadvise::advise
