// A small reader of XML as tools print it: elements, attributes, text. No entities from a DTD, nothing fetched; depth and size bounded.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuadvise::host {

struct XmlElement {
  std::string name;
  std::string text;  // of this element itself, trimmed
  std::vector<std::pair<std::string, std::string>> attributes;
  std::vector<XmlElement> children;

  // First child of that name; nullptr when there is none.
  [[nodiscard]] const XmlElement* child(std::string_view wanted) const;
  // Text at "a/b/c" below this element; empty where there is none.
  [[nodiscard]] std::string_view at(std::string_view path) const;
  [[nodiscard]] std::string_view attribute(std::string_view wanted) const;
};

// The root element. Throws Error{bad_data} with line and column.
[[nodiscard]] XmlElement read_xml(std::string_view text, const std::string& file);

}  // namespace gpuadvise::host
