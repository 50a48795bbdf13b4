// The data compiler links the catalog's code before any table exists.
#include "catalog/builtin.hpp"

namespace gpuadvise::catalog {

std::span<const Gpu> builtin_gpus() {
  return {};
}
std::span<const Price> builtin_prices() {
  return {};
}
std::span<const CloudOffer> builtin_offers() {
  return {};
}
std::span<const ModelEntry> builtin_models() {
  return {};
}
std::span<const EmbeddedFile> builtin_files() {
  return {};
}
std::string_view builtin_data_version() {
  return {};
}

}  // namespace gpuadvise::catalog
