#include "import/onnx_file.hpp"

#include "import/protobuf.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <unordered_set>

namespace gpuadvise::importer {
namespace {

constexpr std::uint64_t k_longest_name = 64UL * 1024;
constexpr std::uint64_t k_most_nodes = 1'000'000;
constexpr std::uint64_t k_most_initializers = 1'000'000;
constexpr std::size_t k_highest_rank = 16;
constexpr std::size_t k_kept_integers = 1024;
// Names, numbers and messages kept of a whole file: a bound on memory whatever the file says.
constexpr std::uint64_t k_most_items = 16'000'000;
constexpr std::uint64_t k_most_text = 512UL * 1024 * 1024;
constexpr std::size_t k_most_external_files = 1000;
// Of one protocol buffer; larger models keep their weights outside.
constexpr std::uint64_t k_largest_file = std::uint64_t{2} * 1024 * 1024 * 1024;

using Kind = WireField::Kind;

// TensorProto.DataType of ONNX's schema, by number; 0 = none or of no fixed size.
constexpr auto k_type_bits =
    std::to_array<double>({0, 32, 8, 8, 16, 16, 32, 64, 0, 8, 16, 64, 32, 64, 64, 128, 16, 8, 8, 8, 8, 4, 4, 4, 8});

class Reader {
 public:
  explicit Reader(const ByteSource& source) : cursor_(source) {}
  [[nodiscard]] OnnxGraph read();

 private:
  void spend(const WireMessage& message, std::uint64_t text = 0) {
    text_ += text;
    if (++items_ > k_most_items || text_ > k_most_text) {
      message.refuse("more parts than a network has");
    }
  }
  [[nodiscard]] std::string name(const WireMessage& message, const WireField& field) {
    spend(message, field.kind == Kind::bytes ? field.value : 0);
    return message.text(field, k_longest_name);
  }
  void integers(const WireMessage& message, const WireField& field, std::vector<std::int64_t>& into, std::size_t most);
  void graph(WireMessage message);
  [[nodiscard]] OnnxNode node(WireMessage message);
  [[nodiscard]] OnnxAttribute attribute(WireMessage message);
  [[nodiscard]] OnnxTensor tensor(WireMessage message);
  void external(WireMessage message, OnnxTensor& tensor);
  [[nodiscard]] OnnxValue value(WireMessage message);
  void value_type(WireMessage message, OnnxValue& value);
  [[nodiscard]] std::vector<std::int64_t> shape(WireMessage message);

  ByteCursor cursor_;
  OnnxGraph graph_;
  std::set<std::string> external_;
  std::unordered_set<std::string> initializer_names_;
  bool has_graph_ = false;
  std::uint64_t items_ = 0;
  std::uint64_t text_ = 0;
};

// Lists of numbers come packed or one by one.
void Reader::integers(const WireMessage& message, const WireField& field, std::vector<std::int64_t>& into, std::size_t most) {
  const auto keep = [&](std::uint64_t value) {
    spend(message);
    if (into.size() >= most) {
      message.refuse("a list of more than " + std::to_string(most) + " numbers");
    }
    into.push_back(static_cast<std::int64_t>(value));
  };
  if (field.kind == Kind::varint) {
    keep(field.value);
    return;
  }
  if (field.kind != Kind::bytes) {
    message.refuse("whole numbers belong here");
  }
  std::uint64_t value = 0;
  while (message.packed(value, Kind::varint)) {
    keep(value);
  }
}

void Reader::external(WireMessage message, OnnxTensor& tensor) {
  tensor.external = true;
  std::string key;
  std::string content;
  WireField field;
  while (message.next(field)) {
    if (field.number == 1) {
      key = name(message, field);
    } else if (field.number == 2) {
      content = name(message, field);
    }
  }
  if (key != "location") {
    return;
  }
  // The file itself is not opened; a path out of the folder is still no honest model's.
  const bool plain = !content.empty() && content.front() != '/' && content.find('\\') == std::string::npos &&
                     content.find('\0') == std::string::npos && content != ".." && content.find("../") == std::string::npos;
  if (!plain) {
    message.refuse("external data lie outside the model's folder");
  }
  if (external_.size() < k_most_external_files) {
    external_.insert(content);
  }
}

OnnxTensor Reader::tensor(WireMessage message) {
  OnnxTensor result;
  std::uint64_t raw_bytes = 0;
  WireField field;
  while (message.next(field)) {
    switch (field.number) {
      case 1:
        integers(message, field, result.dims, k_highest_rank);
        break;
      case 2:
        result.type = static_cast<int>(std::min<std::uint64_t>(field.value, 1000));
        break;
      case 5:
      case 7:
        // int32_data and int64_data: short lists are shapes, long ones are data.
        if (field.kind == Kind::varint || field.value <= 10 * k_kept_integers) {
          integers(message, field, result.ints, 10 * k_kept_integers);
        }
        break;
      case 8:
        result.name = name(message, field);
        break;
      case 9:
        raw_bytes = field.kind == Kind::bytes ? field.value : 0;
        if (raw_bytes <= 8 * k_kept_integers) {
          const std::string raw = message.text(field, 8 * k_kept_integers);
          const std::size_t size = result.type == 7 ? 8 : result.type == 6 ? 4 : 0;
          for (std::size_t i = 0; size > 0 && i + size <= raw.size(); i += size) {
            std::uint64_t bits = 0;
            for (std::size_t b = size; b-- > 0;) {
              bits = (bits << 8U) | static_cast<unsigned char>(raw[i + b]);
            }
            result.ints.push_back(size == 8 ? static_cast<std::int64_t>(bits)
                                            : static_cast<std::int64_t>(static_cast<std::int32_t>(static_cast<std::uint32_t>(bits))));
          }
        }
        break;
      case 13: {
        const WireMessage entry(message, field);
        external(entry, result);
        break;
      }
      default:
        break;
    }
  }
  std::uint64_t elements = 1;
  for (const std::int64_t dim : result.dims) {
    if (dim < 0 || !multiply(elements, static_cast<std::uint64_t>(dim), elements)) {
      message.refuse("tensor '" + result.name.substr(0, 100) + "' has an impossible size");
    }
  }
  if (elements > k_kept_integers || (result.type != 6 && result.type != 7) || result.ints.size() != elements) {
    result.ints.clear();
  }
  return result;
}

OnnxAttribute Reader::attribute(WireMessage message) {
  OnnxAttribute result;
  WireField field;
  while (message.next(field)) {
    switch (field.number) {
      case 1:
        result.name = name(message, field);
        break;
      case 2:
        result.f = std::bit_cast<float>(static_cast<std::uint32_t>(field.value));
        break;
      case 3:
        result.i = static_cast<std::int64_t>(field.value);
        break;
      case 4:
        // Strings of some attributes are whole programs: only words matter here.
        if (field.kind == Kind::bytes && field.value <= 256) {
          result.s = name(message, field);
        }
        break;
      case 5:
        spend(message);
        result.tensors.assign(1, tensor(WireMessage(message, field)));
        break;
      case 6:
      case 11:
        result.graph = true;
        break;
      case 8:
        integers(message, field, result.ints, 100'000);
        break;
      default:
        break;
    }
  }
  return result;
}

OnnxNode Reader::node(WireMessage message) {
  OnnxNode result;
  WireField field;
  while (message.next(field)) {
    switch (field.number) {
      case 1:
        result.inputs.push_back(name(message, field));
        break;
      case 2:
        result.outputs.push_back(name(message, field));
        break;
      case 4:
        result.op = name(message, field);
        break;
      case 5:
        spend(message);
        result.attributes.push_back(attribute(WireMessage(message, field)));
        break;
      case 7:
        result.domain = name(message, field);
        break;
      default:
        break;
    }
  }
  return result;
}

std::vector<std::int64_t> Reader::shape(WireMessage message) {
  std::vector<std::int64_t> dims;
  WireField field;
  while (message.next(field)) {
    if (field.number != 1) {
      continue;
    }
    WireMessage dimension(message, field);
    WireField part;
    std::int64_t size = k_open_dimension;
    while (dimension.next(part)) {
      if (part.number == 1 && part.kind == Kind::varint) {
        const auto stated = static_cast<std::int64_t>(part.value);
        size = stated > 0 ? stated : k_open_dimension;
      }
    }
    if (dims.size() >= k_highest_rank) {
      message.refuse("more than " + std::to_string(k_highest_rank) + " dimensions");
    }
    dims.push_back(size);
  }
  return dims;
}

void Reader::value_type(WireMessage message, OnnxValue& result) {
  WireField field;
  while (message.next(field)) {
    if (field.number != 1) {
      continue;  // sequences and maps have no shape
    }
    WireMessage type(message, field);
    WireField part;
    while (type.next(part)) {
      if (part.number == 1) {
        result.type = static_cast<int>(std::min<std::uint64_t>(part.value, 1000));
      } else if (part.number == 2) {
        result.shape = shape(WireMessage(type, part));
      }
    }
  }
}

OnnxValue Reader::value(WireMessage message) {
  OnnxValue result;
  WireField field;
  while (message.next(field)) {
    if (field.number == 1) {
      result.name = name(message, field);
    } else if (field.number == 2) {
      value_type(WireMessage(message, field), result);
    }
  }
  return result;
}

void Reader::graph(WireMessage message) {
  WireField field;
  while (message.next(field)) {
    spend(message);
    switch (field.number) {
      case 1:
        graph_.nodes.push_back(node(WireMessage(message, field)));
        if (graph_.nodes.size() > k_most_nodes) {
          message.refuse("more than a million nodes");
        }
        break;
      case 2:
        graph_.name = name(message, field);
        break;
      case 5:
        graph_.initializers.push_back(tensor(WireMessage(message, field)));
        if (graph_.initializers.size() > k_most_initializers) {
          message.refuse("more than a million initializers");
        }
        if (!initializer_names_.insert(graph_.initializers.back().name).second) {
          message.refuse("duplicate initializer '" + graph_.initializers.back().name.substr(0, 100) + "'");
        }
        break;
      case 11:
        graph_.inputs.push_back(value(WireMessage(message, field)));
        break;
      case 12:
        graph_.outputs.push_back(value(WireMessage(message, field)));
        break;
      case 13:
        graph_.values.push_back(value(WireMessage(message, field)));
        break;
      default:
        break;
    }
  }
}

OnnxGraph Reader::read() {
  WireMessage model(cursor_);
  WireField field;
  while (model.next(field)) {
    spend(model);
    if (field.number == 2 && field.kind == Kind::bytes) {
      graph_.producer = name(model, field);
    } else if (field.number == 7) {
      if (has_graph_) {
        model.refuse("a second graph");
      }
      has_graph_ = true;
      graph(WireMessage(model, field));
    }
  }
  if (!has_graph_ || graph_.nodes.empty()) {
    model.refuse("no graph of operators: not an ONNX model");
  }
  graph_.external_files.assign(external_.begin(), external_.end());
  return std::move(graph_);
}

}  // namespace

double OnnxTensor::elements() const {
  double product = 1;
  for (const std::int64_t dim : dims) {
    product *= static_cast<double>(dim);
  }
  return product;
}

const OnnxAttribute* OnnxNode::attribute(std::string_view name) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const OnnxAttribute& a) { return a.name == name; });
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t OnnxNode::integer(std::string_view name, std::int64_t fallback) const {
  const OnnxAttribute* found = attribute(name);
  return found == nullptr ? fallback : found->i;
}

std::int64_t OnnxNode::element(std::string_view name, std::size_t index, std::int64_t fallback) const {
  const OnnxAttribute* found = attribute(name);
  return found == nullptr || index >= found->ints.size() ? fallback : found->ints[index];
}

double onnx_type_bits(int type) {
  return type >= 0 && type < static_cast<int>(k_type_bits.size()) ? k_type_bits[static_cast<std::size_t>(type)] : 0;
}

bool onnx_weight_type(int type) {
  const bool wide_integer = type == 4 || type == 5 || type == 6 || type == 7 || type == 8 || type == 9 || type == 12 || type == 13;
  return !wide_integer && onnx_type_bits(type) > 0;
}

OnnxGraph read_onnx(const ByteSource& source) {
  if (source.size() > k_largest_file) {
    refuse_at(source, 0, "larger than 2 GiB, the most that an ONNX file can hold: not an ONNX model, or a damaged one");
  }
  return Reader(source).read();
}

}  // namespace gpuadvise::importer
