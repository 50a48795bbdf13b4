#include "report/style.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::report {

std::string paint(const TextStyle& style, Tone tone, std::string_view text) {
  static constexpr std::array<std::string_view, 6> codes{"", "\x1b[1m", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[2m"};
  const std::string_view code = codes[static_cast<std::size_t>(tone)];
  if (!style.colour || code.empty()) {
    return std::string(text);
  }
  return std::string(code) + std::string(text) + "\x1b[0m";
}

std::string wrap(std::string_view text, int width, std::string_view indent) {
  const auto room = static_cast<std::size_t>(width) > indent.size() + 20 ? static_cast<std::size_t>(width) - indent.size() : 20;
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > room) {
      end = text.rfind(' ', room);
      if (end == std::string_view::npos || end == 0) {
        end = text.find(' ');  // one word longer than the line stands alone
        end = end == std::string_view::npos ? text.size() : end;
      }
    }
    lines += std::string(indent) + std::string(text.substr(0, end)) + "\n";
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines;
}

}  // namespace gpuadvise::report
