// Any bytes as rows of software data, laid over the shipped ones; and as the versions of a question: never a crash, and a change that is
// promised to help does help.
#include <gpuadvise/error.hpp>

#include "software/compat.hpp"
#include "software/lint.hpp"
#include "software/question.hpp"
#include "software/smallest_change.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace {

using namespace gpuadvise::software;

Card card_for(unsigned char byte) {
  static constexpr std::array<int, 8> capabilities{37, 50, 61, 70, 86, 90, 100, 120};
  Card card;
  card.name = "card";
  if (byte % 3 == 0) {
    card.vendor = gpuadvise::Vendor::amd;
    card.gfx = byte % 2 == 0 ? "gfx1100" : "gfx1031";
  } else {
    card.capability = capabilities[byte % capabilities.size()];
  }
  return card;
}

void ask(const Facts& facts, std::string_view text, unsigned char byte) {
  std::array<std::string, 4> lines;
  for (std::string& line : lines) {
    const auto end = std::min(text.find('\n'), text.size());
    line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  Question question;
  question.cards = {card_for(byte)};
  if (!read_versions(facts, {lines[0], lines[1], lines[2], lines[3]}, question).empty() || !contradictions(facts, question).empty()) {
    return;
  }
  const bool fails = judge(facts, question).verdict == Verdict::fails;
  const auto changes = smallest_change(facts, question);
  if (!fails && !changes.empty()) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  ask(facts(), text, data[0]);
  static_cast<void>(lint_software(text, "fuzz"));
  try {
    Facts rows = read_rows(text, "fuzz");
    Facts laid = facts();
    if (!lay_over(laid, std::move(rows)).empty()) {
      Question question;
      question.cards = {card_for(data[0])};
      static_cast<void>(judge(laid, question));
      static_cast<void>(smallest_change(laid, question));
    }
  } catch (const gpuadvise::Error&) {
  }
  return 0;
}
