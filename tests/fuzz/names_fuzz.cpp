// Any text as the name of a card, of a model or of a composed network, and as a quantity.
#include <gpuadvise/error.hpp>
#include <gpuadvise/precision.hpp>
#include <gpuadvise/units.hpp>

#include "catalog/catalog.hpp"
#include "model/named.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuadvise::catalog::Catalog catalog({});
  const std::string_view text(reinterpret_cast<const char*>(data), size < 300 ? size : 300);
  try {
    static_cast<void>(catalog.find_gpus(text));
  } catch (const gpuadvise::Error&) {
  }
  static_cast<void>(catalog.find_model(text));
  static_cast<void>(catalog.near_models(text));
  static_cast<void>(gpuadvise::model::named_model(text));
  static_cast<void>(gpuadvise::parse_precision(text));
  static_cast<void>(gpuadvise::parse_size_bytes(text));
  static_cast<void>(gpuadvise::parse_usd(text));
  static_cast<void>(gpuadvise::parse_count(text));
  return 0;
}
