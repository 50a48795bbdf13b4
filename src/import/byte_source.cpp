#include "import/byte_source.hpp"

#include <gpuadvise/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/stat.h>
#include <unistd.h>

namespace gpuadvise::importer {
namespace {

constexpr std::size_t k_window = 64UL * 1024;

class FileBytes final : public ByteSource {
 public:
  FileBytes(std::string path, int descriptor, std::uint64_t size) : ByteSource(std::move(path)), descriptor_(descriptor), size_(size) {}
  ~FileBytes() override { ::close(descriptor_); }
  [[nodiscard]] std::uint64_t size() const override { return size_; }

 private:
  void fetch(std::uint64_t offset, char* into, std::size_t length) const override {
    while (length > 0) {
      const ssize_t got = ::pread(descriptor_, into, length, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got <= 0) {
        throw Error(ErrorCode::unreadable, "cannot read '" + name() + "': " + (got < 0 ? std::strerror(errno) : "it became shorter"));
      }
      into += got;
      offset += static_cast<std::uint64_t>(got);
      length -= static_cast<std::size_t>(got);
    }
  }

  int descriptor_;
  std::uint64_t size_;
};

}  // namespace

void ByteSource::read(std::uint64_t offset, char* into, std::size_t length) const {
  if (offset > size() || length > size() - offset) {
    refuse_at(*this, offset, "the file ends before " + std::to_string(length) + " bytes that belong here");
  }
  if (length > 0) {
    fetch(offset, into, length);
  }
}

std::string ByteSource::text(std::uint64_t offset, std::size_t length) const {
  if (offset > size() || length > size() - offset) {
    refuse_at(*this, offset, "the file ends before " + std::to_string(length) + " bytes that belong here");
  }
  std::string result(length, '\0');
  read(offset, result.data(), length);
  return result;
}

void MemoryBytes::fetch(std::uint64_t offset, char* into, std::size_t length) const {
  std::memcpy(into, bytes_.data() + offset, length);
}

std::unique_ptr<ByteSource> open_file(const std::string& path) {
  // A pipe must not block the program: it is no regular file and is refused below.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    throw Error(ErrorCode::unreadable, "cannot read '" + path + "': " + std::strerror(errno));
  }
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(descriptor);
    throw Error(ErrorCode::unreadable, "'" + path + "' is not a regular file");
  }
  return std::make_unique<FileBytes>(path, descriptor, static_cast<std::uint64_t>(facts.st_size));
}

void refuse_at(const ByteSource& source, std::uint64_t offset, const std::string& reason) {
  throw Error(ErrorCode::bad_data, reason, {}, source.name() + ": byte " + std::to_string(offset));
}

void ByteCursor::require(std::uint64_t bytes) const {
  if (position_ > source_.size() || bytes > source_.size() - position_) {
    refuse("the file ends in the middle of its header");
  }
}

const char* ByteCursor::window(std::size_t bytes) {
  require(bytes);
  const bool held = position_ >= window_start_ && position_ + bytes <= window_start_ + window_.size();
  if (!held) {
    window_start_ = position_;
    window_.resize(static_cast<std::size_t>(std::min<std::uint64_t>(std::max(bytes, k_window), source_.size() - position_)));
    source_.read(window_start_, window_.data(), window_.size());
  }
  return window_.data() + (position_ - window_start_);
}

std::uint64_t ByteCursor::number(std::size_t bytes) {
  const char* at = window(bytes);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t index = big_endian_ ? i : bytes - 1 - i;
    value = (value << 8U) | static_cast<unsigned char>(at[index]);
  }
  position_ += bytes;
  return value;
}

std::string ByteCursor::text(std::uint64_t length) {
  require(length);
  std::string result;
  if (length <= k_window) {
    const char* at = window(static_cast<std::size_t>(length));
    result.assign(at, static_cast<std::size_t>(length));
  } else {
    result = source_.text(position_, static_cast<std::size_t>(length));
  }
  position_ += length;
  return result;
}

void ByteCursor::skip(std::uint64_t bytes) {
  require(bytes);
  position_ += bytes;
}

bool multiply(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
  if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) {
    return false;
  }
  product = a * b;
  return true;
}

}  // namespace gpuadvise::importer
