// How a text may look: how wide, and whether colour is wanted. Colour never carries a meaning alone.
#pragma once

#include <string>
#include <string_view>

namespace gpuadvise::report {

struct TextStyle {
  int width = 120;
  bool colour = false;
  bool verbose = false;
};

enum class Tone { plain, strong, good, careful, bad, faint };

[[nodiscard]] std::string paint(const TextStyle& style, Tone tone, std::string_view text);

// Breaks at spaces so that no line is longer than the width; every line starts with the indent.
[[nodiscard]] std::string wrap(std::string_view text, int width, std::string_view indent = {});

}  // namespace gpuadvise::report
