#include "catalog/settings_json.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/parse_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace gpuadvise::catalog {
namespace {

constexpr std::size_t k_longest = 1024UL * 1024;
constexpr std::size_t k_deepest_list = 4;

// Receives the parser's events; the first fault ends the parse.
class SettingsHandler : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Setting> settings;
  std::string fault;
  std::string fault_hint;
  std::size_t fault_byte = 0;

  bool null() override { return add(Value{}); }
  bool boolean(bool flag) override { return add(Value(flag)); }
  bool number_integer(number_integer_t number) override { return add(Value(static_cast<double>(number))); }
  bool number_unsigned(number_unsigned_t number) override { return add(Value(static_cast<double>(number))); }
  bool number_float(number_float_t number, const string_t&) override { return add(Value(number)); }
  bool string(string_t& text) override { return add(Value(std::move(text))); }
  bool binary(binary_t&) override { return fail("binary values have no place here"); }

  bool start_object(std::size_t) override {
    if (inside_ || ended_) {
      return fail("'" + key_ + "' holds an object", "values are texts, numbers, true or false, or lists of these");
    }
    inside_ = true;
    return true;
  }
  bool end_object() override {
    inside_ = false;
    ended_ = true;
    return true;
  }
  bool key(string_t& name) override {
    if (std::any_of(settings.begin(), settings.end(), [&](const Setting& setting) { return setting.key == name; })) {
      return fail("duplicate key '" + name + "'", "keep one of them");
    }
    key_ = std::move(name);
    return true;
  }
  bool start_array(std::size_t) override {
    if (!inside_) {
      return fail("expected an object", "one request is {\"model\": ..., ...}");
    }
    if (lists_.size() == k_deepest_list) {
      return fail("'" + key_ + "' is nested too deep");
    }
    lists_.emplace_back();
    return true;
  }
  bool end_array() override {
    Value list(std::move(lists_.back()));
    lists_.pop_back();
    return add(std::move(list));
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
    fault_byte = position > 0 ? position - 1 : 0;
    return fail(parse_fault(error.what()));
  }

 private:
  bool fail(std::string message, std::string hint = {}) {
    fault = std::move(message);
    fault_hint = std::move(hint);
    return false;
  }

  bool add(Value value) {
    if (!lists_.empty()) {
      lists_.back().push_back(std::move(value));
      return true;
    }
    if (!inside_) {
      return fail("expected an object", "one request is {\"model\": ..., ...}");
    }
    if (!value.is_null()) {
      settings.push_back({key_, std::move(value), Origin::file});
    }
    return true;
  }

  std::string key_;
  std::vector<Value::List> lists_;
  bool inside_ = false;
  bool ended_ = false;
};

}  // namespace

std::vector<Setting> read_settings(std::string_view text, const std::string& where) {
  if (text.size() > k_longest) {
    throw Error(ErrorCode::bad_data, "the request is longer than 1 MiB", "one request is a few hundred bytes", where);
  }
  // The parser takes a NUL byte for the end of the text.
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    throw Error(ErrorCode::bad_data, "a NUL byte at column " + std::to_string(nul + 1), "expected JSON text", where);
  }
  SettingsHandler handler;
  if (!nlohmann::json::sax_parse(text, &handler)) {
    throw Error(ErrorCode::bad_data, handler.fault, handler.fault_hint, where);
  }
  return std::move(handler.settings);
}

}  // namespace gpuadvise::catalog
