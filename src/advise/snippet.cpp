#include "advise/snippet.hpp"

namespace gpuadvise::advise {

std::string snippet(const Request& request, const Remedy& remedy) {
  static_cast<void>(request);
  static_cast<void>(remedy);
  return {};
}

}  // namespace gpuadvise::advise
