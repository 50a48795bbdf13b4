// A request written as a JSON object to settings, without building a tree: batch mode reads one a line.
#pragma once

#include <gpuadvise/workload.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

// Every key of the object, in order, with origin file. Nulls are left out (null = not given).
// Throws Error{bad_data} for text that is not one flat object (values may be lists), has duplicate keys or is over 1 MiB.
[[nodiscard]] std::vector<Setting> read_settings(std::string_view text, const std::string& where);

}  // namespace gpuadvise::catalog
