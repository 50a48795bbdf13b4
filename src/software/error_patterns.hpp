// Finds known faults in logs: a scanner that sees the text once, in pieces, and keeps only what it found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::software {

// What the number in a message means.
enum class Number : std::uint8_t { none, sm, capability, driver_cuda, toolkit, library_major };

struct KnownError {
  std::string id;
  Number number = Number::none;
  std::string cause;
  std::string fact;
  std::vector<std::string> fix;
  std::string example;
  std::string source;
  bool memory = false;  // tells of exhausted memory: its lines hold figures
};

// Texts of one kind: literal pieces in order, '*' any text between, '#' a number with points.
struct Pattern {
  std::vector<std::string> pieces;  // "" stands for a number
  std::vector<bool> number;         // piece i is a number
  std::size_t owner = 0;            // index of the error, or of the fact beyond the errors
};

struct ErrorTable {
  std::vector<KnownError> errors;
  std::vector<std::string> facts;  // "torch", "driver" ...: what a log tells about the machine
  // Patterns whose owner is the first beyond errors and facts find lines that name a card; of the second, lines of a program's
  // account of memory, which are no fault by themselves.
  std::vector<Pattern> patterns;
};

// Reads data/software/errors.json. Throws Error{bad_data}.
[[nodiscard]] ErrorTable read_errors(std::string_view text);
[[nodiscard]] const ErrorTable& known_errors();

// Does the line hold the pattern; its first number is put into "number". The line must be normalised.
[[nodiscard]] bool matches(const Pattern& pattern, std::string_view line, std::string& number);
// Lower case, one blank for a run of blanks.
[[nodiscard]] std::string normalised(std::string_view line);

// Which patterns may occur: one pass over the bytes for all of them (Aho and Corasick, CACM 18, 1975).
class Anchors {
 public:
  explicit Anchors(const std::vector<Pattern>& patterns);
  // Calls found(pattern index) for every anchor that ends at this byte.
  template <class Found>
  void feed(char byte, Found&& found) {
    state_ = next_[(state_ & ~k_has_outs) + class_of_[static_cast<unsigned char>(byte)]];
    if ((state_ & k_has_outs) != 0) {
      const std::uint32_t state = (state_ & ~k_has_outs) / k_classes;
      for (std::uint32_t out = first_out_[state]; out < first_out_[state + 1]; ++out) {
        found(outs_[out]);
      }
    }
  }
  void reset() { state_ = 0; }

 private:
  static constexpr std::uint32_t k_classes = 64;
  // A state is kept as the start of its row, with this bit where an anchor ends: one look-up a byte.
  static constexpr std::uint32_t k_has_outs = 1U << 31U;
  std::array<std::uint8_t, 256> class_of_{};
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> first_out_;
  std::vector<std::uint32_t> outs_;
  std::uint32_t state_ = 0;
};

struct Sighting {
  std::size_t count = 0;
  std::size_t line = 0;  // of the first
  std::string text;      // of the first, shortened
  std::string number;
};

class LogScanner {
 public:
  explicit LogScanner(const ErrorTable& table);
  void feed(std::string_view bytes);
  void finish();

  [[nodiscard]] const std::vector<Sighting>& errors() const { return errors_; }  // by index of the table
  [[nodiscard]] const std::vector<Sighting>& facts() const { return facts_; }
  // The last lines that told of memory, whole as far as the scanner's limit.
  [[nodiscard]] const std::vector<std::string>& memory_lines() const { return memory_lines_; }
  // The first lines that name a card of a known maker.
  [[nodiscard]] const std::vector<std::string>& card_lines() const { return card_lines_; }
  [[nodiscard]] std::size_t lines() const { return lines_; }

 private:
  void end_line();
  void keep_card_line();
  void keep_memory_line();

  const ErrorTable& table_;
  Anchors anchors_;
  std::vector<Sighting> errors_;
  std::vector<Sighting> facts_;
  std::vector<std::uint32_t> hits_;  // patterns whose anchor was seen in this line
  std::string line_;
  std::vector<std::string> memory_lines_;
  std::vector<std::string> card_lines_;
  std::size_t lines_ = 0;
  bool blank_ = false;
};

}  // namespace gpuadvise::software
