// Any bytes as a data file: records or an Error{bad_data}, and the lint never throws.
#include <gpuadvise/error.hpp>

#include "catalog/data_reader.hpp"
#include "catalog/lint.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  gpuadvise::catalog::CatalogData records;
  try {
    static_cast<void>(gpuadvise::catalog::read_data(text, "fuzz", records));
  } catch (const gpuadvise::Error&) {
  }
  static_cast<void>(gpuadvise::catalog::lint_text(text, "fuzz"));
  return 0;
}
