#include "software/error_patterns.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/parse_json.hpp"
#include "software/releases.hpp"
#include "units/lower_case.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <queue>

namespace gpuadvise::software {
namespace {

using nlohmann::json;

// A longer line is looked at in parts, each beginning with the end of the one before.
constexpr std::size_t k_longest_line = 16384;
constexpr std::size_t k_overlap = 1024;
// How much of a line is kept to be shown.
constexpr std::size_t k_shown = 300;
// An anchor may hit many times in a line; only different ones are kept.
constexpr std::size_t k_most_hits = 256;
constexpr std::size_t k_most_card_lines = 48;
// A server tells of one fault in several lines.
constexpr std::size_t k_most_memory_lines = 4;

constexpr std::string_view k_where = "data/software/errors.json";

bool blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

Pattern read_pattern(const std::string& text, std::size_t owner) {
  Pattern pattern;
  pattern.owner = owner;
  std::string piece;
  const auto end_piece = [&] {
    if (!piece.empty()) {
      pattern.pieces.push_back(piece);
      pattern.number.push_back(false);
      piece.clear();
    }
  };
  for (const char c : text) {
    if (c == '#') {
      end_piece();
      pattern.pieces.emplace_back();
      pattern.number.push_back(true);
    } else if (c == '*') {
      end_piece();
    } else {
      piece += lower_case(c);
    }
  }
  end_piece();
  if (std::all_of(pattern.pieces.begin(), pattern.pieces.end(), [](const std::string& p) { return p.size() < 4; })) {
    throw Error(ErrorCode::bad_data, "the pattern '" + text + "' has no text of four letters to look for", {}, std::string(k_where));
  }
  return pattern;
}

Number number_of(const json& row) {
  const std::string name = row.value("number", "");
  if (name.empty()) {
    return Number::none;
  }
  static constexpr std::array<std::pair<std::string_view, Number>, 5> names{{{"sm", Number::sm},
                                                                             {"capability", Number::capability},
                                                                             {"driver_cuda", Number::driver_cuda},
                                                                             {"toolkit", Number::toolkit},
                                                                             {"library_major", Number::library_major}}};
  for (const auto& [known, number] : names) {
    if (known == name) {
      return number;
    }
  }
  throw Error(ErrorCode::bad_data, "unknown number '" + name + "'", {}, std::string(k_where));
}

const std::string& anchor_of(const Pattern& pattern) {
  return *std::max_element(pattern.pieces.begin(), pattern.pieces.end(),
                           [](const std::string& a, const std::string& b) { return a.size() < b.size(); });
}

bool digit(char c) {
  return c >= '0' && c <= '9';
}

// A number with points at the start of the text: "12.1", not the point that ends a sentence.
std::size_t number_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && length < 24 &&
         (digit(text[length]) || (length > 0 && text[length] == '.' && length + 1 < text.size() && digit(text[length + 1])))) {
    ++length;
  }
  return length;
}

// What follows the first piece: numbers stand where the text before them ended, other pieces anywhere later.
bool rest_matches(const Pattern& pattern, std::size_t piece, std::string_view rest, std::string& number) {
  for (; piece < pattern.pieces.size(); ++piece) {
    if (pattern.number[piece]) {
      rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
      const std::size_t length = number_length(rest);
      if (length == 0) {
        return false;
      }
      number = number.empty() ? std::string(rest.substr(0, length)) : number;
      rest.remove_prefix(length);
      continue;
    }
    const bool after_number = piece > 0 && pattern.number[piece - 1];
    const std::size_t at = rest.find(pattern.pieces[piece]);
    if (at == std::string_view::npos || (after_number && at != 0)) {
      return false;
    }
    rest.remove_prefix(at + pattern.pieces[piece].size());
  }
  return true;
}

}  // namespace

ErrorTable read_errors(std::string_view text) {
  ErrorTable table;
  const json document = catalog::parse_json(text, std::string(k_where));
  try {
    for (const json& row : document.at("log_errors")) {
      const std::size_t owner = table.errors.size();
      table.errors.push_back({row.at("id").get<std::string>(), number_of(row), row.at("cause").get<std::string>(),
                              row.at("fact").get<std::string>(), row.at("fix").get<std::vector<std::string>>(),
                              row.at("example").get<std::string>(), row.at("source").get<std::string>(), row.value("memory", false)});
      for (const json& any : row.at("any")) {
        table.patterns.push_back(read_pattern(any.get<std::string>(), owner));
      }
    }
    for (const json& row : document.at("log_facts")) {
      const std::size_t owner = table.errors.size() + table.facts.size();
      table.facts.push_back(row.at("id").get<std::string>());
      for (const json& any : row.at("any")) {
        table.patterns.push_back(read_pattern(any.get<std::string>(), owner));
      }
    }
    const std::size_t beyond = table.errors.size() + table.facts.size();
    for (const auto& [key, owner] : {std::pair{"log_cards", beyond}, std::pair{"log_memory", beyond + 1}}) {
      for (const json& words : document.value(key, json::array())) {
        table.patterns.push_back(read_pattern(words.get<std::string>(), owner));
      }
    }
  } catch (const json::exception& error) {
    throw Error(ErrorCode::bad_data, catalog::parse_fault(error.what()), "see data/schema", std::string(k_where));
  }
  return table;
}

const ErrorTable& known_errors() {
  static const ErrorTable table = read_errors(builtin_software_file("errors.json"));
  return table;
}

bool matches(const Pattern& pattern, std::string_view line, std::string& number) {
  // Only what stands before the first number can begin at several places: "torch==#" after "torch==x".
  const std::string& first = pattern.pieces.front();
  for (std::size_t at = line.find(first); at != std::string_view::npos; at = line.find(first, at + 1)) {
    number.clear();
    if (rest_matches(pattern, 1, line.substr(at + first.size()), number)) {
      return true;
    }
    if (pattern.pieces.size() < 2 || !pattern.number[1]) {
      return false;  // a later start has less text behind it
    }
  }
  return false;
}

std::string normalised(std::string_view line) {
  std::string out;
  for (const char c : line) {
    if (!blank(c)) {
      out += lower_case(c);
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

Anchors::Anchors(const std::vector<Pattern>& patterns) {
  // Bytes that no anchor holds are one class; the machine stays small enough for the cache.
  std::uint8_t classes = 1;
  for (const Pattern& pattern : patterns) {
    for (const char c : anchor_of(pattern)) {
      auto& byte_class = class_of_[static_cast<unsigned char>(c)];
      if (byte_class == 0 && classes < k_classes - 1) {
        byte_class = classes++;
      }
    }
  }
  std::vector<std::vector<std::uint32_t>> outs(1);
  next_.assign(k_classes, 0);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    std::uint32_t state = 0;
    for (const char c : anchor_of(patterns[i])) {
      const std::size_t slot = state * k_classes + class_of_[static_cast<unsigned char>(c)];
      if (next_[slot] == 0) {
        next_[slot] = static_cast<std::uint32_t>(outs.size());
        outs.emplace_back();
        next_.resize(next_.size() + k_classes, 0);
      }
      state = next_[slot];
    }
    outs[state].push_back(static_cast<std::uint32_t>(i));
  }
  // Breadth first: where a state has no way on, the longest suffix that is a state goes on in its place.
  std::vector<std::uint32_t> suffix(outs.size(), 0);
  std::queue<std::uint32_t> waiting;
  for (std::size_t c = 0; c < k_classes; ++c) {
    if (next_[c] != 0) {
      waiting.push(next_[c]);
    }
  }
  while (!waiting.empty()) {
    const std::uint32_t state = waiting.front();
    waiting.pop();
    const auto& inherited = outs[suffix[state]];
    outs[state].insert(outs[state].end(), inherited.begin(), inherited.end());
    for (std::size_t c = 0; c < k_classes; ++c) {
      std::uint32_t& to = next_[std::size_t{state} * k_classes + c];
      const std::uint32_t fallback = next_[std::size_t{suffix[state]} * k_classes + c];
      if (to == 0) {
        to = fallback;
      } else {
        suffix[to] = fallback;
        waiting.push(to);
      }
    }
  }
  for (const auto& list : outs) {
    first_out_.push_back(static_cast<std::uint32_t>(outs_.size()));
    outs_.insert(outs_.end(), list.begin(), list.end());
  }
  first_out_.push_back(static_cast<std::uint32_t>(outs_.size()));
  for (std::uint32_t& to : next_) {
    to = to * k_classes + (outs[to].empty() ? 0U : k_has_outs);
  }
}

LogScanner::LogScanner(const ErrorTable& table)
    : table_(table), anchors_(table.patterns), errors_(table.errors.size()), facts_(table.facts.size()) {
  line_.reserve(k_longest_line);
}

void LogScanner::feed(std::string_view bytes) {
  for (const char raw : bytes) {
    if (raw == '\n') {
      end_line();
      ++lines_;
      continue;
    }
    if (blank(raw)) {
      blank_ = true;
      continue;
    }
    if (line_.size() + 2 > k_longest_line) {
      // The end may hold the beginning of a message: it is seen again.
      std::string tail = line_.substr(line_.size() - k_overlap);
      end_line();
      for (const char c : tail) {
        anchors_.feed(c, [&](std::uint32_t pattern) { hits_.push_back(pattern); });
      }
      line_ = std::move(tail);
    }
    const auto hit = [&](std::uint32_t pattern) {
      if (hits_.size() < k_most_hits && std::find(hits_.begin(), hits_.end(), pattern) == hits_.end()) {
        hits_.push_back(pattern);
      }
    };
    if (blank_ && !line_.empty()) {
      line_ += ' ';
      anchors_.feed(' ', hit);
    }
    blank_ = false;
    line_ += raw;
    anchors_.feed(lower_case(raw), hit);
  }
}

void LogScanner::finish() {
  if (!line_.empty()) {
    end_line();
    ++lines_;
  }
}

void LogScanner::keep_card_line() {
  const std::string line = line_.substr(0, k_shown);
  if (card_lines_.size() < k_most_card_lines && std::find(card_lines_.begin(), card_lines_.end(), line) == card_lines_.end()) {
    card_lines_.push_back(line);
  }
}

void LogScanner::keep_memory_line() {
  if (!memory_lines_.empty() && memory_lines_.back() == line_) {
    return;
  }
  if (memory_lines_.size() == k_most_memory_lines) {
    memory_lines_.erase(memory_lines_.begin());
  }
  memory_lines_.push_back(line_);
}

void LogScanner::end_line() {
  if (!hits_.empty()) {
    std::string low(line_);
    std::transform(low.begin(), low.end(), low.begin(), [](char c) { return lower_case(c); });
    std::vector<std::size_t> owners;  // a line tells of an error once, however many of its texts it holds
    for (const std::uint32_t index : hits_) {
      const Pattern& pattern = table_.patterns[index];
      std::string number;
      if (!matches(pattern, low, number)) {
        continue;
      }
      if (pattern.owner >= errors_.size() + facts_.size()) {
        pattern.owner == errors_.size() + facts_.size() ? keep_card_line() : keep_memory_line();
        continue;
      }
      const bool is_error = pattern.owner < errors_.size();
      Sighting& sighting = is_error ? errors_[pattern.owner] : facts_[pattern.owner - errors_.size()];
      if (std::find(owners.begin(), owners.end(), pattern.owner) == owners.end()) {
        owners.push_back(pattern.owner);
        sighting.count += 1;
        if (is_error && table_.errors[pattern.owner].memory) {
          keep_memory_line();
        }
      }
      if (sighting.text.empty()) {
        sighting.line = lines_ + 1;
        sighting.text = line_.substr(0, k_shown);
      }
      sighting.number = sighting.number.empty() ? number : sighting.number;
    }
  }
  hits_.clear();
  line_.clear();
  blank_ = false;
  anchors_.reset();
}

}  // namespace gpuadvise::software
