// What a model file says, for people.
#pragma once

#include "import/import.hpp"
#include "report/style.hpp"

#include <string>

namespace gpuadvise::report {

[[nodiscard]] std::string import_text(const importer::ImportedModel& model, const TextStyle& style);

}  // namespace gpuadvise::report
