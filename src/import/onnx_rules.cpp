#include "import/onnx_rules.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gpuadvise::importer {
namespace {

bool plausible(const Dims& dims) {
  double product = 1;
  for (const std::int64_t dim : dims) {
    product *= static_cast<double>(std::max<std::int64_t>(dim, 1));
    if (dim < 0 || dim > k_largest_size) {
      return false;
    }
  }
  return dims.size() <= k_highest_rank && product < 1e15;
}

}  // namespace

InferredValue shaped(Dims dims) {
  return {plausible(dims), std::move(dims), false, {}};
}

InferredValue counted(std::vector<std::int64_t> integers, bool scalar) {
  InferredValue value;
  value.known = integers.size() <= k_most_integers;
  value.has_integers = value.known;
  value.shape = scalar ? Dims{} : Dims{static_cast<std::int64_t>(integers.size())};
  value.integers = std::move(integers);
  return value;
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const std::int64_t size = static_cast<std::int64_t>(rank);
  return static_cast<std::size_t>(std::clamp<std::int64_t>(axis < 0 ? axis + size : axis, 0, std::max<std::int64_t>(size, 0)));
}

namespace rule {

InferredValue reshape(const NodeView& view) {
  const Dims& x = view.dims(0);
  const GraphValue* value = view.input(0);
  const auto* wanted = view.integers(1, "shape");
  if (value == nullptr || !value->known || wanted == nullptr || wanted->size() > k_highest_rank) {
    return {};
  }
  Dims result;
  double rest = value->elements();
  std::size_t open = k_no_value;
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    std::int64_t size = (*wanted)[i];
    size = size == 0 && view.node.integer("allowzero", 0) == 0 ? (i < x.size() ? x[i] : 1) : size;
    if (size < 0) {
      open = i;
      size = 1;
    }
    rest /= static_cast<double>(std::max<std::int64_t>(size, 1));
    result.push_back(size);
  }
  if (open != k_no_value) {
    if (!(rest >= 0) || rest > static_cast<double>(k_largest_size)) {
      return {};
    }
    result[open] = std::max<std::int64_t>(1, static_cast<std::int64_t>(rest));
  }
  InferredValue shape = shaped(std::move(result));
  shape.has_integers = value->has_integers;
  shape.integers = value->integers;
  return shape;
}

InferredValue flatten(const NodeView& view) {
  const GraphValue* value = view.input(0);
  if (value == nullptr || !value->known) {
    return {};
  }
  const std::size_t axis = axis_of(view.node.integer("axis", 1), value->shape.size());
  double front = 1;
  for (std::size_t i = 0; i < axis; ++i) {
    front *= static_cast<double>(value->shape[i]);
  }
  const double back = value->elements() / std::max(front, 1.0);
  return shaped({static_cast<std::int64_t>(front), static_cast<std::int64_t>(back)});
}

InferredValue transpose(const NodeView& view) {
  const Dims& x = view.dims(0);
  if (x.empty()) {
    return {};
  }
  Dims result(x.rbegin(), x.rend());
  if (const OnnxAttribute* order = view.node.attribute("perm"); order != nullptr && order->ints.size() == x.size()) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int64_t from = order->ints[i];
      if (from < 0 || from >= static_cast<std::int64_t>(x.size())) {
        return {};
      }
      result[i] = x[static_cast<std::size_t>(from)];
    }
  }
  return shaped(std::move(result));
}

InferredValue squeeze(const NodeView& view) {
  const GraphValue* value = view.input(0);
  if (value == nullptr || !value->known) {
    return {};
  }
  const auto* axes = view.integers(1, "axes");
  Dims result;
  for (std::size_t i = 0; i < value->shape.size(); ++i) {
    const bool chosen = axes == nullptr ? value->shape[i] == 1 : std::any_of(axes->begin(), axes->end(), [&](std::int64_t axis) {
      return axis_of(axis, value->shape.size()) == i;
    });
    if (!chosen) {
      result.push_back(value->shape[i]);
    }
  }
  InferredValue shape = shaped(std::move(result));
  shape.has_integers = value->has_integers;
  shape.integers = value->integers;
  return shape;
}

InferredValue unsqueeze(const NodeView& view) {
  const GraphValue* value = view.input(0);
  const auto* axes = view.integers(1, "axes");
  if (value == nullptr || !value->known || axes == nullptr || axes->size() + value->shape.size() > k_highest_rank) {
    return {};
  }
  std::vector<std::size_t> places;
  for (const std::int64_t axis : *axes) {
    places.push_back(axis_of(axis, value->shape.size() + axes->size()));
  }
  std::sort(places.begin(), places.end());
  Dims result = value->shape;
  for (const std::size_t place : places) {
    result.insert(result.begin() + static_cast<std::ptrdiff_t>(std::min(place, result.size())), 1);
  }
  InferredValue shape = shaped(std::move(result));
  shape.has_integers = value->has_integers;
  shape.integers = value->integers;
  return shape;
}

InferredValue concat(const NodeView& view) {
  Dims result = view.dims(0);
  const bool lists =
      std::all_of(view.inputs.begin(), view.inputs.end(), [&](std::size_t i) { return i != k_no_value && view.values[i].has_integers; });
  if (lists && !view.inputs.empty()) {
    std::vector<std::int64_t> all;
    for (const std::size_t i : view.inputs) {
      all.insert(all.end(), view.values[i].integers.begin(), view.values[i].integers.end());
      if (all.size() > k_most_integers) {
        return {};
      }
    }
    return counted(std::move(all));
  }
  const std::size_t axis = axis_of(view.node.integer("axis", 1), result.size());
  if (axis >= result.size()) {
    return {};
  }
  for (std::size_t i = 1; i < view.inputs.size(); ++i) {
    const Dims& next = view.dims(i);
    if (next.size() != result.size() || next[axis] > k_largest_size - result[axis]) {
      return {};
    }
    result[axis] += next[axis];
  }
  return shaped(std::move(result));
}

InferredValue gather(const NodeView& view) {
  const GraphValue* data = view.input(0);
  const GraphValue* indices = view.input(1);
  if (data == nullptr || indices == nullptr || !data->known || !indices->known) {
    return {};
  }
  if (data->has_integers && indices->has_integers) {
    std::vector<std::int64_t> picked;
    for (const std::int64_t index : indices->integers) {
      const auto size = static_cast<std::int64_t>(data->integers.size());
      const std::int64_t at = index < 0 ? index + size : index;
      if (at < 0 || at >= size) {
        return {};
      }
      picked.push_back(data->integers[static_cast<std::size_t>(at)]);
    }
    return counted(std::move(picked), indices->shape.empty());
  }
  const std::size_t axis = axis_of(view.node.integer("axis", 0), data->shape.size());
  if (axis >= data->shape.size()) {
    return {};
  }
  Dims result(data->shape.begin(), data->shape.begin() + static_cast<std::ptrdiff_t>(axis));
  result.insert(result.end(), indices->shape.begin(), indices->shape.end());
  result.insert(result.end(), data->shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, data->shape.end());
  return shaped(std::move(result));
}

InferredValue slice(const NodeView& view) {
  const GraphValue* data = view.input(0);
  const auto* starts = view.integers(1, "starts");
  const auto* ends = view.integers(2, "ends");
  if (data == nullptr || !data->known || starts == nullptr || ends == nullptr || starts->size() != ends->size()) {
    return {};
  }
  const auto* axes = view.integers(3, "axes");
  const auto* steps = view.integers(4, "steps");
  Dims result = data->shape;
  for (std::size_t i = 0; i < starts->size(); ++i) {
    const std::size_t axis = axes != nullptr && i < axes->size() ? axis_of((*axes)[i], result.size()) : i;
    if (axis >= result.size()) {
      return {};
    }
    const std::int64_t size = data->shape[axis];
    const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? std::max(at, -size) + size : at, 0, size); };
    const std::int64_t step = steps != nullptr && i < steps->size() ? (*steps)[i] : 1;
    const std::int64_t from = place((*starts)[i]);
    const std::int64_t to = place((*ends)[i]);
    const std::int64_t span = step > 0 ? to - from : from - to;
    const std::int64_t width = step > 0 ? step : (step == std::numeric_limits<std::int64_t>::min() ? 1 : std::max<std::int64_t>(1, -step));
    result[axis] = std::max<std::int64_t>(0, span / width + (span % width != 0 ? 1 : 0));
    if (data->has_integers && data->shape.size() == 1 && step == 1 && to >= from &&
        to <= static_cast<std::int64_t>(data->integers.size())) {
      return counted({data->integers.begin() + from, data->integers.begin() + to});
    }
  }
  return shaped(std::move(result));
}

InferredValue reduce(const NodeView& view) {
  const GraphValue* data = view.input(0);
  if (data == nullptr || !data->known) {
    return {};
  }
  const auto* axes = view.integers(1, "axes");
  const bool keep = view.node.integer("keepdims", 1) != 0;
  Dims result;
  for (std::size_t i = 0; i < data->shape.size(); ++i) {
    const bool reduced = axes == nullptr || axes->empty() ||
                         std::any_of(axes->begin(), axes->end(), [&](std::int64_t axis) { return axis_of(axis, data->shape.size()) == i; });
    if (!reduced || keep) {
      result.push_back(reduced ? 1 : data->shape[i]);
    }
  }
  return shaped(std::move(result));
}

InferredValue pad(const NodeView& view) {
  Dims result = view.dims(0);
  const auto* pads = view.integers(1, "pads");
  if (result.empty() || pads == nullptr || pads->size() != 2 * result.size()) {
    return {};
  }
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t front = std::clamp<std::int64_t>((*pads)[i], -k_largest_size, k_largest_size);
    const std::int64_t back = std::clamp<std::int64_t>((*pads)[i + result.size()], -k_largest_size, k_largest_size);
    result[i] = std::max<std::int64_t>(0, result[i] + front + back);
  }
  return shaped(std::move(result));
}

InferredValue expand(const NodeView& view) {
  const GraphValue* data = view.input(0);
  const auto* wanted = view.integers(1, "shape");
  if (data == nullptr || !data->known || wanted == nullptr || wanted->size() > k_highest_rank) {
    return {};
  }
  Dims result = *wanted;
  if (data->shape.size() > result.size()) {
    result.insert(result.begin(), data->shape.size() - result.size(), 1);
  }
  for (std::size_t i = 0; i < data->shape.size(); ++i) {
    std::int64_t& into = result[result.size() - data->shape.size() + i];
    into = std::max(into, data->shape[i]);
  }
  return shaped(std::move(result));
}

InferredValue constant_of_shape(const NodeView& view) {
  const auto* wanted = view.integers(0, "shape");
  return wanted == nullptr || wanted->size() > k_highest_rank ? InferredValue{} : shaped(*wanted);
}

InferredValue shape_of(const NodeView& view) {
  const GraphValue* data = view.input(0);
  return data == nullptr || !data->known ? InferredValue{} : counted(data->shape);
}

InferredValue constant(const NodeView& view) {
  if (const OnnxAttribute* value = view.node.attribute("value"); value != nullptr && !value->tensors.empty()) {
    const OnnxTensor& tensor = value->tensors.front();
    InferredValue result = shaped(tensor.dims);
    result.has_integers = !tensor.ints.empty();
    result.integers = tensor.ints;
    return result;
  }
  if (const OnnxAttribute* list = view.node.attribute("value_ints")) {
    return counted(list->ints);
  }
  if (const OnnxAttribute* single = view.node.attribute("value_int")) {
    return counted({single->i}, true);
  }
  return view.node.attribute("value_float") != nullptr ? shaped({}) : InferredValue{};
}

}  // namespace rule

}  // namespace gpuadvise::importer
