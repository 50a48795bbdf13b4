#include "model/named.hpp"

#include "model/dense.hpp"

namespace gpuadvise::model {

std::optional<Model> named_model(std::string_view name, const NamedModelOptions& options) {
  const DenseName parsed = dense_name(name, options.config);
  for (const auto compose : {video_network, single_shot_network, query_network, detection_network, segmentation_network}) {
    if (const auto composed = compose(parsed, options)) {
      Model m;
      m.field = composed->field;
      m.shape = composed->profile;
      return m;
    }
  }
  return std::nullopt;
}

}  // namespace gpuadvise::model
