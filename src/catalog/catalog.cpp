#include "catalog/catalog.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/builtin.hpp"
#include "catalog/data_reader.hpp"
#include "catalog/gpu_lint.hpp"
#include "catalog/gpu_names.hpp"
#include "catalog/model_names.hpp"
#include "catalog/near_name.hpp"
#include "catalog/price_lint.hpp"
#include "units/joined.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

namespace gpuadvise::catalog {
namespace {

namespace fs = std::filesystem;

ModelEntry entry_of(const Model& model) {
  return {model.id,     model.name,    model.hf_id,         model.family,      model.field,
          model.source, model.image(), model.transformer(), model.diffusion(), model.recommender()};
}

// The records of a data folder, in the order of their paths.
void read_folder(const std::string& folder, CatalogData& into) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    throw Error(ErrorCode::unreadable, "'" + folder + "' is not a folder", "give a folder with gpus/, prices/ and models/");
  }
  std::vector<std::string> paths;
  for (const std::string_view part : {"/gpus", "/models"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder + std::string(part), failed)) {
      if (entry.path().extension() == ".json") {
        paths.push_back(entry.path().string());
      }
    }
  }
  for (const std::string_view file : {"/prices/current.json", "/prices/cloud.json"}) {
    if (fs::exists(folder + std::string(file), failed)) {
      paths.push_back(folder + std::string(file));
    }
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    static_cast<void>(read_data(read_text_file(path), path, into));
  }
  if (into.gpus.empty() || into.models.empty()) {
    throw Error(ErrorCode::bad_data, "'" + folder + "' holds no GPUs or no models", "give a folder with gpus/, prices/ and models/");
  }
}

// Later entries of an id replace earlier ones in place.
template <class T, class Id>
void merge_by_id(std::vector<T>& base, std::vector<T>&& extra, Id id) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < base.size(); ++i) {
    places.emplace(id(base[i]), i);
  }
  for (T& item : extra) {
    const auto found = places.find(id(item));
    if (found != places.end()) {
      base[found->second] = std::move(item);
    } else {
      places.emplace(id(item), base.size());
      base.push_back(std::move(item));
    }
  }
}

// A figure beyond what any card, price or offer can have would come out as nonsense: negative costs, infinite speed. Other complaints
// of lint are for those who keep the shipped data.
void refuse_implausible(const CatalogData& rows, const std::string& file) {
  constexpr auto binding = std::to_array<std::string_view>(
      {"gpu-range", "gpu-id", "gpu-date", "gpu-memory", "gpu-name", "price-range", "offer-range", "offer-gpus"});
  for (const auto& findings : {lint_gpus(rows.gpus), lint_prices(rows.prices, {}), lint_offers(rows.offers, {})}) {
    for (const Finding& finding : findings) {
      if (finding.severity == Severity::reject && std::find(binding.begin(), binding.end(), finding.rule) != binding.end()) {
        throw Error(ErrorCode::bad_data, finding.message, "gpuadvise lint FILE tells all that is wrong with it", file);
      }
    }
  }
}

template <class T>
std::span<const T> of_gpu(std::span<const T> rows, std::string_view gpu_id) {
  const auto less = [](const auto& a, const auto& b) {
    if constexpr (std::is_convertible_v<decltype(a), std::string_view>) {
      return a < b.gpu_id;
    } else {
      return a.gpu_id < b;
    }
  };
  const auto first = std::lower_bound(rows.begin(), rows.end(), gpu_id, less);
  const auto last = std::upper_bound(first, rows.end(), gpu_id, less);
  return {first, last};
}

}  // namespace

Model to_model(const ModelEntry& entry) {
  Model model{entry.id, entry.name, entry.hf_id, entry.family, entry.field, entry.source, {}};
  if (entry.image != nullptr) {
    model.shape = *entry.image;
  } else if (entry.transformer != nullptr) {
    model.shape = *entry.transformer;
  } else if (entry.diffusion != nullptr) {
    model.shape = *entry.diffusion;
  } else if (entry.recommender != nullptr) {
    model.shape = *entry.recommender;
  }
  return model;
}

struct Catalog::State {
  std::span<const Gpu> gpus;
  std::span<const GpuName> gpu_names;
  std::span<const AmbiguousName> ambiguous;
  std::span<const Price> prices;
  std::span<const CloudOffer> offers;
  std::span<const ModelEntry> models;
  std::span<const ModelName> model_names;
  std::string version;
  std::vector<std::string> notes;

  // Backing of the spans where files were read; the compiled tables need none.
  CatalogData data;
  std::vector<Gpu> own_gpus;
  std::vector<GpuName> own_gpu_names;
  std::vector<AmbiguousName> own_ambiguous;
  std::vector<ModelEntry> own_models;
  std::vector<ModelName> own_model_names;

  void use_builtin() {
    gpus = builtin_gpus();
    gpu_names = builtin_gpu_names();
    ambiguous = builtin_ambiguous_names();
    prices = builtin_prices();
    offers = builtin_offers();
    models = builtin_models();
    model_names = builtin_model_names();
    version = builtin_data_version();
  }

  // The compiled data as records, so that files can be laid over it.
  void read_builtin() {
    for (const EmbeddedFile& file : builtin_files()) {
      if (holds_records(file.path)) {
        static_cast<void>(read_data(file.text, "data/" + std::string(file.path), data));
      }
    }
  }

  void overlay(const std::string& path, const Sources& sources) {
    CatalogData extra;
    const std::string name = path == "-" ? "standard input" : path;
    const std::string text = read_text_file(path);
    const bool records = read_data(text, name, extra);
    refuse_implausible(extra, name);
    const std::string other = sources.also ? sources.also(text, name) : std::string();
    if (!records && other.empty()) {
      throw Error(ErrorCode::bad_data, "no gpus, prices, offers, models or software in it", "see gpuadvise help formats", path);
    }
    const std::string counts = std::to_string(extra.gpus.size()) + " GPUs, " + std::to_string(extra.models.size()) + " models, " +
                               std::to_string(extra.prices.size()) + " prices, " + std::to_string(extra.offers.size()) + " offers";
    notes.push_back(name + " is laid over the data: " + (records ? counts : "") + (records && !other.empty() ? ", " : "") + other);
    merge_by_id(data.gpus, std::move(extra.gpus), [](const GpuRecord& r) { return r.gpu.id; });
    merge_by_id(data.models, std::move(extra.models), [](const ModelRecord& r) { return r.model.id; });
    merge_by_id(data.ambiguous, std::move(extra.ambiguous), [](const AmbiguousRecord& r) { return r.name; });
    // A price in a user's file is the user's word for that card: it beats every quote of ours.
    for (Price& price : extra.prices) {
      price.kind = PriceKind::user;
      std::erase_if(data.prices, [&](const Price& old) { return old.gpu_id == price.gpu_id && old.kind == PriceKind::user; });
      data.prices.push_back(price);
    }
    data.offers.insert(data.offers.end(), extra.offers.begin(), extra.offers.end());
    for (const Price& price : extra.prices) {
      priced.emplace(price.gpu_id, name);
    }
    for (const CloudOffer& offer : extra.offers) {
      priced.emplace(offer.gpu_id, name);
    }
    extra_texts.push_back(std::move(extra.texts));
  }

  // Known when all files are read: a later one may bring the card.
  void tell_prices_of_no_card() {
    for (const GpuRecord& record : data.gpus) {
      priced.erase(record.gpu.id);
    }
    for (const auto& [gpu_id, file] : priced) {
      notes.push_back("no card has the id '" + std::string(gpu_id) + "' that " + file + " gives a price or an offer");
    }
  }

  void index() {
    std::stable_sort(data.prices.begin(), data.prices.end(), [](const Price& a, const Price& b) { return a.gpu_id < b.gpu_id; });
    std::stable_sort(data.offers.begin(), data.offers.end(), [](const CloudOffer& a, const CloudOffer& b) {
      return std::tie(a.gpu_id, a.usd_per_gpu_hour) < std::tie(b.gpu_id, b.usd_per_gpu_hour);
    });
    for (const GpuRecord& record : data.gpus) {
      own_gpus.push_back(record.gpu);
    }
    std::vector<ModelNameSource> sources;
    for (const ModelRecord& record : data.models) {
      own_models.push_back(entry_of(record.model));
      sources.push_back({record.model.id, record.model.name, record.model.hf_id, record.aliases});
    }
    own_gpu_names = build_gpu_names(data.gpus, data.texts);
    own_ambiguous = build_ambiguous_names(data.ambiguous, data.gpus, data.texts);
    own_model_names = build_model_names(sources, data.texts);
    gpus = own_gpus;
    gpu_names = own_gpu_names;
    ambiguous = own_ambiguous;
    prices = data.prices;
    offers = data.offers;
    models = own_models;
    model_names = own_model_names;
  }

  std::vector<TextPool> extra_texts;
  std::map<std::string_view, std::string> priced;  // card of a user's price, and the file
};

Catalog::Catalog(const Sources& sources) : state_(std::make_unique<State>()) {
  if (!sources.data_dir && sources.overlays.empty()) {
    state_->use_builtin();
    return;
  }
  if (sources.data_dir) {
    read_folder(*sources.data_dir, state_->data);
    state_->version = "from " + *sources.data_dir;
    state_->notes.push_back("data read from " + *sources.data_dir);
  } else {
    state_->read_builtin();
    state_->version = builtin_data_version();
  }
  for (const std::string& path : sources.overlays) {
    state_->overlay(path, sources);
  }
  state_->tell_prices_of_no_card();
  state_->index();
}

Catalog::~Catalog() = default;

std::span<const Gpu> Catalog::gpus() const {
  return state_->gpus;
}

const Gpu* Catalog::find_gpu_id(std::string_view id) const {
  const auto found = std::find_if(gpus().begin(), gpus().end(), [&](const Gpu& gpu) { return gpu.id == id; });
  return found == gpus().end() ? nullptr : &*found;
}

std::vector<const Gpu*> Catalog::find_gpus(std::string_view text) const {
  const GpuLookup lookup = resolve_gpu(text, state_->gpu_names, state_->gpus, state_->ambiguous);
  if (lookup.unknown()) {
    const std::string list = "gpuadvise list gpus";
    throw Error(ErrorCode::unknown_gpu, "unknown GPU '" + std::string(text) + "'",
                lookup.suggestions.empty() ? "see " + list : "did you mean " + joined(lookup.suggestions) + "? (" + list + ")");
  }
  std::vector<const Gpu*> found;
  for (const std::uint32_t index : lookup.gpus) {
    found.push_back(&state_->gpus[index]);
  }
  return found;
}

const Gpu& Catalog::find_gpu(std::string_view text) const {
  const auto found = find_gpus(text);
  if (found.size() > 1) {
    std::vector<std::string_view> ids(found.size());
    std::transform(found.begin(), found.end(), ids.begin(), [](const Gpu* gpu) { return gpu->id; });
    throw Error(ErrorCode::ambiguous_gpu, "'" + std::string(text) + "' may be any of " + joined(ids), "name one of them");
  }
  return *found.front();
}

std::span<const Price> Catalog::prices(std::string_view gpu_id) const {
  return of_gpu(state_->prices, gpu_id);
}

std::span<const CloudOffer> Catalog::offers(std::string_view gpu_id) const {
  return of_gpu(state_->offers, gpu_id);
}

std::size_t Catalog::model_count() const {
  return state_->models.size();
}

Model Catalog::model(std::size_t index) const {
  return to_model(state_->models[index]);
}

std::optional<FoundModel> Catalog::find_model(std::string_view text) const {
  const ModelLookup lookup = resolve_model(text, state_->model_names);
  if (!lookup) {
    return std::nullopt;
  }
  FoundModel found;
  found.model = model(lookup.model);
  found.used_id = std::string(found.model.id);
  found.exact = lookup.match == NameMatch::exact;
  found.quantization = lookup.precision;
  for (const std::string& part : lookup.dropped) {
    found.stripped += (found.stripped.empty() ? "" : ", ") + part;
  }
  return found;
}

std::vector<std::string> Catalog::near_models(std::string_view text) const {
  std::vector<std::string_view> ids;
  for (const ModelEntry& entry : state_->models) {
    ids.push_back(entry.id);
  }
  std::vector<std::string> near;
  for (const std::string_view id : near_names(text, ids, 3)) {
    near.emplace_back(id);
  }
  return near;
}

std::string_view Catalog::data_version() const {
  return state_->version;
}

const std::vector<std::string>& Catalog::overlay_notes() const {
  return state_->notes;
}

}  // namespace gpuadvise::catalog
