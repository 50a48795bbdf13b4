#include "catalog/data_reader.hpp"

#include "catalog/json_fields.hpp"
#include "catalog/parse_json.hpp"
#include "units/input_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gpuadvise::catalog {
namespace {

using nlohmann::json;

// Keys that tell where a fact comes from; kept in the file for `show`, not in the tables.
constexpr auto k_gpu_provenance =
    std::to_array<std::string_view>({"aliases", "driver_names", "pci_device_ids", "memory_options_gib", "infinity_cache_mib",
                                     "measured_fp16_tflops", "sources", "field_sources", "corrected_fields", "note"});
constexpr auto k_price_provenance =
    std::to_array<std::string_view>({"usd_low", "usd_high", "qty_sold", "market", "confidence", "left_out", "note"});
constexpr auto k_offer_provenance =
    std::to_array<std::string_view>({"usd_per_hour", "tier", "provider_url", "note", "region", "confidence", "left_out"});
constexpr auto k_model_keys =
    std::to_array<std::string_view>({"id", "name", "hf_id", "family", "field", "source", "sources", "aliases", "image", "transformer",
                                     "diffusion", "recommender", "notes", "note", "verification"});

std::vector<std::string_view> read_texts(const json& record, std::string_view key, ReadContext& context, const std::string& path) {
  std::vector<std::string_view> texts;
  const auto found = record.find(key);
  if (found == record.end()) {
    return texts;
  }
  if (!found->is_array()) {
    refuse(context, path + "." + std::string(key), "expected a list of texts");
  }
  for (const json& item : *found) {
    if (!item.is_string()) {
      refuse(context, path + "." + std::string(key), "expected a list of texts");
    }
    texts.push_back(context.texts.keep(item.get<std::string>()));
  }
  return texts;
}

template <class T>
void read_optional(const json& record, std::string_view key, T& target, ReadContext& context, const std::string& path) {
  const auto found = record.find(key);
  if (found != record.end() && !found->is_null()) {
    read_value(*found, target, context, path + "." + std::string(key));
  }
}

void require_id(std::string_view id, const ReadContext& context, const std::string& path) {
  if (id.empty()) {
    refuse(context, path, "an entry needs an id");
  }
}

GpuRecord read_gpu(const json& item, ReadContext& context, const std::string& path) {
  GpuRecord record;
  read_record(item, record.gpu, context, path, k_gpu_provenance);
  require_id(record.gpu.id, context, path);
  if (record.gpu.name.empty()) {
    record.gpu.name = record.gpu.id;
  }
  if (!(record.gpu.memory_gib > 0.0) || !(record.gpu.memory_bandwidth_gb_s > 0.0)) {
    refuse(context, path, "memory_gib and memory_bandwidth_gb_s must be above 0");
  }
  if (!(record.gpu.gpus_per_board >= 1.0)) {
    refuse(context, path, "gpus_per_board must be at least 1");
  }
  record.aliases = read_texts(item, "aliases", context, path);
  record.driver_names = read_texts(item, "driver_names", context, path);
  record.pci_device_ids = read_texts(item, "pci_device_ids", context, path);
  return record;
}

AmbiguousRecord read_ambiguous(const json& item, ReadContext& context, const std::string& path) {
  AmbiguousRecord record;
  read_optional(item, "name", record.name, context, path);
  read_optional(item, "hint", record.hint, context, path);
  record.gpus = read_texts(item, "gpus", context, path);
  return record;
}

Price read_price(const json& item, ReadContext& context, const std::string& path) {
  Price price;
  read_record(item, price, context, path, k_price_provenance);
  require_id(price.gpu_id, context, path);
  if (!(price.usd > 0.0)) {
    refuse(context, path, "usd must be above 0");
  }
  return price;
}

CloudOffer read_offer(const json& item, ReadContext& context, const std::string& path) {
  CloudOffer offer;
  read_record(item, offer, context, path, k_offer_provenance);
  require_id(offer.gpu_id, context, path);
  if (!(offer.usd_per_gpu_hour > 0.0)) {
    refuse(context, path, "usd_per_gpu_hour must be above 0");
  }
  return offer;
}

template <class Shape>
bool read_shape(const json& item, std::string_view key, Model& model, ReadContext& context, const std::string& path) {
  const auto found = item.find(key);
  if (found == item.end()) {
    return false;
  }
  Shape shape;
  read_record(*found, shape, context, path + "." + std::string(key));
  model.shape = shape;
  return true;
}

ModelRecord read_model(const json& item, ReadContext& context, const std::string& path) {
  if (!item.is_object()) {
    refuse(context, path, "expected an object");
  }
  for (const auto& [key, value] : item.items()) {
    if (std::find(k_model_keys.begin(), k_model_keys.end(), key) == k_model_keys.end()) {
      refuse(context, path, "unknown key '" + key + "'");
    }
  }
  ModelRecord record;
  Model& model = record.model;
  read_optional(item, "id", model.id, context, path);
  require_id(model.id, context, path);
  read_optional(item, "name", model.name, context, path);
  read_optional(item, "hf_id", model.hf_id, context, path);
  read_optional(item, "family", model.family, context, path);
  read_optional(item, "field", model.field, context, path);
  read_optional(item, "source", model.source, context, path);
  if (model.source.empty()) {
    const auto sources = item.find("sources");
    if (sources != item.end() && sources->is_array() && !sources->empty() && (*sources)[0].is_string()) {
      model.source = context.texts.keep((*sources)[0].get<std::string>());
    }
  }
  const int shapes = static_cast<int>(read_shape<ImageProfile>(item, "image", model, context, path)) +
                     static_cast<int>(read_shape<TransformerShape>(item, "transformer", model, context, path)) +
                     static_cast<int>(read_shape<DiffusionPipeline>(item, "diffusion", model, context, path)) +
                     static_cast<int>(read_shape<RecommenderShape>(item, "recommender", model, context, path));
  if (shapes != 1) {
    refuse(context, path, "a model has exactly one of image, transformer, diffusion, recommender");
  }
  if (!(model.params() > 0.0)) {
    refuse(context, path, "params must be above 0");
  }
  record.aliases = read_texts(item, "aliases", context, path);
  return record;
}

// Reads each element of root[key] with `read` into `target`; false when there is no such key.
template <class T, class Reader>
bool read_list(const json& root, std::string_view key, std::vector<T>& target, ReadContext& context, Reader read) {
  const auto found = root.find(key);
  if (found == root.end()) {
    return false;
  }
  if (!found->is_array()) {
    refuse(context, std::string(key), "expected a list");
  }
  target.reserve(target.size() + found->size());
  for (std::size_t i = 0; i < found->size(); ++i) {
    target.push_back(read((*found)[i], context, std::string(key) + "[" + std::to_string(i) + "]"));
  }
  return true;
}

constexpr std::size_t k_largest_file = 64UL * 1024 * 1024;

}  // namespace

bool read_data(std::string_view text, const std::string& file, CatalogData& into) {
  const json root = parse_json(text, file);
  ReadContext context{into.texts, file};
  if (!root.is_object()) {
    refuse(context, "the top level", "expected an object with one of gpus, prices, offers, models");
  }
  const auto schema = root.find("schema");
  if (schema != root.end() && (!schema->is_number() || schema->get<double>() != 1.0)) {
    refuse(context, "schema", "a data file of this program has \"schema\": 1, not " + schema->dump());
  }
  const bool gpus = read_list(root, "gpus", into.gpus, context, read_gpu);
  const bool ambiguous = read_list(root, "ambiguous", into.ambiguous, context, read_ambiguous);
  const bool prices = read_list(root, "prices", into.prices, context, read_price);
  const bool offers = read_list(root, "offers", into.offers, context, read_offer);
  const bool models = read_list(root, "models", into.models, context, read_model);
  return gpus || ambiguous || prices || offers || models;
}

bool holds_records(std::string_view path) {
  return path.starts_with("gpus/") || path.starts_with("models/") || path == "prices/current.json" || path == "prices/cloud.json";
}

std::string read_text_file(const std::string& path) {
  const InputFile file = open_input(path);
  if (!file) {
    throw Error(ErrorCode::unreadable, "cannot read '" + path + "': " + std::strerror(errno), "give the path of a readable file");
  }
  std::string text;
  std::array<char, 65536> block{};
  while (const std::size_t count = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), count);
    if (text.size() > k_largest_file) {
      throw Error(ErrorCode::bad_data, "'" + path + "' is larger than 64 MiB", "a data file of this program is a few MiB at most");
    }
  }
  if (std::ferror(file.get()) != 0) {
    throw Error(ErrorCode::unreadable, "cannot read '" + path + "': " + std::strerror(errno), "give the path of a readable file");
  }
  return text;
}

}  // namespace gpuadvise::catalog
