#include "import/safetensors.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/parse_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <unordered_set>

namespace gpuadvise::importer {
namespace {

using nlohmann::json;

constexpr std::uint64_t k_largest_header = 100'000'000;  // the format's own limit
constexpr std::size_t k_most_tensors = 1'000'000;
constexpr std::size_t k_longest_name = 4096;
constexpr std::size_t k_highest_rank = 16;
constexpr int k_deepest = 4;
constexpr std::size_t k_most_shards = 10'000;

struct TypeBits {
  std::string_view name;
  std::uint64_t bits;
};

constexpr auto k_types =
    std::to_array<TypeBits>({{"BOOL", 8},    {"U8", 8},      {"I8", 8},   {"F8_E4M3", 8}, {"F8_E5M2", 8}, {"F8_E8M0", 8}, {"F4", 4},
                             {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"I16", 16}, {"U16", 16},    {"F16", 16},    {"BF16", 16},   {"I32", 32},
                             {"U32", 32},    {"F32", 32},    {"I64", 64}, {"U64", 64},    {"F64", 64},    {"C64", 64}});

std::optional<std::uint64_t> bits_of(std::string_view type) {
  for (const TypeBits& row : k_types) {
    if (row.name == type) {
      return row.bits;
    }
  }
  return std::nullopt;
}

// Takes the header's JSON event by event: a tree of a million tensors would need gigabytes.
class HeaderReader final : public nlohmann::json_sax<json> {
 public:
  HeaderReader(const ByteSource& source, std::uint64_t data_bytes) : source_(source), data_bytes_(data_bytes) {}
  [[nodiscard]] SafetensorsHeader finish();

  bool key(string_t& text) override {
    if (depth_ == 1) {
      start_tensor(text);
    } else if (!in_metadata_) {
      start_field(text);
    } else if (!metadata_keys_.insert(text).second) {
      refuse("duplicate key '" + text + "'");
    }
    return true;
  }
  bool start_object(std::size_t /*elements*/) override {
    enter();
    if (depth_ > 2) {
      refuse("an object where a number or a text belongs");
    }
    return true;
  }
  bool end_object() override {
    --depth_;
    if (depth_ == 1) {
      if (!in_metadata_) {
        finish_tensor();
      }
      in_metadata_ = false;
      named_ = false;
    }
    return true;
  }
  bool start_array(std::size_t /*elements*/) override {
    enter();
    if (depth_ != 3 || in_metadata_ || (field_ != Field::shape && field_ != Field::offsets)) {
      refuse("a list where none belongs");
    }
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (depth_ != 3) {
      refuse("a number where none belongs");
    }
    std::vector<std::uint64_t>& list = field_ == Field::shape ? tensor_.shape : offsets_;
    if (list.size() >= k_highest_rank) {
      refuse("more than " + std::to_string(k_highest_rank) + " dimensions");
    }
    list.push_back(value);
    return true;
  }
  bool string(string_t& text) override {
    if (depth_ == 2 && in_metadata_) {
      return true;
    }
    if (depth_ != 2 || field_ != Field::dtype || text.size() > 32) {
      refuse("a text where none belongs");
    }
    tensor_.type = text;
    return true;
  }
  bool number_integer(number_integer_t /*value*/) override { return unexpected("a negative number"); }
  bool number_float(number_float_t /*value*/, const string_t& /*text*/) override { return unexpected("a fraction"); }
  bool boolean(bool /*value*/) override { return unexpected("true or false"); }
  bool null() override { return unexpected("null"); }
  bool binary(binary_t& /*value*/) override { return unexpected("binary data"); }
  bool parse_error(std::size_t position, const std::string& /*token*/, const json::exception& error) override {
    refuse_at(source_, 8 + position, catalog::parse_fault(error.what()));
  }

 private:
  enum class Field { none, dtype, shape, offsets };

  [[noreturn]] void refuse(const std::string& reason) const {
    refuse_at(source_, 8, "header: " + reason + (tensor_.name.empty() ? "" : " (tensor '" + tensor_.name.substr(0, 100) + "')"));
  }
  bool unexpected(const std::string& what) const { refuse(what + " where a size or a text belongs"); }
  void enter() {
    if (++depth_ > k_deepest) {
      refuse("nested too deeply");
    }
    if (depth_ == 2 && !named_) {
      refuse("a value without a name");
    }
  }
  void start_tensor(const std::string& name) {
    tensor_ = {};
    offsets_.clear();
    fields_.clear();
    named_ = true;
    if (name.empty() || name.size() > k_longest_name) {
      refuse("a tensor's name must have 1 to " + std::to_string(k_longest_name) + " bytes");
    }
    if (!names_.insert(name).second) {
      refuse("duplicate tensor '" + name.substr(0, 100) + "'");
    }
    if (names_.size() > k_most_tensors) {
      refuse("more than " + std::to_string(k_most_tensors) + " tensors");
    }
    in_metadata_ = name == "__metadata__";
    tensor_.name = name;
  }
  void start_field(const std::string& name) {
    field_ = name == "dtype" ? Field::dtype : name == "shape" ? Field::shape : name == "data_offsets" ? Field::offsets : Field::none;
    if (field_ == Field::none) {
      refuse("unknown key '" + name.substr(0, 100) + "'");
    }
    if (!fields_.insert(field_).second) {
      refuse("duplicate key '" + name + "'");
    }
  }
  void finish_tensor();

  const ByteSource& source_;
  std::uint64_t data_bytes_;
  int depth_ = 0;
  bool named_ = false;
  bool in_metadata_ = false;
  Field field_ = Field::none;
  std::set<Field> fields_;
  FileTensor tensor_;
  std::vector<std::uint64_t> offsets_;
  std::unordered_set<std::string> names_;
  std::set<std::string> metadata_keys_;
  struct Range {
    std::uint64_t begin;
    std::uint64_t end;
  };
  std::vector<Range> ranges_;
  SafetensorsHeader header_;
};

void HeaderReader::finish_tensor() {
  if (fields_.size() != 3 || offsets_.size() != 2) {
    refuse("dtype, shape and two data_offsets are needed");
  }
  if (offsets_[0] > offsets_[1]) {
    refuse("data_offsets run backwards");
  }
  tensor_.bytes = offsets_[1] - offsets_[0];
  tensor_.elements = 1;
  for (const std::uint64_t size : tensor_.shape) {
    if (!multiply(tensor_.elements, size, tensor_.elements)) {
      refuse("the product of its dimensions overflows");
    }
  }
  if (const auto bits = bits_of(tensor_.type)) {
    std::uint64_t all_bits = 0;
    if (!multiply(tensor_.elements, *bits, all_bits) || all_bits % 8 != 0 || all_bits / 8 != tensor_.bytes) {
      refuse("shape and dtype do not make the " + std::to_string(tensor_.bytes) + " bytes that data_offsets span");
    }
  }
  if (tensor_.bytes > 0) {
    ranges_.push_back({offsets_[0], offsets_[1]});
  }
  header_.truncated = header_.truncated || offsets_[1] > data_bytes_;
  header_.tensors.push_back(std::move(tensor_));
  tensor_ = {};
}

SafetensorsHeader HeaderReader::finish() {
  std::sort(ranges_.begin(), ranges_.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::uint64_t end = 0;
  for (const Range& range : ranges_) {
    if (range.begin < end) {
      refuse("two tensors share bytes");
    }
    header_.holes = header_.holes || range.begin > end;
    end = range.end;
  }
  header_.holes = header_.holes || (!header_.truncated && end != data_bytes_);
  return std::move(header_);
}

bool plain_name(std::string_view name) {
  return !name.empty() && name.size() < 256 && name.find_first_of("/\\") == std::string_view::npos && name != "." && name != ".." &&
         name.find('\0') == std::string_view::npos && name.ends_with(".safetensors");
}

}  // namespace

SafetensorsHeader read_safetensors(const ByteSource& source) {
  ByteCursor cursor(source);
  const std::uint64_t length = cursor.number(8);
  if (length < 2 || length > k_largest_header || length > cursor.remaining()) {
    refuse_at(source, 0, "a header of " + std::to_string(length) + " bytes: not a safetensors file, or a damaged one");
  }
  // A header of zeros (a sparse or unfinished file) is not worth reading whole.
  if (source.text(8, 1) != "{") {
    refuse_at(source, 8, "the header does not start with '{': not a safetensors file, or a damaged one");
  }
  const std::string last = source.text(7 + length, 1);
  if (last != "}" && last != " ") {
    refuse_at(source, 7 + length, "the header does not end with '}': a damaged or unfinished file");
  }
  const std::string text = source.text(8, static_cast<std::size_t>(length));
  HeaderReader reader(source, source.size() - 8 - length);
  json::sax_parse(text, &reader);
  return reader.finish();
}

std::vector<std::string> shard_names(std::string_view text, const std::string& file) {
  const json root = catalog::parse_json(text, file, catalog::ControlCharacters::taken);
  const auto map = root.is_object() ? root.find("weight_map") : root.end();
  if (!root.is_object() || map == root.end() || !map->is_object() || map->empty()) {
    throw Error(ErrorCode::bad_data, "no weight_map: not the index of a model in several files", {}, file);
  }
  std::set<std::string> names;
  for (const auto& [tensor, shard] : map->items()) {
    if (!shard.is_string() || !plain_name(shard.get_ref<const std::string&>())) {
      throw Error(ErrorCode::bad_data,
                  "weight_map names a file that is not a plain .safetensors name for tensor '" + tensor.substr(0, 100) + "'",
                  "files must lie beside the index", file);
    }
    names.insert(shard.get<std::string>());
    if (names.size() > k_most_shards) {
      throw Error(ErrorCode::bad_data, "more than " + std::to_string(k_most_shards) + " files", {}, file);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace gpuadvise::importer
