#include "import/gguf.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_set>

namespace gpuadvise::importer {
namespace {

// Tighter than ggml's own limits: nothing real comes near them.
constexpr std::uint64_t k_longest_key = 64UL * 1024;
constexpr std::uint64_t k_longest_text = 16UL * 1024 * 1024;
constexpr std::uint64_t k_kept_text = 4096;
constexpr std::uint64_t k_kept_numbers = 4096;
constexpr std::uint64_t k_most_pairs = 100'000;
constexpr std::uint64_t k_most_tensors = 1'000'000;
constexpr std::uint64_t k_most_elements = std::uint64_t{1} << 30U;  // of a list of numbers
constexpr std::uint64_t k_most_texts = 4'000'000;                   // vocabularies have up to 300 000 words
// Metadata and tensor names; a sparse file of 100 GB must not be walked to its end.
constexpr std::uint64_t k_largest_header = 256UL * 1024 * 1024;
constexpr std::uint64_t k_largest_alignment = std::uint64_t{1} << 20U;
constexpr std::uint64_t k_largest_dimension = std::uint64_t{1} << 40U;
constexpr std::uint32_t k_dimensions = 4;
constexpr int k_deepest = 4;

struct TypeRow {
  std::uint32_t id;
  std::string_view name;
  std::uint64_t elements;  // of a block
  std::uint64_t bytes;
};

// Counted from the block structs of ggml-common.h; ids as ggml.h numbers them.
constexpr auto k_types = std::to_array<TypeRow>({
    {0, "F32", 1, 4},        {1, "F16", 1, 2},         {2, "Q4_0", 32, 18},    {3, "Q4_1", 32, 20},    {6, "Q5_0", 32, 22},
    {7, "Q5_1", 32, 24},     {8, "Q8_0", 32, 34},      {9, "Q8_1", 32, 36},    {10, "Q2_K", 256, 84},  {11, "Q3_K", 256, 110},
    {12, "Q4_K", 256, 144},  {13, "Q5_K", 256, 176},   {14, "Q6_K", 256, 210}, {15, "Q8_K", 256, 292}, {16, "IQ2_XXS", 256, 66},
    {17, "IQ2_XS", 256, 74}, {18, "IQ3_XXS", 256, 98}, {19, "IQ1_S", 256, 50}, {20, "IQ4_NL", 32, 18}, {21, "IQ3_S", 256, 110},
    {22, "IQ2_S", 256, 82},  {23, "IQ4_XS", 256, 136}, {24, "I8", 1, 1},       {25, "I16", 1, 2},      {26, "I32", 1, 4},
    {27, "I64", 1, 8},       {28, "F64", 1, 8},        {29, "IQ1_M", 256, 56}, {30, "BF16", 1, 2},     {34, "TQ1_0", 256, 54},
    {35, "TQ2_0", 256, 66},  {39, "MXFP4", 32, 17},    {40, "NVFP4", 64, 36},
});

const TypeRow* type_of(std::uint32_t id) {
  const auto row = std::find_if(k_types.begin(), k_types.end(), [&](const TypeRow& type) { return type.id == id; });
  return row == k_types.end() ? nullptr : &*row;
}

enum ValueType : std::uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, text, array, u64, i64, f64, value_types };

// Bytes of a value; 0 for those of no fixed size.
constexpr std::array<std::uint64_t, value_types> k_value_bytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

class Reader {
 public:
  explicit Reader(const ByteSource& source) : source_(source), cursor_(source) {}
  [[nodiscard]] GgufHeader read();

 private:
  [[nodiscard]] std::uint64_t length() { return cursor_.number(header_.version == 1 ? 4 : 8); }
  [[nodiscard]] std::uint32_t word() { return static_cast<std::uint32_t>(cursor_.number(4)); }
  [[nodiscard]] std::string name(std::uint64_t longest);
  [[nodiscard]] double scalar(std::uint32_t type);
  [[nodiscard]] GgufValue value(std::uint32_t type);
  [[nodiscard]] GgufArray list(int depth);
  void skip_texts(std::uint64_t count);
  void check_header_size() const {
    if (cursor_.position() > k_largest_header) {
      cursor_.refuse("a header larger than 256 MiB");
    }
  }
  void read_counts();
  void read_metadata();
  void read_tensors();
  // Offsets are checked once the start of the data is known.
  void place_tensors();

  struct Placed {
    std::uint64_t offset = 0;
    bool known = false;
  };

  const ByteSource& source_;
  ByteCursor cursor_;
  GgufHeader header_;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t pair_count_ = 0;
  std::vector<Placed> placed_;
};

std::string Reader::name(std::uint64_t longest) {
  const std::uint64_t bytes = length();
  if (bytes == 0 || bytes > longest || bytes > cursor_.remaining()) {
    cursor_.refuse("a name of " + std::to_string(bytes) + " bytes");
  }
  std::string result = cursor_.text(bytes);
  if (result.find('\0') != std::string::npos) {
    cursor_.refuse("a name with a zero byte");
  }
  return result;
}

double Reader::scalar(std::uint32_t type) {
  const std::uint64_t raw = cursor_.number(static_cast<std::size_t>(k_value_bytes[type]));
  switch (type) {
    case i8:
      return static_cast<std::int8_t>(raw);
    case i16:
      return static_cast<std::int16_t>(raw);
    case i32:
      return static_cast<std::int32_t>(raw);
    case i64:
      return static_cast<double>(static_cast<std::int64_t>(raw));
    case f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(raw));
    case f64:
      return std::bit_cast<double>(raw);
    case boolean:
      if (raw > 1) {
        cursor_.refuse("a truth value of " + std::to_string(raw));
      }
      return static_cast<double>(raw);
    default:
      return static_cast<double>(raw);
  }
}

void Reader::skip_texts(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    check_header_size();
    const std::uint64_t bytes = length();
    if (bytes > k_longest_text || bytes > cursor_.remaining()) {
      cursor_.refuse("a text of " + std::to_string(bytes) + " bytes");
    }
    cursor_.skip(bytes);
  }
}

GgufArray Reader::list(int depth) {
  if (depth > k_deepest) {
    cursor_.refuse("lists nested deeper than " + std::to_string(k_deepest) + " levels");
  }
  const std::uint32_t type = word();
  const std::uint64_t count = length();
  if (type >= value_types) {
    cursor_.refuse("a list of unknown type " + std::to_string(type));
  }
  // The least that an element takes: a text its length, a list its type and length.
  const std::uint64_t text_bytes = header_.version == 1 ? 4 : 8;
  const std::uint64_t least = type == text ? text_bytes : type == array ? 4 + text_bytes : k_value_bytes[type];
  const std::uint64_t most = type == text || type == array ? k_most_texts : k_most_elements;
  if (count > most || count > cursor_.remaining() / least) {
    cursor_.refuse("a list of " + std::to_string(count) + " elements, more than the file has");
  }
  GgufArray result{count, {}};
  if (type == text) {
    skip_texts(count);
  } else if (type == array) {
    for (std::uint64_t i = 0; i < count; ++i) {
      check_header_size();
      static_cast<void>(list(depth + 1));
    }
  } else if (count <= k_kept_numbers) {
    for (std::uint64_t i = 0; i < count; ++i) {
      result.numbers.push_back(scalar(type));
    }
  } else {
    cursor_.skip(count * k_value_bytes[type]);
  }
  return result;
}

GgufValue Reader::value(std::uint32_t type) {
  if (type == array) {
    return list(1);
  }
  if (type != text) {
    return scalar(type);
  }
  const std::uint64_t bytes = length();
  if (bytes > k_longest_text || bytes > cursor_.remaining()) {
    cursor_.refuse("a text of " + std::to_string(bytes) + " bytes");
  }
  std::string kept = cursor_.text(std::min(bytes, k_kept_text));
  cursor_.skip(bytes - kept.size());
  return kept;
}

void Reader::read_counts() {
  if (cursor_.remaining() < 4 || cursor_.text(4) != "GGUF") {
    refuse_at(source_, 0, "no GGUF file: the first bytes are others");
  }
  header_.version = word();
  if ((header_.version & 0xFFFFU) == 0 && header_.version != 0) {
    cursor_.big_endian(true);
    header_.version = (header_.version >> 24U) | ((header_.version >> 8U) & 0xFF00U);
  }
  if (header_.version < 1 || header_.version > 3) {
    cursor_.refuse("GGUF version " + std::to_string(header_.version) + " is not known (1 to 3)");
  }
  tensor_count_ = length();
  pair_count_ = length();
  // A pair takes at least 13 bytes, a tensor 25, in the oldest version.
  if (tensor_count_ > k_most_tensors || tensor_count_ > cursor_.remaining() / 25) {
    cursor_.refuse(std::to_string(tensor_count_) + " tensors, more than the file can hold");
  }
  if (pair_count_ > k_most_pairs || pair_count_ > cursor_.remaining() / 9) {
    cursor_.refuse(std::to_string(pair_count_) + " metadata entries, more than the file can hold");
  }
}

void Reader::read_metadata() {
  for (std::uint64_t i = 0; i < pair_count_; ++i) {
    check_header_size();
    std::string key = name(k_longest_key);
    const std::uint32_t type = word();
    if (type >= value_types) {
      cursor_.refuse("'" + key.substr(0, 100) + "' has an unknown type " + std::to_string(type));
    }
    GgufValue found = value(type);
    if (!header_.metadata.emplace(key, std::move(found)).second) {
      cursor_.refuse("duplicate key '" + key.substr(0, 100) + "'");
    }
  }
}

void Reader::read_tensors() {
  std::unordered_set<std::string> names;
  header_.tensors.reserve(static_cast<std::size_t>(tensor_count_));
  for (std::uint64_t i = 0; i < tensor_count_; ++i) {
    FileTensor tensor;
    tensor.name = name(k_longest_key);
    if (!names.insert(tensor.name).second) {
      cursor_.refuse("duplicate tensor '" + tensor.name.substr(0, 100) + "'");
    }
    const std::uint32_t rank = word();
    if (rank > k_dimensions) {
      cursor_.refuse("a tensor of " + std::to_string(rank) + " dimensions, 4 at most");
    }
    tensor.elements = 1;
    for (std::uint32_t d = 0; d < rank; ++d) {
      const std::uint64_t size = length();
      if (size == 0 || size > k_largest_dimension || !multiply(tensor.elements, size, tensor.elements)) {
        cursor_.refuse("tensor '" + tensor.name.substr(0, 100) + "' has a dimension of " + std::to_string(size));
      }
      tensor.shape.insert(tensor.shape.begin(), size);
    }
    const std::uint32_t id = word();
    const std::uint64_t offset = cursor_.number(8);
    const TypeRow* type = type_of(id);
    if (type != nullptr) {
      const std::uint64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
      if (row % type->elements != 0) {
        cursor_.refuse("rows of tensor '" + tensor.name.substr(0, 100) + "' do not divide into blocks of " + std::string(type->name));
      }
      std::uint64_t bytes = 0;
      if (!multiply(tensor.elements / type->elements, type->bytes, bytes)) {
        cursor_.refuse("tensor '" + tensor.name.substr(0, 100) + "' is too large");
      }
      tensor.bytes = bytes;
      tensor.type = type->name;
    } else {
      tensor.type = "type " + std::to_string(id);
    }
    placed_.push_back({offset, type != nullptr});
    header_.tensors.push_back(std::move(tensor));
  }
}

void Reader::place_tensors() {
  const double stated = header_.number("general.alignment").value_or(32);
  if (!(stated >= 1) || stated > static_cast<double>(k_largest_alignment) || stated != std::floor(stated) ||
      !std::has_single_bit(static_cast<std::uint64_t>(stated))) {
    cursor_.refuse("general.alignment must be a power of two up to 2^20");
  }
  const auto alignment = static_cast<std::uint64_t>(stated);
  const std::uint64_t start = (cursor_.position() + alignment - 1) / alignment * alignment;
  const std::uint64_t data = source_.size() > start ? source_.size() - start : 0;
  // Types of forks have no size of their own here: the next tensor's offset bounds them.
  std::vector<std::uint64_t> offsets;
  for (const Placed& place : placed_) {
    offsets.push_back(place.offset);
  }
  std::sort(offsets.begin(), offsets.end());
  if (std::adjacent_find(offsets.begin(), offsets.end()) != offsets.end()) {
    cursor_.refuse("two tensors start at the same byte");
  }
  for (std::size_t i = 0; i < placed_.size(); ++i) {
    FileTensor& tensor = header_.tensors[i];
    const std::uint64_t offset = placed_[i].offset;
    if (offset % alignment != 0) {
      cursor_.refuse("tensor '" + tensor.name.substr(0, 100) + "' is not aligned");
    }
    const auto next = std::upper_bound(offsets.begin(), offsets.end(), offset);
    const std::uint64_t end = next == offsets.end() ? std::max(data, offset) : *next;
    if (!placed_[i].known) {
      tensor.bytes = end - offset;
    } else if (next != offsets.end() && tensor.bytes > end - offset) {
      cursor_.refuse("tensor '" + tensor.name.substr(0, 100) + "' overlaps the next one");
    }
    header_.truncated = header_.truncated || offset > data || tensor.bytes > data - offset;
  }
}

GgufHeader Reader::read() {
  read_counts();
  read_metadata();
  read_tensors();
  place_tensors();
  return std::move(header_);
}

}  // namespace

std::optional<double> GgufHeader::number(std::string_view key) const {
  const auto found = metadata.find(key);
  const double* value = found == metadata.end() ? nullptr : std::get_if<double>(&found->second);
  return value != nullptr && std::isfinite(*value) ? std::optional(*value) : std::nullopt;
}

std::string_view GgufHeader::text(std::string_view key) const {
  const auto found = metadata.find(key);
  const std::string* value = found == metadata.end() ? nullptr : std::get_if<std::string>(&found->second);
  return value != nullptr ? std::string_view(*value) : std::string_view{};
}

const GgufArray* GgufHeader::array(std::string_view key) const {
  const auto found = metadata.find(key);
  return found == metadata.end() ? nullptr : std::get_if<GgufArray>(&found->second);
}

GgufHeader read_gguf(const ByteSource& source) {
  return Reader(source).read();
}

}  // namespace gpuadvise::importer
