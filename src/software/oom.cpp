#include "software/oom.hpp"

#include <gpuadvise/units.hpp>

#include "software/error_patterns.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

namespace gpuadvise::software {
namespace {

struct Unit {
  std::string_view name;
  double bytes;
};

// PyTorch prints binary units; the MPS backend writes GB for the same.
constexpr auto k_units = std::to_array<Unit>({{"kib", 0x1p10},
                                              {"mib", 0x1p20},
                                              {"gib", 0x1p30},
                                              {"tib", 0x1p40},
                                              {"kb", 0x1p10},
                                              {"mb", 0x1p20},
                                              {"gb", 0x1p30},
                                              {"tb", 0x1p40},
                                              {"bytes", 1.0},
                                              {"g ", 0x1p30},
                                              {"m ", 0x1p20}});

bool number_char(char c) {
  return (c >= '0' && c <= '9') || c == '.';
}

std::optional<double> parse_amount(std::string_view digits, std::string_view unit_text) {
  double value = 0.0;
  const auto [end, fault] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (fault != std::errc() || end == digits.data() || !(value >= 0.0) || value > 1e12) {
    return std::nullopt;
  }
  for (const Unit& unit : k_units) {
    if (unit_text.starts_with(unit.name)) {
      return value * unit.bytes;
    }
  }
  return std::nullopt;
}

// "1.50 gib" at the start of the text.
std::optional<double> amount_at(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::size_t length = 0;
  while (length < text.size() && length < 32 && number_char(text[length])) {
    ++length;
  }
  std::string_view rest = text.substr(length);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return length == 0 ? std::nullopt : parse_amount(text.substr(0, length), rest);
}

std::optional<double> amount_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  return at == std::string_view::npos ? std::nullopt : amount_at(text.substr(at + words.size()));
}

// "20.00 gib already allocated": the number stands before the words.
std::optional<double> amount_before(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view before = text.substr(0, at);
  const std::size_t unit_end = before.find_last_not_of(' ');
  if (unit_end == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t unit = before.rfind(' ', unit_end);
  if (unit == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t digits_end = before.find_last_not_of(' ', unit);
  if (digits_end == std::string_view::npos || !number_char(before[digits_end])) {
    return std::nullopt;
  }
  std::size_t digits = digits_end;
  while (digits > 0 && number_char(before[digits - 1])) {
    --digits;
  }
  return parse_amount(before.substr(digits, digits_end - digits + 1), before.substr(unit + 1));
}

// "of size 7123456": a count of bytes without a unit.
std::optional<double> bytes_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view rest = text.substr(at + words.size());
  const std::size_t length = std::min(rest.find_first_not_of("0123456789"), rest.size());
  return length == 0 || length > 18 ? std::nullopt : parse_amount(rest.substr(0, length), "bytes");
}

std::optional<double> signed_amount_after(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  const bool negative = at != std::string_view::npos && text.substr(at + words.size()).starts_with('-');
  const auto amount = at == std::string_view::npos ? std::nullopt : amount_at(text.substr(at + words.size() + (negative ? 1 : 0)));
  return amount && negative ? std::optional<double>(-*amount) : amount;
}

// "oom when allocating tensor with shape[64,224,224,64] and type float": TensorFlow names the tensor, not its size.
std::optional<double> tensor_bytes(std::string_view text, std::string_view words) {
  const std::size_t at = text.find(words);
  if (at == std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view shape = text.substr(at + words.size());
  const std::size_t close = shape.find(']');
  if (close == std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view type = shape.substr(close + 1);
  shape = shape.substr(0, close);
  double elements = 1.0;
  while (!shape.empty()) {
    const std::size_t comma = std::min(shape.find(','), shape.size());
    const auto dimension = bytes_after(shape.substr(0, comma), "");
    if (!dimension || *dimension > 1e12) {
      return std::nullopt;
    }
    elements *= *dimension;
    shape.remove_prefix(std::min(comma + 1, shape.size()));
  }
  static constexpr auto k_types = std::to_array<std::pair<std::string_view, double>>({{"double", 8.0},
                                                                                      {"int64", 8.0},
                                                                                      {"complex64", 8.0},
                                                                                      {"half", 2.0},
                                                                                      {"bfloat16", 2.0},
                                                                                      {"int8", 1.0},
                                                                                      {"bool", 1.0},
                                                                                      {"float", 4.0},
                                                                                      {"int32", 4.0}});
  for (const auto& [name, bytes] : k_types) {
    if (type.starts_with(" and type " + std::string(name))) {
      return elements < 1e15 ? std::optional<double>(elements * bytes) : std::nullopt;
    }
  }
  return std::nullopt;
}

// "free memory on device cuda:0 (4.08/23.65 gib) on startup": free and total in one bracket.
std::optional<double> bracket_part(std::string_view text, std::string_view words, bool second) {
  const std::size_t at = text.find(words);
  const std::size_t open = at == std::string_view::npos ? at : text.find('(', at);
  const std::size_t slash = open == std::string_view::npos ? open : text.find('/', open);
  if (slash == std::string_view::npos || slash - open > 24) {
    return std::nullopt;
  }
  const auto total = amount_at(text.substr(slash + 1));
  if (second || !total) {
    return total;
  }
  const std::size_t unit = text.find_first_not_of("0123456789. ", slash + 1);
  return parse_amount(text.substr(open + 1, slash - open - 1), text.substr(unit));
}

enum class Place { after, before, bytes, with_sign, tensor, bracket_first, bracket_second };

std::optional<double> amount(std::string_view text, std::string_view words, Place place) {
  switch (place) {
    case Place::after:
      return amount_after(text, words);
    case Place::before:
      return amount_before(text, words);
    case Place::bytes:
      return bytes_after(text, words);
    case Place::with_sign:
      return signed_amount_after(text, words);
    case Place::tensor:
      return tensor_bytes(text, words);
    case Place::bracket_first:
      return bracket_part(text, words, false);
    case Place::bracket_second:
      return bracket_part(text, words, true);
  }
  return std::nullopt;
}

// The words beside each figure; of the rows of one figure the first that is found counts.
struct Wording {
  std::optional<double> MemoryPicture::*into;
  Place place;
  std::string_view words;
};

using M = MemoryPicture;
constexpr auto k_wordings = std::to_array<Wording>({
    // PyTorch.
    {&M::asked_bytes, Place::after, "tried to allocate "},
    {&M::total_bytes, Place::after, "total capacity of "},
    {&M::total_bytes, Place::after, "total capacty of "},  // 2.1 wrote it so
    {&M::total_bytes, Place::before, "total capacity"},
    {&M::total_bytes, Place::after, "max allowed: "},
    {&M::free_bytes, Place::after, "of which "},
    {&M::free_bytes, Place::before, "free;"},
    {&M::free_bytes, Place::before, "free)"},
    {&M::process_bytes, Place::after, "this process has "},
    {&M::allowed_bytes, Place::before, "allowed;"},
    {&M::allocated_bytes, Place::after, "of the allocated memory "},
    {&M::allocated_bytes, Place::before, "already allocated"},
    {&M::allocated_bytes, Place::after, "mps allocated: "},
    {&M::pools_bytes, Place::before, "allocated in private pools"},
    {&M::reserved_bytes, Place::before, "reserved in total"},
    // vLLM.
    {&M::total_bytes, Place::after, "total_gpu_memory ("},
    {&M::weights_bytes, Place::after, "model weights take "},
    {&M::activation_bytes, Place::after, "activation peak memory takes "},
    {&M::cache_bytes, Place::with_sign, "reserved for kv cache is "},
    {&M::cache_bytes, Place::after, "available kv cache memory ("},
    {&M::asked_bytes, Place::before, "kv cache is needed"},
    {&M::free_bytes, Place::bracket_first, "free memory on device"},
    {&M::total_bytes, Place::bracket_second, "free memory on device"},
    // llama.cpp.
    {&M::asked_bytes, Place::after, ": allocating "},
    {&M::asked_bytes, Place::bytes, "buffer of size "},
    {&M::asked_bytes, Place::bytes, "memory allocation of size "},
    // TensorFlow, JAX.
    {&M::asked_bytes, Place::after, "trying to allocate "},
    {&M::asked_bytes, Place::after, "failed to allocate "},
    {&M::asked_bytes, Place::tensor, "oom when allocating tensor with shape["},
});

constexpr auto k_telling = std::to_array<std::string_view>(
    {"out of memory", "outofmemory", "out_of_memory", "tried to allocate", "trying to allocate", "failed to allocate", "unable to allocate",
     "oom when allocating", "memory allocation of size", "erroroutofdevicememory", "out_of_resources", "total_gpu_memory",
     "reserved for kv cache", "kv cache memory", "cache blocks", "stored in kv cache", "desired gpu memory utilization"});

// "(gpu 0;", ". gpu 0 has", "on device 0:", "device:gpu:0", "cuda:0".
std::optional<int> gpu_number(std::string_view text) {
  for (const std::string_view words : {"(gpu ", ". gpu ", "on device ", "device:gpu:", "on device cuda:", " gpu ", "cuda:"}) {
    const std::size_t at = text.find(words);
    if (at == std::string_view::npos) {
      continue;
    }
    int number = 0;
    const char* start = text.data() + at + words.size();
    const auto [end, fault] = std::from_chars(start, text.data() + text.size(), number);
    if (fault == std::errc() && end != start && number >= 0 && number < 1024) {
      return number;
    }
  }
  return std::nullopt;
}

// "0.9, 21.28 gib)": the share of the card that a server wanted, as bytes.
std::optional<double> wanted_share(std::string_view text) {
  const std::size_t at = text.find("desired gpu memory utilization (");
  const std::size_t comma = at == std::string_view::npos ? at : text.find(',', at);
  return comma == std::string_view::npos ? std::nullopt : amount_at(text.substr(comma + 1));
}

void fill(MemoryPicture& picture, const MemoryPicture& more) {
  static constexpr auto k_fields = std::to_array<std::optional<double> MemoryPicture::*>(
      {&M::asked_bytes, &M::total_bytes, &M::free_bytes, &M::process_bytes, &M::allocated_bytes, &M::reserved_bytes, &M::allowed_bytes,
       &M::pools_bytes, &M::weights_bytes, &M::activation_bytes, &M::cache_bytes});
  for (const auto field : k_fields) {
    if (!(picture.*field)) {
      picture.*field = more.*field;
    }
  }
  picture.gpu = picture.gpu ? picture.gpu : more.gpu;
}

}  // namespace

std::optional<double> MemoryPicture::idle_bytes() const {
  if (!reserved_bytes || !allocated_bytes) {
    return std::nullopt;
  }
  return std::max(0.0, *reserved_bytes - *allocated_bytes);
}

bool MemoryPicture::fragmented() const {
  const auto idle = idle_bytes();
  return idle && ((asked_bytes && *idle >= *asked_bytes) || *idle > 0.1 * *reserved_bytes);
}

std::optional<double> MemoryPicture::others_bytes() const {
  if (!total_bytes || !free_bytes || !process_bytes) {
    return std::nullopt;
  }
  return std::max(0.0, *total_bytes - *free_bytes - *process_bytes);
}

std::optional<double> MemoryPicture::outside_bytes() const {
  if (process_bytes || !total_bytes || !free_bytes || !reserved_bytes) {
    return std::nullopt;
  }
  return std::max(0.0, *total_bytes - *free_bytes - *reserved_bytes);
}

bool MemoryPicture::empty() const {
  return std::none_of(k_wordings.begin(), k_wordings.end(), [this](const Wording& row) { return (this->*row.into).has_value(); });
}

std::optional<MemoryPicture> parse_out_of_memory(std::string_view raw) {
  const std::string text = normalised(raw.substr(0, 65536));
  if (std::none_of(k_telling.begin(), k_telling.end(), [&](std::string_view words) { return text.find(words) != std::string::npos; })) {
    return std::nullopt;
  }
  MemoryPicture picture;
  for (const Wording& row : k_wordings) {
    if (!(picture.*row.into)) {
      picture.*row.into = amount(text, row.words, row.place);
    }
  }
  if (const auto share = wanted_share(text)) {
    picture.asked_bytes = share;
  }
  picture.gpu = gpu_number(text);
  // 1.0 to 1.3 call "cached", and 2.1 and later "unallocated", what is reserved beyond what is allocated.
  for (const std::string_view words : {"cached)", "is reserved by pytorch but unallocated"}) {
    if (const auto idle = amount_before(text, words); idle && picture.allocated_bytes) {
      picture.reserved_bytes = *picture.allocated_bytes + *idle;
    }
  }
  return picture;
}

std::optional<MemoryPicture> parse_out_of_memory(std::span<const std::string> lines) {
  std::optional<MemoryPicture> picture;
  for (std::size_t i = lines.size(); i > 0; --i) {
    const auto line = parse_out_of_memory(lines[i - 1]);
    if (line && picture) {
      fill(*picture, *line);
    } else if (line) {
      picture = line;
    }
  }
  return picture;
}

}  // namespace gpuadvise::software
