// Model files written by code: small, and wrong in exactly one place where a test wants that.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace samples {

// Little-endian numbers and texts after one another.
class Bytes {
 public:
  template <class T>
  Bytes& number(T value, std::size_t bytes) {
    auto rest = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < bytes; ++i, rest >>= 8U) {
      text_ += static_cast<char>(rest & 0xFFU);
    }
    return *this;
  }
  Bytes& raw(std::string_view text) {
    text_ += text;
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

inline std::string safetensors(const std::string& header, std::size_t data_bytes) {
  return Bytes().number(header.size(), 8).raw(header).text() + std::string(data_bytes, '\0');
}

// --- GGUF

class Gguf {
 public:
  explicit Gguf(std::uint32_t version = 3) : version_(version) {}
  Gguf& text(std::string_view key, std::string_view value) {
    name(pairs_, key).number(8, 4);
    name(pairs_, value);
    ++pair_count_;
    return *this;
  }
  Gguf& u32(std::string_view key, std::uint32_t value) {
    name(pairs_, key).number(4, 4).number(value, 4);
    ++pair_count_;
    return *this;
  }
  Gguf& words(std::string_view key, std::uint64_t count) {
    name(pairs_, key).number(9, 4).number(8, 4).number(count, wide());
    for (std::uint64_t i = 0; i < count; ++i) {
      name(pairs_, "w");
    }
    ++pair_count_;
    return *this;
  }
  Gguf& numbers(std::string_view key, const std::vector<std::uint32_t>& values) {
    name(pairs_, key).number(9, 4).number(4, 4).number(values.size(), wide());
    for (const std::uint32_t value : values) {
      pairs_.number(value, 4);
    }
    ++pair_count_;
    return *this;
  }
  // Rows of a type with `block` elements in `bytes` bytes; columns are the fast dimension.
  Gguf& tensor(std::string_view key, std::uint64_t columns, std::uint64_t rows, std::uint32_t type, std::uint64_t block,
               std::uint64_t bytes) {
    name(infos_, key).number(2, 4).number(columns, wide()).number(rows, wide()).number(type, 4).number(offset_, 8);
    offset_ += (columns / block * bytes * rows + 31) / 32 * 32;
    ++tensor_count_;
    return *this;
  }
  [[nodiscard]] std::string file() const {
    std::string all = Bytes().raw("GGUF").number(version_, 4).number(tensor_count_, wide()).number(pair_count_, wide()).text();
    all += pairs_.text() + infos_.text();
    all.resize((all.size() + 31) / 32 * 32 + offset_);
    return all;
  }

 private:
  [[nodiscard]] std::size_t wide() const { return version_ == 1 ? 4 : 8; }
  Bytes& name(Bytes& into, std::string_view text) { return into.number(text.size(), wide()).raw(text); }

  std::uint32_t version_;
  Bytes pairs_;
  Bytes infos_;
  std::uint64_t pair_count_ = 0;
  std::uint64_t tensor_count_ = 0;
  std::uint64_t offset_ = 0;
};

// --- protocol buffers

inline std::string varint(std::uint64_t value) {
  std::string text;
  while (value >= 0x80) {
    text += static_cast<char>((value & 0x7FU) | 0x80U);
    value >>= 7U;
  }
  return text + static_cast<char>(value);
}
inline std::string field(unsigned number, std::uint64_t value) {
  return varint(number << 3U) + varint(value);
}
inline std::string field(unsigned number, std::string_view bytes) {
  return varint((number << 3U) | 2U) + varint(bytes.size()) + std::string(bytes);
}
inline std::string integers(std::string_view name, const std::vector<std::uint64_t>& values) {
  std::string packed;
  for (const std::uint64_t value : values) {
    packed += varint(value);
  }
  return field(5, field(1, name) + field(8, packed));
}
inline std::string node(std::string_view op, const std::vector<std::string>& inputs, std::string_view output,
                        std::string_view attributes = {}) {
  std::string text;
  for (const std::string& input : inputs) {
    text += field(1, input);
  }
  return field(1, text + field(2, output) + field(4, op) + std::string(attributes));
}
// Weights by their size alone, as stripped models and external data have them.
inline std::string weights(std::string_view name, const std::vector<std::uint64_t>& dims, int type = 1) {
  std::string text;
  for (const std::uint64_t dim : dims) {
    text += field(1, dim);
  }
  return field(5, text + field(2, static_cast<std::uint64_t>(type)) + field(8, name));
}
inline std::string integer_constant(std::string_view name, const std::vector<std::uint64_t>& values) {
  std::string packed;
  for (const std::uint64_t value : values) {
    packed += varint(value);
  }
  return field(5, field(1, values.size()) + field(2, std::uint64_t{7}) + field(7, packed) + field(8, name));
}
inline std::string input(std::string_view name, const std::vector<std::uint64_t>& dims) {
  std::string shape;
  for (const std::uint64_t dim : dims) {
    shape += field(1, dim == 0 ? field(2, "batch") : field(1, dim));
  }
  return field(11, field(1, name) + field(2, field(1, field(1, std::uint64_t{1}) + field(2, shape))));
}
inline std::string model(const std::string& graph) {
  return field(1, std::uint64_t{8}) + field(2, "sample") + field(7, graph);
}

// --- files

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gpuadvise-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  // The path of a file with this content.
  std::string file(const std::string& name, std::string_view content) const {
    const std::string path = path_ + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

 private:
  std::string path_;
};

}  // namespace samples
