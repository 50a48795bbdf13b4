// A plausible transformer for a parameter count, where nothing else is known about the model.
#pragma once

#include <gpuadvise/model.hpp>

namespace gpuadvise::model {

// Scales the published shape of the nearest size and solves the MLP width, so that the shape holds `params` within 1 %.
// Fields: language, vision-language, encoder, speech. Throws Error{unsupported} for others, Error{invalid_value} below 1e6
// or above 1e13.
[[nodiscard]] TransformerShape infer_shape(double params, Field field);

}  // namespace gpuadvise::model
