// Appends JSON to a string without building a tree: batch mode writes tens of thousands of answers a second.
#pragma once

#include <gpuadvise/value.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gpuadvise::report {

class JsonWriter {
 public:
  enum class Style { compact, indented };
  explicit JsonWriter(std::string& out, Style style = Style::compact) : out_(out), style_(style) {}

  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);  // a name of our own: written as it is

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(bool flag);
  // Whole numbers without a point; others in the shortest form that reads back the same; not finite = null.
  void value(double number);
  void value(int number) { value(static_cast<double>(number)); }
  void value(const Value& any);
  void null();
  template <class T>
  void value(const std::optional<T>& maybe) {
    if (maybe) {
      value(*maybe);
    } else {
      null();
    }
  }

  template <class T>
  void field(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  // A quantity of which only whole units matter (bytes).
  void whole_field(std::string_view name, double number);

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void newline();

  std::string& out_;
  Style style_;
  int depth_ = 0;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace gpuadvise::report
