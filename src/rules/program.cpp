#include "rules/program.hpp"

#include <gpuadvise/units.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <memory>
#include <optional>

namespace gpuadvise::rules {
namespace {

std::string_view fixed_text(double value, int digits, std::array<char, 64>& buffer) {
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, digits);
  return {buffer.data(), static_cast<std::size_t>(end.ptr - buffer.data())};
}

std::string plain_text(const Datum& value) {
  switch (value.kind) {
    case Kind::null:
      return "unknown";
    case Kind::boolean:
      return value.number != 0.0 ? "yes" : "no";
    case Kind::text:
      return std::string(value.text);
    case Kind::number:
      break;
  }
  if (value.number == std::floor(value.number) && std::abs(value.number) < 1e15) {
    std::array<char, 64> buffer;
    return std::string(fixed_text(value.number, 0, buffer));
  }
  return format_significant(value.number);
}

std::optional<double> numeric(const Datum& value) {
  switch (value.kind) {
    case Kind::null:
      return std::nullopt;
    case Kind::text:
      return parse_number(value.text);
    default:
      return value.number;
  }
}

// JavaScript's ==, but for texts that are no numbers.
bool loosely_equal(const Datum& a, const Datum& b) {
  if (a.is_null() || b.is_null()) {
    return a.is_null() && b.is_null();
  }
  if (a.kind == Kind::text && b.kind == Kind::text) {
    return a.text == b.text;
  }
  const std::optional<double> x = numeric(a);
  const std::optional<double> y = numeric(b);
  return x && y && *x == *y;
}

bool strictly_equal(const Datum& a, const Datum& b) {
  return a.kind == b.kind && loosely_equal(a, b);
}

bool ordered(Op op, const Datum& a, const Datum& b) {
  const std::optional<double> x = numeric(a);
  const std::optional<double> y = numeric(b);
  if (!x || !y) {
    return false;
  }
  switch (op) {
    case Op::less:
      return *x < *y;
    case Op::less_equal:
      return *x <= *y;
    case Op::greater:
      return *x > *y;
    default:
      return *x >= *y;
  }
}

double combined(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return a + b;
    case Op::subtract:
      return a - b;
    case Op::multiply:
      return a * b;
    case Op::divide:
      return a / b;
    case Op::modulo:
      return std::fmod(a, b);
    case Op::minimum:
      return std::min(a, b);
    default:
      return std::max(a, b);
  }
}

class Evaluation {
 public:
  Evaluation(const RuleTable& table, const Subject& subject) : table_(table), subject_(subject) {}

  [[nodiscard]] Datum value(std::uint32_t at) {
    const Node& node = table_.nodes[at];
    switch (node.op) {
      case Op::null:
      case Op::list:
        return {};
      case Op::boolean:
        return boolean(node.operand != 0);
      case Op::number:
        return number(table_.numbers[node.operand]);
      case Op::text:
        return {Kind::text, 0.0, table_.texts[node.operand]};
      case Op::item:
        return item_;
      case Op::fact:
        return fact_at(node.operand).read(subject_);
      case Op::equal:
        return boolean(loosely_equal(first(at), second(at)));
      case Op::not_equal:
        return boolean(!loosely_equal(first(at), second(at)));
      case Op::same:
        return boolean(strictly_equal(first(at), second(at)));
      case Op::not_same:
        return boolean(!strictly_equal(first(at), second(at)));
      case Op::less:
      case Op::less_equal:
      case Op::greater:
      case Op::greater_equal:
        return boolean(chain(at));
      case Op::all_of:
      case Op::any_of:
        return short_circuit(at);
      case Op::negate:
        return boolean(!first(at).truthy());
      case Op::truth:
        return boolean(first(at).truthy());
      case Op::choose:
        return choose(at);
      case Op::otherwise:
        return otherwise(at);
      case Op::in:
        return boolean(contains(at));
      case Op::join:
        return join(at);
      case Op::missing:
        return boolean(present(at, at + 1, node.children) < node.children);
      case Op::missing_some:
        return boolean(missing_some(at));
      case Op::some:
      case Op::every:
      case Op::none:
        return boolean(quantified(at));
      default:
        return arithmetic(at);
    }
  }

 private:
  [[nodiscard]] Datum first(std::uint32_t at) { return value(at + 1); }
  [[nodiscard]] Datum second(std::uint32_t at) { return value(next(at + 1)); }
  [[nodiscard]] std::uint32_t next(std::uint32_t at) const { return at + table_.nodes[at].size; }

  [[nodiscard]] bool chain(std::uint32_t at) {
    const Node& node = table_.nodes[at];
    const std::uint32_t middle = next(at + 1);
    const Datum between = value(middle);
    return ordered(node.op, first(at), between) && (node.children < 3 || ordered(node.op, between, value(next(middle))));
  }

  [[nodiscard]] Datum short_circuit(std::uint32_t at) {
    const Node& node = table_.nodes[at];
    const bool stop_at = node.op == Op::any_of;
    Datum last;
    std::uint32_t child = at + 1;
    for (unsigned i = 0; i < node.children; ++i, child = next(child)) {
      last = value(child);
      if (last.truthy() == stop_at) {
        break;
      }
    }
    return last;
  }

  [[nodiscard]] Datum choose(std::uint32_t at) {
    unsigned left = table_.nodes[at].children;
    std::uint32_t child = at + 1;
    while (left >= 2) {
      const std::uint32_t then = next(child);
      if (value(child).truthy()) {
        return value(then);
      }
      child = next(then);
      left -= 2;
    }
    return left == 1 ? value(child) : Datum{};
  }

  [[nodiscard]] Datum otherwise(std::uint32_t at) {
    const Datum known = first(at);
    return known.is_null() ? second(at) : known;
  }

  [[nodiscard]] Datum arithmetic(std::uint32_t at) {
    const Node& node = table_.nodes[at];
    std::uint32_t child = at + 1;
    std::optional<double> result = numeric(value(child));
    if (node.children == 1 && node.op == Op::subtract && result) {
      return number(-*result);
    }
    for (unsigned i = 1; i < node.children && result; ++i) {
      child = next(child);
      const std::optional<double> operand = numeric(value(child));
      result = operand ? std::optional<double>(combined(node.op, *result, *operand)) : std::nullopt;
    }
    return result && std::isfinite(*result) ? number(*result) : Datum{};
  }

  [[nodiscard]] bool contains(std::uint32_t at) {
    const Datum needle = first(at);
    const std::uint32_t where = next(at + 1);
    const Node& haystack = table_.nodes[where];
    if (haystack.op != Op::list) {
      const Datum whole = value(where);
      return needle.kind == Kind::text && whole.kind == Kind::text && whole.text.find(needle.text) != std::string_view::npos;
    }
    std::uint32_t child = where + 1;
    for (unsigned i = 0; i < haystack.children; ++i, child = next(child)) {
      if (strictly_equal(needle, value(child))) {
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] Datum join(std::uint32_t at) {
    std::string joined;
    std::uint32_t child = at + 1;
    for (unsigned i = 0; i < table_.nodes[at].children; ++i, child = next(child)) {
      joined += plain_text(value(child));
    }
    if (!scratch_) {
      scratch_ = std::make_unique<std::deque<std::string>>();
    }
    return {Kind::text, 0.0, scratch_->emplace_back(std::move(joined))};
  }

  // How many of the facts that are the children of a node are known.
  [[nodiscard]] unsigned present(std::uint32_t, std::uint32_t child, unsigned count) {
    unsigned known = 0;
    for (unsigned i = 0; i < count; ++i, child = next(child)) {
      known += value(child).is_null() ? 0U : 1U;
    }
    return known;
  }

  [[nodiscard]] bool missing_some(std::uint32_t at) {
    const std::uint32_t list = next(at + 1);
    const double wanted = numeric(first(at)).value_or(0.0);
    return static_cast<double>(present(list, list + 1, table_.nodes[list].children)) < wanted;
  }

  [[nodiscard]] bool quantified(std::uint32_t at) {
    const Op op = table_.nodes[at].op;
    const std::uint32_t list = at + 1;
    const std::uint32_t condition = next(list);
    const Datum outer = item_;
    unsigned hits = 0;
    std::uint32_t child = list + 1;
    const unsigned count = table_.nodes[list].children;
    for (unsigned i = 0; i < count; ++i, child = next(child)) {
      item_ = value(child);
      hits += value(condition).truthy() ? 1U : 0U;
    }
    item_ = outer;
    return op == Op::some ? hits > 0 : op == Op::none ? hits == 0 : count > 0 && hits == count;
  }

  const RuleTable& table_;
  const Subject& subject_;
  Datum item_;
  std::unique_ptr<std::deque<std::string>> scratch_;
};

double rounded(double value, const Piece& piece) {
  const double scale = std::pow(10.0, piece.digits);
  switch (piece.style) {
    case Style::up:
      return std::ceil(value * scale) / scale;
    case Style::down:
      return std::floor(value * scale) / scale;
    default:
      return value;
  }
}

std::string filled(const RuleTable& table, std::uint32_t first, std::uint32_t count, const Subject& subject) {
  std::string message;
  std::array<char, 64> buffer;
  for (const Piece& piece : table.pieces.subspan(first, count)) {
    if (piece.fact == k_no_fact) {
      message += table.texts[piece.text];
      continue;
    }
    const Datum value = fact_at(piece.fact).read(subject);
    if (value.kind != Kind::number || piece.style == Style::plain) {
      message += plain_text(value);
    } else if (piece.style == Style::usd) {
      message += format_usd(value.number);
    } else {
      message += fixed_text(rounded(value.number, piece), piece.digits, buffer);
    }
  }
  return message;
}

}  // namespace

bool holds(const RuleTable& table, std::uint32_t node, const Subject& subject) {
  return Evaluation(table, subject).value(node).truthy();
}

std::uint8_t scope_of(const RuleTable& table, std::uint32_t node) {
  unsigned scopes = 0;
  for (std::uint32_t i = node; i < node + table.nodes[node].size; ++i) {
    if (table.nodes[i].op == Op::fact) {
      scopes |= fact_at(table.nodes[i].operand).scope;
    }
  }
  return static_cast<std::uint8_t>(scopes);
}

std::string message_of(const RuleTable& table, const Rule& rule, const Subject& subject) {
  return filled(table, rule.first_piece, rule.pieces, subject);
}

std::string change_of(const RuleTable& table, const Rule& rule, const Subject& subject) {
  return filled(table, rule.first_change, rule.change_pieces, subject);
}

}  // namespace gpuadvise::rules
