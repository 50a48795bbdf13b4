// Plausibility of cards: names are unique and figures agree with one another, so that a typing error or a sparse rate is found.
#pragma once

#include <gpuadvise/finding.hpp>

#include "catalog/data_reader.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

// reject = cannot be right (or breaks the lookup), warn = to be looked at. Known exceptions (lint_exceptions.cpp) give nothing.
[[nodiscard]] std::vector<Finding> lint_gpus(std::span<const GpuRecord> gpus);

// "2024", "2024-03" or "2024-03-15".
[[nodiscard]] bool is_date(std::string_view text);

}  // namespace gpuadvise::catalog
