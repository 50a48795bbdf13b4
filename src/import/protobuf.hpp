// Protocol buffers as bytes on the wire: fields one after another, messages inside messages.
#pragma once

#include "import/byte_source.hpp"

#include <cstdint>
#include <string>

namespace gpuadvise::importer {

struct WireField {
  enum class Kind : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
  std::uint32_t number = 0;
  Kind kind = Kind::varint;
  std::uint64_t value = 0;  // of a number; of bytes, how many follow
};

// Fields of one message. Messages of one file share the cursor: a field's bytes are read, entered or skipped before the next.
class WireMessage {
 public:
  // A whole file.
  explicit WireMessage(ByteCursor& cursor) : cursor_(cursor), end_(cursor.position() + cursor.remaining()) {}
  // The bytes of a field that was just read. Throws Error{bad_data} beyond `k_deepest` messages inside each other.
  WireMessage(const WireMessage& outer, const WireField& field);

  // False at the end of the message. Skips what the caller left of the field before.
  [[nodiscard]] bool next(WireField& field);
  [[nodiscard]] std::string text(const WireField& field, std::uint64_t longest) const;
  // The next number of a packed list; false at its end. Only while `field` is the current one.
  [[nodiscard]] bool packed(std::uint64_t& value, WireField::Kind kind) const;
  [[nodiscard]] std::uint64_t position() const { return cursor_.position(); }
  [[noreturn]] void refuse(const std::string& reason) const { cursor_.refuse(reason); }

  static constexpr int k_deepest = 64;

 private:
  [[nodiscard]] std::uint64_t varint() const;

  ByteCursor& cursor_;
  std::uint64_t end_ = 0;
  std::uint64_t field_end_ = 0;
  int depth_ = 0;
};

}  // namespace gpuadvise::importer
