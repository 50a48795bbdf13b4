#include "catalog/model_lint.hpp"

#include <gpuadvise/units.hpp>

#include "catalog/model_key.hpp"
#include "model/inventory.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace gpuadvise::catalog {
namespace {

// Published counts leave out or add small parts (positions, poolers, adapters).
constexpr double k_count_tolerance = 0.006;
// A 16-bit copy of a kept activation is at most as large as the original. Where normalisation runs in fp32 under autocast
// (GroupNorm, standardised weights) the cast is kept beside it: 1.25 at most over the catalog.
constexpr double k_largest_amp_share = 1.005;
constexpr double k_largest_amp_share_group_norm = 1.3;
// Bytes kept for backward over the fp32 bytes of convolution, linear and attention outputs: 0.23 to 7.6 over the catalog (fused
// attention keeps no scores; evolving normalisation keeps several copies).
constexpr double k_least_saved_share = 0.2;
constexpr double k_largest_saved_share = 9.0;
// Each parameter is used at least once an image, bar those of gated experts; strided networks at large sizes use it 7,000 times.
constexpr double k_least_macs_per_param = 5.0;
constexpr double k_most_macs_per_param = 20000.0;
// Weights, gradients and momentum of one SGD step are alive together.
constexpr double k_sgd_bytes_per_param = 12.0;
// Kept bytes grow with the area; attention scores with its square.
constexpr double k_least_image_exponent = 1.0;
constexpr double k_largest_image_exponent = 4.2;

class Report {
 public:
  explicit Report(std::vector<Finding>& findings) : findings_(findings) {}
  void subject(std::string_view id) { id_ = std::string(id); }
  void add(std::string_view rule, Severity severity, const std::string& message) {
    findings_.push_back({std::string(rule), severity, id_ + ": " + message});
  }
  void require(bool holds, std::string_view rule, const std::string& message) {
    if (!holds) {
      add(rule, Severity::reject, message);
    }
  }
  void within(double value, double low, double high, std::string_view rule, const std::string& what) {
    require(value >= low && value <= high, rule,
            what + " is " + format_significant(value) + ", expected " + format_significant(low) + " to " + format_significant(high));
  }

 private:
  std::vector<Finding>& findings_;
  std::string id_;
};

// Live bytes are the larger of the lines, so a line that never leads is an error of the trace: constants fall as slopes rise.
template <class Lines>
bool is_envelope(const Lines& lines) {
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].constant_bytes >= lines[i - 1].constant_bytes || lines[i].per_image_bytes <= lines[i - 1].per_image_bytes) {
      return false;
    }
  }
  return true;
}

void lint_saved(std::string_view id, const ImageProfile& p, Report& report) {
  if (p.saved_amp_bytes) {
    // BiT networks standardise their weights by the batch-norm kernel, so that a count of batch norms does not tell.
    const bool wide_norm = (p.batchnorms.value_or(1) == 0 && p.convs.value_or(0) > 1) || id.find("_bit") != std::string_view::npos;
    report.require(*p.saved_amp_bytes <= p.saved_bytes * (wide_norm ? k_largest_amp_share_group_norm : k_largest_amp_share), "model-amp",
                   "keeps more bytes under autocast than in fp32");
  }
  if (p.activations_m) {
    report.within(p.saved_bytes / (4e6 * *p.activations_m), k_least_saved_share, k_largest_saved_share, "model-saved",
                  "saved_bytes over the bytes of activations_m");
  }
  for (const SavedAtImage& other : p.saved_at) {
    if (other.image == p.image) {
      report.add("model-saved-at", Severity::reject, "saved_at repeats the reference size");
      continue;
    }
    report.within(std::log(other.saved_bytes / p.saved_bytes) / std::log(other.image / p.image), k_least_image_exponent,
                  k_largest_image_exponent, "model-saved-at", "growth of saved_bytes with the side");
  }
}

void lint_allocator(const ImageProfile& p, Report& report) {
  double batch = 0.0;
  double allocated = 0.0;
  for (const AllocatorSample& sample : p.allocator) {
    report.require(sample.batch > batch && sample.allocated_bytes > allocated, "model-allocator",
                   "allocator samples must grow with the batch");
    report.require(sample.reserved_bytes >= sample.allocated_bytes, "model-allocator", "reserved is below allocated");
    report.require(sample.allocated_bytes >= k_sgd_bytes_per_param * p.params, "model-allocator",
                   "allocated is below weights, gradients and momentum");
    report.require(sample.allocated_bytes >= 0.9 * sample.batch * p.saved_bytes, "model-allocator", "allocated is below the saved bytes");
    batch = sample.batch;
    allocated = sample.allocated_bytes;
  }
}

void lint_image(std::string_view id, const ImageProfile& p, Report& report) {
  if (!(p.params > 0 && p.image > 0 && p.saved_bytes > 0)) {
    report.add("model-form", Severity::reject, "params, image and saved_bytes must be above 0");
    return;
  }
  if (p.gmacs) {
    report.within(*p.gmacs * 1e9 / p.params, k_least_macs_per_param, k_most_macs_per_param, "model-macs", "multiply-adds of a parameter");
  }
  lint_saved(id, p, report);
  lint_allocator(p, report);
  report.require(is_envelope(p.peak_lines) && is_envelope(p.peak_lines_amp), "model-peak-lines",
                 "peak lines must fall in their constant and rise in their slope");
}

void lint_heads(const TransformerShape& s, Report& report) {
  if (s.attention == AttentionKind::ssm) {
    report.require(s.heads == 0 && s.linear.layers == s.layers, "model-heads", "a state-space model has no attention heads");
    return;
  }
  report.require(s.heads > 0 && s.kv_heads > 0 && s.head_dim > 0, "model-heads", "heads, kv_heads and head_dim must be above 0");
  report.require(s.kv_heads > 0 && std::fmod(s.heads, s.kv_heads) == 0, "model-heads", "heads must be a multiple of kv_heads");
  const bool grouped = s.kv_heads < s.heads;
  report.require(!(s.attention == AttentionKind::mha && grouped) && !(s.attention == AttentionKind::gqa && !grouped), "model-heads",
                 "attention does not say what heads and kv_heads say");
  report.require((s.attention == AttentionKind::mla) == (s.mla.kv_lora_rank > 0), "model-heads",
                 "mla is stated without its ranks, or the reverse");
}

void lint_layers(const TransformerShape& s, Report& report) {
  report.require(s.attention_layers + s.linear.layers <= s.layers + s.decoder_layers, "model-layers", "more mixing layers than layers");
  report.require(s.sliding_layers <= s.layers, "model-layers", "more sliding layers than layers");
  report.require((s.sliding_window > 0) == (s.sliding_layers > 0), "model-layers", "a window without layers, or the reverse");
  const bool two_stacks = s.kind == TransformerKind::encoder_decoder || s.kind == TransformerKind::speech;
  report.require(two_stacks == (s.decoder_layers > 0), "model-layers", "decoder_layers is for models with two stacks");
  report.require(s.moe.active <= s.moe.experts, "model-experts", "more experts active than there are");
  report.require(s.moe.dense_layers <= s.layers, "model-experts", "more dense layers than layers");
}

void lint_transformer(const TransformerShape& s, Report& report) {
  if (!(s.params > 0 && s.layers > 0 && s.hidden > 0 && s.vocab > 0)) {
    report.add("model-form", Severity::reject, "params, layers, hidden and vocab must be above 0");
    return;
  }
  lint_heads(s, report);
  lint_layers(s, report);
  report.require(s.active_params <= s.params, "model-active", "active_params is above params");
  report.require((s.moe.experts > 0) == (s.active_params < 0.95 * s.params), "model-active", "only experts leave parameters unused");
  const double counted = model::count_params(s);
  if (std::abs(counted / s.params - 1) > k_count_tolerance) {
    report.add("model-count", Severity::reject,
               "params " + format_count(s.params) + " is not what the shape holds: " + format_count(counted));
  }
}

void lint_diffusion(const DiffusionPipeline& p, Report& report) {
  report.within(p.denoiser_params, 1e7, 1e11, "model-form", "denoiser_params");
  report.within(p.vae_params, 1e6, 5e9, "model-form", "vae_params");
  report.within(p.width_px * p.height_px, 64.0 * 64.0, 4096.0 * 4096.0, "model-form", "width_px x height_px");
  report.require(p.denoiser == DenoiserKind::unet || (p.hidden > 0 && p.blocks > 0), "model-form", "a transformer needs hidden and blocks");
  report.require(p.denoiser != DenoiserKind::unet || !p.channels.empty(), "model-form", "a U-Net needs channels");
  report.require(p.double_blocks + p.single_blocks == 0 || p.double_blocks + p.single_blocks == p.blocks, "model-form",
                 "double_blocks and single_blocks are not blocks");
}

void lint_recommender(const RecommenderShape& s, Report& report) {
  report.require(s.rows > 0 && s.dim > 0, "model-form", "rows and dim must be above 0");
}

bool is_id(std::string_view id) {
  return std::all_of(id.begin(), id.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-'; });
}

// A name may be written in two ways within one entry, but must not mean two.
void lint_names(std::span<const ModelRecord> models, Report& report) {
  std::map<std::string, std::string_view> owners;
  for (const ModelRecord& record : models) {
    const Model& model = record.model;
    report.subject(model.id);
    report.require(is_id(model.id), "model-id", "an id is of lower-case letters, digits, '.', '_' and '-'");
    std::vector<std::string_view> names(record.aliases);
    names.insert(names.end(), {model.id, model.hf_id});
    for (const std::string_view name : names) {
      const std::string key = model_key(name);
      if (key.empty()) {
        continue;
      }
      const auto [owner, is_new] = owners.emplace(key, model.id);
      report.require(is_new || owner->second == model.id, "model-name",
                     "'" + std::string(name) + "' also names " + std::string(owner->second));
    }
  }
  std::map<std::string_view, int> ids;
  for (const ModelRecord& record : models) {
    report.subject(record.model.id);
    report.require(++ids[record.model.id] == 1, "model-id", "the id is given twice");
  }
}

}  // namespace

std::vector<Finding> lint_models(std::span<const ModelRecord> models) {
  std::vector<Finding> findings;
  Report report(findings);
  lint_names(models, report);
  for (const ModelRecord& record : models) {
    const Model& model = record.model;
    report.subject(model.id);
    if (const ImageProfile* image = model.image()) {
      lint_image(model.id, *image, report);
    } else if (const TransformerShape* transformer = model.transformer()) {
      lint_transformer(*transformer, report);
    } else if (const DiffusionPipeline* diffusion = model.diffusion()) {
      lint_diffusion(*diffusion, report);
    } else if (const RecommenderShape* recommender = model.recommender()) {
      lint_recommender(*recommender, report);
    }
  }
  return findings;
}

}  // namespace gpuadvise::catalog
