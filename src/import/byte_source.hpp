// Bytes of a model file, read where they are asked for: headers of a few kilobytes in front of hundreds of gigabytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// The folder is import/; the namespace is not, since a line that starts with `import` may be taken for a module's.
namespace gpuadvise::importer {

class ByteSource {
 public:
  explicit ByteSource(std::string name) : name_(std::move(name)) {}
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // As errors name it.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] virtual std::uint64_t size() const = 0;
  // Fills `into` with the bytes from `offset` on. Throws Error{bad_data} past the end, Error{unreadable}.
  void read(std::uint64_t offset, char* into, std::size_t length) const;
  [[nodiscard]] std::string text(std::uint64_t offset, std::size_t length) const;

 private:
  virtual void fetch(std::uint64_t offset, char* into, std::size_t length) const = 0;
  std::string name_;
};

class MemoryBytes final : public ByteSource {
 public:
  MemoryBytes(std::string name, std::string_view bytes) : ByteSource(std::move(name)), bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const override { return bytes_.size(); }

 private:
  void fetch(std::uint64_t offset, char* into, std::size_t length) const override;
  std::string_view bytes_;
};

// Throws Error{unreadable} for what is no regular file.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::string& path);

[[noreturn]] void refuse_at(const ByteSource& source, std::uint64_t offset, const std::string& reason);

// Reads forward, little-endian unless told otherwise. Nothing is allocated that the remaining bytes do not cover.
class ByteCursor {
 public:
  explicit ByteCursor(const ByteSource& source, std::uint64_t offset = 0) : source_(source), position_(offset) {}

  [[nodiscard]] std::uint64_t position() const { return position_; }
  [[nodiscard]] std::uint64_t remaining() const { return source_.size() - position_; }
  void big_endian(bool swap) { big_endian_ = swap; }

  // An unsigned number of 1, 2, 4 or 8 bytes.
  [[nodiscard]] std::uint64_t number(std::size_t bytes);
  [[nodiscard]] std::string text(std::uint64_t length);
  void skip(std::uint64_t bytes);
  [[noreturn]] void refuse(const std::string& reason) const { refuse_at(source_, position_, reason); }

 private:
  void require(std::uint64_t bytes) const;
  [[nodiscard]] const char* window(std::size_t bytes);

  const ByteSource& source_;
  std::uint64_t position_ = 0;
  bool big_endian_ = false;
  std::vector<char> window_;
  std::uint64_t window_start_ = 0;
};

// Product of two counts, or nullopt where it does not fit; limits of formats are far below.
[[nodiscard]] bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product);

}  // namespace gpuadvise::importer
