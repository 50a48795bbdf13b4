#include "host/xml.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/parse_json.hpp"
#include "host/lines.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::host {
namespace {

constexpr int k_deepest = 32;
constexpr std::size_t k_most_elements = 200000;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.' || c == ':';
}

// The five entities that need no DTD; any other stays as it is written.
std::string decoded(std::string_view text) {
  struct Entity {
    std::string_view name;
    char character;
  };
  static constexpr auto entities = std::to_array<Entity>({{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}});
  std::string out;
  while (!text.empty()) {
    const auto found = std::find_if(entities.begin(), entities.end(), [&](const Entity& entity) { return text.starts_with(entity.name); });
    out += found == entities.end() ? text.front() : found->character;
    text.remove_prefix(found == entities.end() ? 1 : found->name.size());
  }
  return out;
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  XmlElement document() {
    skip_between();
    if (at_end()) {
      fail("no element in it");
    }
    XmlElement root = element(1);
    skip_between();
    if (!at_end()) {
      fail("something follows the end of <" + printable(root.name) + ">");
    }
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(ErrorCode::bad_data, "not valid XML: " + why, {}, file_ + ":" + catalog::line_and_column(text_, at_));
  }

  [[nodiscard]] bool at_end() const { return at_ >= text_.size(); }
  [[nodiscard]] bool sees(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  void skip_past(std::string_view end) {
    const auto found = text_.find(end, at_);
    if (found == std::string_view::npos) {
      at_ = text_.size();
      fail("ends before '" + std::string(end) + "'");
    }
    at_ = found + end.size();
  }

  // Declarations, comments and the document type, which is not read: what it might define is not wanted.
  bool skip_markup() {
    if (sees("<!--")) {
      skip_past("-->");
    } else if (sees("<?")) {
      skip_past("?>");
    } else if (sees("<!DOCTYPE")) {
      const auto bracket = text_.find_first_of("[>", at_);
      if (bracket != std::string_view::npos && text_[bracket] == '[') {
        fail("a document type with definitions of its own is not read");
      }
      skip_past(">");
    } else {
      return false;
    }
    return true;
  }

  void skip_between() {
    do {
      skip_blanks();
    } while (skip_markup());
  }

  std::string name() {
    const std::size_t start = at_;
    while (!at_end() && is_name_character(text_[at_])) {
      ++at_;
    }
    if (at_ == start) {
      fail("a name is missing");
    }
    return std::string(text_.substr(start, at_ - start));
  }

  void attributes(XmlElement& into) {
    for (skip_blanks(); !at_end() && text_[at_] != '>' && text_[at_] != '/'; skip_blanks()) {
      std::string key = name();
      skip_blanks();
      if (!sees("=")) {
        fail("attribute '" + printable(key) + "' has no value");
      }
      ++at_;
      skip_blanks();
      if (at_end() || (text_[at_] != '"' && text_[at_] != '\'')) {
        fail("attribute '" + printable(key) + "' has no quotes");
      }
      const std::string_view quote = text_.substr(at_++, 1);
      const std::size_t start = at_;
      skip_past(quote);
      into.attributes.emplace_back(std::move(key), decoded(text_.substr(start, at_ - 1 - start)));
    }
  }

  XmlElement element(int depth) {
    if (depth > k_deepest) {
      fail("nested deeper than " + std::to_string(k_deepest) + " levels");
    }
    if (++elements_ > k_most_elements) {
      fail("more than " + std::to_string(k_most_elements) + " elements");
    }
    if (!sees("<")) {
      fail("'<' expected");
    }
    ++at_;
    XmlElement out;
    out.name = name();
    attributes(out);
    if (sees("/>")) {
      at_ += 2;
      return out;
    }
    if (!sees(">")) {
      fail("<" + printable(out.name) + "> is not closed");
    }
    ++at_;
    content(out, depth);
    return out;
  }

  void content(XmlElement& into, int depth) {
    std::string text;
    for (;;) {
      const std::size_t start = at_;
      at_ = std::min(text_.find('<', at_), text_.size());
      text += text_.substr(start, at_ - start);
      if (at_end()) {
        fail("ends inside <" + printable(into.name) + ">");
      }
      if (sees("</")) {
        at_ += 2;
        if (name() != into.name) {
          fail("another end tag than that of <" + printable(into.name) + ">");
        }
        skip_blanks();
        if (!sees(">")) {
          fail("an end tag is not closed");
        }
        ++at_;
        into.text = decoded(trim(text));
        return;
      }
      if (!skip_markup()) {
        into.children.push_back(element(depth + 1));
      }
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t elements_ = 0;
};

}  // namespace

const XmlElement* XmlElement::child(std::string_view wanted) const {
  const auto found = std::find_if(children.begin(), children.end(), [&](const XmlElement& each) { return each.name == wanted; });
  return found == children.end() ? nullptr : &*found;
}

std::string_view XmlElement::at(std::string_view path) const {
  const XmlElement* here = this;
  for (const std::string_view step : split(path, '/')) {
    here = here->child(step);
    if (here == nullptr) {
      return {};
    }
  }
  return here->text;
}

std::string_view XmlElement::attribute(std::string_view wanted) const {
  const auto found = std::find_if(attributes.begin(), attributes.end(), [&](const auto& each) { return each.first == wanted; });
  return found == attributes.end() ? std::string_view{} : std::string_view(found->second);
}

XmlElement read_xml(std::string_view text, const std::string& file) {
  return Reader(text, file).document();
}

}  // namespace gpuadvise::host
