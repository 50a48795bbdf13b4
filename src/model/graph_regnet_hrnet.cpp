// RegNet (widths from a quantised line) and HRNet (parallel branches that exchange).
#include "model/graph_backbones.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::model {
namespace {

struct RegnetStage {
  double width = 0;
  int blocks = 0;
};

// Radosavovic et al.: widths on a line, quantised to powers of the multiplier, then to the group width.
std::vector<RegnetStage> regnet_stages(const RegnetSpec& spec) {
  std::vector<RegnetStage> stages;
  for (int i = 0; i < spec.depth; ++i) {
    const double power = std::nearbyint(std::log((spec.initial + spec.slope * i) / spec.initial) / std::log(spec.multiplier));
    const double width = std::nearbyint(spec.initial * std::pow(spec.multiplier, power) / 8) * 8;
    if (!stages.empty() && stages.back().width == width) {
      ++stages.back().blocks;
    } else {
      stages.push_back({width, 1});
    }
  }
  for (RegnetStage& stage : stages) {
    const double group = std::min(spec.group, stage.width);
    stage.width = std::max(1.0, std::nearbyint(stage.width / group)) * group;
  }
  return stages;
}

constexpr double k_reduction = 0.25;

Tensor regnet_block(Graph& graph, const Tensor& x, double width, double stride, const RegnetSpec& spec) {
  graph.begin_block(x);
  Tensor y = conv_norm_relu(graph, x, width, {.kernel = 1});
  y = conv_norm_relu(graph, y, width, {.kernel = 3, .stride = stride, .groups = width / std::min(spec.group, width)});
  if (spec.squeeze_excite) {
    y = squeeze_excite(graph, y, {std::nearbyint(x.channels * k_reduction), Gate::sigmoid, true});
  }
  y = conv_norm(graph, y, width, {.kernel = 1});
  const bool changes = stride != 1 || x.channels != width;
  return graph.relu(graph.add(y, changes ? conv_norm(graph, x, width, {.kernel = 1, .stride = stride}) : x));
}

// HRNet keeps the width of a branch throughout.
Tensor basic_block(Graph& graph, const Tensor& x) {
  const Tensor y = conv_norm_relu(graph, x, x.channels, {});
  return graph.relu(graph.add(conv_norm(graph, y, x.channels, {}), x));
}

Tensor hrnet_stem(Graph& graph, const Tensor& image, int blocks) {
  Tensor x = conv_norm_relu(graph, image, 64, {.stride = 2});
  x = conv_norm_relu(graph, x, 64, {.stride = 2});
  for (int block = 0; block < blocks; ++block) {
    Tensor y = conv_norm_relu(graph, x, 64, {.kernel = 1});
    y = conv_norm_relu(graph, y, 64, {});
    y = conv_norm(graph, y, 256, {.kernel = 1});
    x = graph.relu(graph.add(y, block == 0 ? conv_norm(graph, x, 256, {.kernel = 1}) : x));
  }
  return x;
}

// Every branch sends to every other: 1x1 and upsampling to finer ones, strided 3x3 to coarser ones.
Stages exchange(Graph& graph, const Stages& from, const std::vector<double>& widths) {
  Stages fused;
  for (std::size_t to = 0; to < from.size(); ++to) {
    for (std::size_t source = 0; source < from.size(); ++source) {
      Tensor y = from[source];
      if (source > to) {
        y = conv_norm(graph, y, widths[to], {.kernel = 1});
      }
      for (std::size_t step = source; step < to; ++step) {
        const bool last = step + 1 == to;
        y = last ? conv_norm(graph, y, widths[to], {.stride = 2}) : conv_norm_relu(graph, y, widths[source], {.stride = 2});
      }
    }
    fused.push_back(graph.relu(graph.like(from[to])));
  }
  return fused;
}

}  // namespace

Stages regnet(Graph& graph, const Tensor& image, const RegnetSpec& spec, int frozen_stages) {
  Stages stages;
  graph.freeze(frozen_stages >= 0);
  Tensor x = conv_norm_relu(graph, image, 32, {.stride = 2});
  for (const RegnetStage& stage : regnet_stages(spec)) {
    graph.freeze(frozen_stages > static_cast<int>(stages.size()));
    for (int block = 0; block < stage.blocks; ++block) {
      x = regnet_block(graph, x, stage.width, block == 0 ? 2 : 1, spec);
    }
    stages.push_back(x);
  }
  graph.freeze(false);
  return stages;
}

// Wang et al.: four resolutions side by side; modules per stage 1, 4, 3 (small: 1, 3, 2).
Stages hrnet(Graph& graph, const Tensor& image, double width, bool small) {
  const int blocks = small ? 2 : 4;
  Stages branches = {hrnet_stem(graph, image, blocks)};
  const std::array<int, 3> modules = small ? std::array<int, 3>{1, 3, 2} : std::array<int, 3>{1, 4, 3};
  std::vector<double> widths = {width};
  for (const int repeats : modules) {
    widths.push_back(widths.back() * 2);
    Stages next;
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (i < branches.size()) {
        next.push_back(branches[i].channels == widths[i] ? branches[i] : conv_norm_relu(graph, branches[i], widths[i], {}));
      } else {
        next.push_back(conv_norm_relu(graph, branches.back(), widths[i], {.stride = 2}));
      }
    }
    branches = next;
    for (int module = 0; module < repeats; ++module) {
      for (Tensor& branch : branches) {
        graph.begin_block(branch);
        for (int block = 0; block < blocks; ++block) {
          branch = basic_block(graph, branch);
        }
      }
      branches = exchange(graph, branches, widths);
    }
  }
  return branches;
}

}  // namespace gpuadvise::model
