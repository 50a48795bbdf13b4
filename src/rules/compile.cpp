#include "rules/compile.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/near_name.hpp"
#include "catalog/parse_json.hpp"
#include "rules/objectives.hpp"
#include "rules/program.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace gpuadvise::rules {
namespace {

using Json = nlohmann::json;

struct OperatorName {
  std::string_view name;
  Op op;
  std::uint8_t least;
  std::uint8_t most;
};

constexpr std::uint8_t k_any_number = 64;
constexpr auto k_operators = std::to_array<OperatorName>({
    {"==", Op::equal, 2, 2},
    {"!=", Op::not_equal, 2, 2},
    {"===", Op::same, 2, 2},
    {"!==", Op::not_same, 2, 2},
    {"<", Op::less, 2, 3},
    {"<=", Op::less_equal, 2, 3},
    {">", Op::greater, 2, 3},
    {">=", Op::greater_equal, 2, 3},
    {"and", Op::all_of, 1, k_any_number},
    {"or", Op::any_of, 1, k_any_number},
    {"!", Op::negate, 1, 1},
    {"!!", Op::truth, 1, 1},
    {"if", Op::choose, 2, k_any_number},
    {"?:", Op::choose, 3, 3},
    {"+", Op::add, 1, k_any_number},
    {"-", Op::subtract, 1, 2},
    {"*", Op::multiply, 1, k_any_number},
    {"/", Op::divide, 2, 2},
    {"%", Op::modulo, 2, 2},
    {"min", Op::minimum, 1, k_any_number},
    {"max", Op::maximum, 1, k_any_number},
    {"in", Op::in, 2, 2},
    {"cat", Op::join, 1, k_any_number},
    {"missing", Op::missing, 1, k_any_number},
    {"missing_some", Op::missing_some, 2, 2},
    {"some", Op::some, 2, 2},
    {"all", Op::every, 2, 2},
    {"none", Op::none, 2, 2},
});

constexpr int k_deepest = 32;

class Compiler {
 public:
  explicit Compiler(CompiledRules& out) : out_(out) {}

  void file(const RuleFile& source) {
    file_ = source.name;
    id_.clear();
    const Json document = catalog::parse_json(source.text, source.name);
    if (!document.is_object() || !document.contains("rules") || !document["rules"].is_array()) {
      fail("", "a rule file is an object with a list 'rules'");
    }
    if (const auto schema = document.find("schema"); schema != document.end() && *schema != 1) {
      fail("/schema", "a rule file of this program has \"schema\": 1, not " + schema->dump());
    }
    std::size_t position = 0;
    for (const Json& each : document["rules"]) {
      rule(each, "/rules/" + std::to_string(position++));
    }
  }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& message, std::string hint = {}) const {
    std::string where = file_;
    if (!id_.empty()) {
      where += ": rule '" + id_ + "'";
    }
    throw Error(ErrorCode::bad_data, message, std::move(hint), where + (path.empty() ? "" : " at " + path));
  }

  [[nodiscard]] static std::string suggestion(std::string_view text, const std::vector<std::string_view>& names) {
    const std::vector<std::string_view> near = catalog::near_names(text, names, 3);
    std::string hint;
    for (const std::string_view name : near) {
      hint += (hint.empty() ? "did you mean '" : ", '") + std::string(name) + "'";
    }
    return hint.empty() ? hint : hint + "?";
  }

  [[nodiscard]] std::string_view keep(std::string value) { return out_.storage.emplace_back(std::move(value)); }

  [[nodiscard]] std::uint16_t narrow(std::size_t value, const std::string& path) const {
    if (value > std::numeric_limits<std::uint16_t>::max()) {
      fail(path, "the rules are too large");
    }
    return static_cast<std::uint16_t>(value);
  }

  [[nodiscard]] std::uint16_t text_index(const std::string& value, const std::string& path) {
    const auto found = std::find(out_.texts.begin(), out_.texts.end(), value);
    if (found != out_.texts.end()) {
      return narrow(static_cast<std::size_t>(found - out_.texts.begin()), path);
    }
    out_.texts.push_back(keep(value));
    return narrow(out_.texts.size() - 1, path);
  }

  [[nodiscard]] std::uint16_t number_index(double value, const std::string& path) {
    const auto found = std::find(out_.numbers.begin(), out_.numbers.end(), value);
    if (found != out_.numbers.end()) {
      return narrow(static_cast<std::size_t>(found - out_.numbers.begin()), path);
    }
    out_.numbers.push_back(value);
    return narrow(out_.numbers.size() - 1, path);
  }

  [[nodiscard]] FactIndex fact_index(const std::string& name, const std::string& path) const {
    const std::optional<FactIndex> index = find_fact(name);
    if (!index) {
      fail(path, "unknown fact '" + name + "'", suggestion(name, fact_names()));
    }
    return *index;
  }

  [[nodiscard]] std::string string_field(const Json& each, const char* key, const std::string& path, bool required) const {
    if (!each.contains(key)) {
      if (required) {
        fail(path, "'" + std::string(key) + "' is missing");
      }
      return {};
    }
    if (!each[key].is_string() || each[key].get_ref<const std::string&>().empty()) {
      fail(path + "/" + key, "'" + std::string(key) + "' must be a text");
    }
    return each[key].get<std::string>();
  }

  void check_keys(const Json& each, const std::string& path) const {
    static const std::vector<std::string_view> known{"id", "when", "severity", "effect", "message", "change", "why", "source", "disabled"};
    for (const auto& [key, value] : each.items()) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(std::string(path).append("/").append(key), "unknown key '" + key + "'", suggestion(key, known));
      }
    }
  }

  void rule(const Json& each, const std::string& path) {
    id_.clear();
    if (!each.is_object()) {
      fail(path, "a rule is an object");
    }
    id_ = string_field(each, "id", path, true);
    check_keys(each, path);
    if (each.contains("disabled")) {
      if (!each["disabled"].is_boolean()) {
        fail(path + "/disabled", "'disabled' must be true or false");
      }
      if (each["disabled"].get<bool>()) {
        out_.disabled.push_back(keep(id_));
        return;
      }
    }
    for (const Rule& other : out_.rules) {
      if (other.id == id_) {
        fail(path, "two rules have this id");
      }
    }
    Rule compiled;
    compiled.id = keep(id_);
    compiled.why = keep(string_field(each, "why", path, false));
    compiled.source = keep(string_field(each, "source", path, false));
    compiled.severity = severity(string_field(each, "severity", path, true), path);
    if (!each.contains("when")) {
      fail(path, "'when' is missing");
    }
    compiled.first_node = static_cast<std::uint32_t>(out_.nodes.size());
    condition(each["when"], path + "/when", 0, false);
    compiled.scope = scope_of(out_.table(), compiled.first_node);
    effect(each, path, compiled);
    compiled.first_piece = static_cast<std::uint32_t>(out_.pieces.size());
    message(string_field(each, "message", path, true), path + "/message");
    compiled.pieces = static_cast<std::uint32_t>(out_.pieces.size()) - compiled.first_piece;
    compiled.first_change = static_cast<std::uint32_t>(out_.pieces.size());
    message(string_field(each, "change", path, false), path + "/change");
    compiled.change_pieces = static_cast<std::uint32_t>(out_.pieces.size()) - compiled.first_change;
    out_.rules.push_back(compiled);
  }

  [[nodiscard]] Severity severity(const std::string& name, const std::string& path) const {
    for (const Severity each : {Severity::reject, Severity::warn, Severity::note, Severity::advice}) {
      if (to_string(each) == name) {
        return each;
      }
    }
    fail(path + "/severity", "unknown severity '" + name + "'", "one of reject, warn, note, advice");
  }

  void effect(const Json& each, const std::string& path, Rule& compiled) const {
    if (!each.contains("effect")) {
      return;
    }
    const Json& value = each["effect"];
    if (!value.is_object() || value.size() != 1 || !value.begin()->is_number()) {
      fail(path + "/effect", "an effect is one objective with a number, like {\"risk\": -0.2}");
    }
    const std::optional<Objective> objective = parse_objective(value.begin().key());
    if (!objective) {
      fail(path + "/effect", "unknown objective '" + value.begin().key() + "'",
           "one of performance, price, headroom, efficiency, longevity, risk");
    }
    compiled.has_effect = true;
    compiled.objective = *objective;
    compiled.delta = value.begin()->get<double>();
    if (compiled.delta < -1.0 || compiled.delta > 1.0) {
      fail(path + "/effect", "an effect lies within -1 and 1");
    }
  }

  std::size_t leaf(Op op, std::uint16_t operand) {
    out_.nodes.push_back({op, 0, operand, 1});
    return out_.nodes.size() - 1;
  }

  void close(std::size_t node, std::size_t children, const std::string& path) {
    if (children > k_any_number) {
      fail(path, "more than 64 operands");
    }
    out_.nodes[node].children = static_cast<std::uint8_t>(children);
    out_.nodes[node].size = narrow(out_.nodes.size() - node, path);
  }

  void condition(const Json& value, const std::string& path, int depth, bool inside_list) {
    if (depth > k_deepest) {
      fail(path, "nested too deeply");
    }
    switch (value.type()) {
      case Json::value_t::null:
        leaf(Op::null, 0);
        return;
      case Json::value_t::boolean:
        leaf(Op::boolean, value.get<bool>() ? 1 : 0);
        return;
      case Json::value_t::string:
        leaf(Op::text, text_index(value.get<std::string>(), path));
        return;
      case Json::value_t::array:
        list(value, path, depth, inside_list);
        return;
      case Json::value_t::object:
        operation(value, path, depth, inside_list);
        return;
      default:
        leaf(Op::number, number_index(value.get<double>(), path));
        return;
    }
  }

  void list(const Json& value, const std::string& path, int depth, bool inside_list) {
    const std::size_t node = leaf(Op::list, 0);
    operands(value, path, depth, inside_list);
    close(node, value.size(), path);
  }

  void operands(const Json& values, const std::string& path, int depth, bool inside_list) {
    std::size_t position = 0;
    for (const Json& each : values) {
      condition(each, path + "/" + std::to_string(position++), depth + 1, inside_list);
    }
  }

  void operation(const Json& value, const std::string& path, int depth, bool inside_list) {
    if (value.size() != 1) {
      fail(path, "an operation is an object with one key, the operator");
    }
    const std::string name = value.begin().key();
    const std::string inner = path + "/" + name;
    // A single operand may stand without its list.
    const Json arguments = value.begin()->is_array() ? *value.begin() : Json::array({*value.begin()});
    if (name == "var") {
      variable(arguments, inner, depth, inside_list);
      return;
    }
    const auto* found = std::find_if(k_operators.begin(), k_operators.end(), [&](const OperatorName& each) { return each.name == name; });
    if (found == k_operators.end()) {
      std::vector<std::string_view> names{"var"};
      for (const OperatorName& each : k_operators) {
        names.push_back(each.name);
      }
      fail(path, "unknown operator '" + name + "'", suggestion(name, names));
    }
    if (arguments.size() < found->least || arguments.size() > found->most) {
      fail(inner, "'" + name + "' takes " + std::to_string(found->least) +
                      (found->most == found->least   ? ""
                       : found->most == k_any_number ? " or more"
                                                     : " to " + std::to_string(found->most)) +
                      " operands, here are " + std::to_string(arguments.size()));
    }
    const std::size_t node = leaf(found->op, 0);
    fill(found->op, arguments, inner, depth, inside_list);
    close(node, found->op == Op::missing ? flat(arguments).size() : arguments.size(), inner);
  }

  void fill(Op op, const Json& arguments, const std::string& path, int depth, bool inside_list) {
    if (op == Op::missing) {
      fact_list(flat(arguments), path);
    } else if (op == Op::missing_some) {
      condition(arguments[0], path + "/0", depth + 1, inside_list);
      const std::size_t node = leaf(Op::list, 0);
      const Json names = arguments[1].is_array() ? arguments[1] : Json::array({arguments[1]});
      fact_list(names, path + "/1");
      close(node, names.size(), path);
    } else if (op == Op::some || op == Op::every || op == Op::none) {
      if (!arguments[0].is_array()) {
        fail(path + "/0", "the first operand must be a list");
      }
      condition(arguments[0], path + "/0", depth + 1, inside_list);
      condition(arguments[1], path + "/1", depth + 1, true);
    } else {
      operands(arguments, path, depth, inside_list);
    }
  }

  // missing takes its names as operands or as one list.
  [[nodiscard]] static Json flat(const Json& arguments) {
    return arguments.size() == 1 && arguments[0].is_array() ? arguments[0] : arguments;
  }

  void fact_list(const Json& names, const std::string& path) {
    for (const Json& each : names) {
      if (!each.is_string()) {
        fail(path, "names of facts are texts");
      }
      leaf(Op::fact, fact_index(each.get<std::string>(), path));
    }
  }

  void variable(const Json& arguments, const std::string& path, int depth, bool inside_list) {
    if (arguments.empty() || arguments.size() > 2 || !arguments[0].is_string()) {
      fail(path, "'var' takes the name of a fact, and perhaps a default");
    }
    const bool with_default = arguments.size() == 2;
    const std::size_t node = with_default ? leaf(Op::otherwise, 0) : 0;
    const std::string name = arguments[0].get<std::string>();
    if (name.empty() && inside_list) {
      leaf(Op::item, 0);
    } else {
      leaf(Op::fact, fact_index(name, path));
    }
    if (with_default) {
      condition(arguments[1], path + "/1", depth + 1, inside_list);
      close(node, 2, path);
    }
  }

  void literal(std::string& pending, const std::string& path) {
    if (!pending.empty()) {
      out_.pieces.push_back({k_no_fact, text_index(pending, path), Style::plain, 0});
      pending.clear();
    }
  }

  void message(const std::string& source, const std::string& path) {
    std::string pending;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const bool doubled = i + 1 < source.size() && source[i + 1] == source[i];
      if (source[i] != '{' && source[i] != '}') {
        pending += source[i];
      } else if (doubled) {
        pending += source[i++];
      } else {
        const std::size_t end = source.find('}', i);
        if (source[i] == '}' || end == std::string::npos) {
          fail(path, "unbalanced brace in the message");
        }
        literal(pending, path);
        out_.pieces.push_back(placeholder(source.substr(i + 1, end - i - 1), path));
        i = end;
      }
    }
    literal(pending, path);
  }

  // ".2f", "up2", "down2": the digit says how many decimals.
  [[nodiscard]] static std::optional<Style> numeric_style(std::string_view format) {
    const auto digit = [](char each) { return each >= '0' && each <= '6'; };
    if (format.size() == 3 && format[0] == '.' && format[2] == 'f' && digit(format[1])) {
      return Style::fixed;
    }
    if (format.empty() || !digit(format.back())) {
      return std::nullopt;
    }
    const std::string_view word = format.substr(0, format.size() - 1);
    return word == "up" ? std::optional(Style::up) : word == "down" ? std::optional(Style::down) : std::nullopt;
  }

  [[nodiscard]] Piece placeholder(const std::string& body, const std::string& path) const {
    const std::size_t colon = body.find(':');
    Piece piece;
    piece.fact = fact_index(body.substr(0, colon), path);
    if (colon == std::string::npos) {
      return piece;
    }
    const std::string format = body.substr(colon + 1);
    if (format == "usd") {
      piece.style = Style::usd;
    } else if (const std::optional<Style> style = numeric_style(format)) {
      piece.style = *style;
      piece.digits = static_cast<std::uint8_t>(format[format.size() - (*style == Style::fixed ? 2 : 1)] - '0');
    } else {
      fail(path, "unknown format '" + format + "'", "one of .0f to .6f, up0 to up6, down0 to down6, usd");
    }
    return piece;
  }

  CompiledRules& out_;
  std::string file_;
  std::string id_;
};

}  // namespace

CompiledRules compile_rules(const std::vector<RuleFile>& files) {
  CompiledRules compiled;
  Compiler compiler(compiled);
  for (const RuleFile& each : files) {
    compiler.file(each);
  }
  return compiled;
}

}  // namespace gpuadvise::rules
