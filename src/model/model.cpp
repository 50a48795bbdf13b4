#include <gpuadvise/model.hpp>

namespace gpuadvise {

double Model::params() const {
  if (const ImageProfile* profile = image()) {
    return profile->params;
  }
  if (const TransformerShape* shape_of = transformer()) {
    return shape_of->params;
  }
  // A pipeline is known by the size of its denoiser ("SDXL has 2.6 B").
  if (const DiffusionPipeline* pipeline = diffusion()) {
    return pipeline->denoiser_params;
  }
  const RecommenderShape& tables = *recommender();
  return tables.rows * tables.dim + tables.dense_params;
}

}  // namespace gpuadvise
