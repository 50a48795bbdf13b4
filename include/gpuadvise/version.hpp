// The version of the program and the library.
#pragma once

#include <string_view>

namespace gpuadvise {

inline constexpr std::string_view k_version = "0.1.0";

}  // namespace gpuadvise
