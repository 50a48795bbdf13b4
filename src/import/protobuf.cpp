#include "import/protobuf.hpp"

namespace gpuadvise::importer {
namespace {

constexpr unsigned k_longest_varint = 10;  // bytes

}  // namespace

WireMessage::WireMessage(const WireMessage& outer, const WireField& field)
    : cursor_(outer.cursor_), end_(outer.cursor_.position() + field.value), depth_(outer.depth_ + 1) {
  if (field.kind != WireField::Kind::bytes) {
    refuse("a number where a message belongs");
  }
  if (depth_ > k_deepest) {
    refuse("messages nested deeper than " + std::to_string(k_deepest) + " levels");
  }
}

std::uint64_t WireMessage::varint() const {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < k_longest_varint; ++i) {
    if (cursor_.position() >= end_) {
      refuse("a number runs past the end of its message");
    }
    const std::uint64_t byte = cursor_.number(1);
    value |= (byte & 0x7FU) << (7 * i);
    if ((byte & 0x80U) == 0) {
      return value;
    }
  }
  refuse("a number of more than 10 bytes");
}

bool WireMessage::next(WireField& field) {
  if (field_end_ > cursor_.position()) {
    cursor_.skip(field_end_ - cursor_.position());
  }
  if (cursor_.position() >= end_) {
    return false;
  }
  const std::uint64_t tag = varint();
  const auto kind = static_cast<unsigned>(tag & 7U);
  if (tag >> 3U == 0 || tag >> 32U != 0 || (kind > 2 && kind != 5)) {
    refuse("no field starts here: not a model file of this kind, or a damaged one");
  }
  field = {static_cast<std::uint32_t>(tag >> 3U), static_cast<WireField::Kind>(kind), 0};
  const std::uint64_t left = end_ - cursor_.position();
  switch (field.kind) {
    case WireField::Kind::varint:
      field.value = varint();
      break;
    case WireField::Kind::fixed32:
    case WireField::Kind::fixed64: {
      const std::size_t bytes = field.kind == WireField::Kind::fixed32 ? 4 : 8;
      if (left < bytes) {
        refuse("a number runs past the end of its message");
      }
      field.value = cursor_.number(bytes);
      break;
    }
    case WireField::Kind::bytes:
      field.value = varint();
      if (field.value > end_ - cursor_.position()) {
        refuse("a field of " + std::to_string(field.value) + " bytes is longer than what holds it");
      }
      field_end_ = cursor_.position() + field.value;
      return true;
  }
  field_end_ = cursor_.position();
  return true;
}

std::string WireMessage::text(const WireField& field, std::uint64_t longest) const {
  if (field.kind != WireField::Kind::bytes || field.value > longest) {
    refuse("a text of at most " + std::to_string(longest) + " bytes belongs here");
  }
  return cursor_.text(field.value);
}

bool WireMessage::packed(std::uint64_t& value, WireField::Kind kind) const {
  if (cursor_.position() >= field_end_) {
    return false;
  }
  const std::size_t bytes = kind == WireField::Kind::fixed32 ? 4 : 8;
  if (kind == WireField::Kind::varint) {
    value = varint();
  } else if (field_end_ - cursor_.position() < bytes) {
    refuse("a list ends in the middle of a number");
  } else {
    value = cursor_.number(bytes);
  }
  return true;
}

}  // namespace gpuadvise::importer
