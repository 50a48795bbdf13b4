// Checks of the files of data/software: read as the program reads them, then what their own facts say of each other.
#pragma once

#include <gpuadvise/finding.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace gpuadvise::software {

// The top-level keys by which a file is known.
inline constexpr std::array<std::string_view, 9> k_file_keys{"torch_releases", "toolkits",  "branches",  "architectures", "majors",
                                                             "rocm_wheels",    "overrides", "libraries", "log_errors"};

// Never throws for what the text holds.
[[nodiscard]] std::vector<Finding> lint_software(std::string_view text, std::string_view file);

}  // namespace gpuadvise::software
