#include "compile/tables.hpp"

#include "catalog/gpu_names.hpp"
#include "catalog/model_names.hpp"
#include "compile/initializer.hpp"

#include <cstdint>

namespace gpuadvise::compile {
namespace {

constexpr std::string_view k_head = R"(// Generated from data/ by gpuadvise-compile-data; do not edit.
#include "catalog/builtin.hpp"
#include "catalog/stack_preset.hpp"

#include <array>

#include <type_traits>

namespace gpuadvise::catalog {
namespace {
// The enumerator of this number, whatever the enumeration.
struct Nth {
  unsigned value;
  template <class E>
  requires std::is_enum_v<E>
  constexpr operator E() const { return static_cast<E>(value); }
};
}  // namespace
)";
constexpr std::string_view k_tail = "\n}  // namespace gpuadvise::catalog\n";

// `constinit const T name[] = {...}` and the function that returns it as a span.
template <class T>
std::string table(std::string_view type, std::string_view function, const std::vector<T>& rows) {
  std::string text(k_head);
  if (rows.empty()) {
    return text + fmt::format("std::span<const {}> {}() {{ return {{}}; }}", type, function) + std::string(k_tail);
  }
  text += fmt::format("namespace {{\nconstinit const {} k_rows[] = {{\n", type);
  for (const T& row : rows) {
    text += initializer(row) + ",\n";
  }
  return text + fmt::format("}};\n}}  // namespace\nstd::span<const {}> {}() {{ return k_rows; }}\n", type, function) + std::string(k_tail);
}

struct Shape {
  std::string_view type;
  std::string_view member;  // of ModelEntry
  std::string text;
};

Shape shape_of(const Model& model) {
  if (const auto* shape = model.image()) {
    return {"ImageProfile", "image", initializer(*shape)};
  }
  if (const auto* shape = model.transformer()) {
    return {"TransformerShape", "transformer", initializer(*shape)};
  }
  if (const auto* shape = model.diffusion()) {
    return {"DiffusionPipeline", "diffusion", initializer(*shape)};
  }
  return {"RecommenderShape", "recommender", initializer(*model.recommender())};
}

// FNV-1a: names a state of the data, no more.
std::uint64_t digest(const std::vector<DataFile>& files) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const DataFile& file : files) {
    for (const char c : file.path + '\n' + file.text) {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
  }
  return hash;
}

}  // namespace

std::string literal(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7f || c == '?') {
      quoted += fmt::format("\\{:03o}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

std::string gpu_table(const catalog::CatalogData& data) {
  std::vector<Gpu> rows;
  for (const catalog::GpuRecord& record : data.gpus) {
    rows.push_back(record.gpu);
  }
  return table("Gpu", "builtin_gpus", rows);
}

std::string price_table(const catalog::CatalogData& data) {
  return table("Price", "builtin_prices", data.prices);
}

std::string offer_table(const catalog::CatalogData& data) {
  return table("CloudOffer", "builtin_offers", data.offers);
}

std::string model_shard(const catalog::CatalogData& data, std::size_t shard) {
  std::string text(k_head);
  for (std::size_t i = shard; i < data.models.size(); i += k_model_shards) {
    const Shape shape = shape_of(data.models[i].model);
    text += fmt::format("extern constinit const {} k_shape_{} = {};\n", shape.type, i, shape.text);
  }
  return text + std::string(k_tail);
}

std::string model_index(const catalog::CatalogData& data) {
  std::string text(k_head);
  std::string rows;
  for (std::size_t i = 0; i < data.models.size(); ++i) {
    const Model& model = data.models[i].model;
    const Shape shape = shape_of(model);
    text += fmt::format("extern const {} k_shape_{};\n", shape.type, i);
    rows += fmt::format("{{.id={},.name={},.hf_id={},.family={},.field={},.source={},.{}=&k_shape_{}}},\n", literal(model.id),
                        literal(model.name), literal(model.hf_id), literal(model.family), initializer(model.field), literal(model.source),
                        shape.member, i);
  }
  text += "namespace {\nconstinit const ModelEntry k_rows[] = {\n" + rows + "};\n}  // namespace\n";
  return text + "std::span<const ModelEntry> builtin_models() { return k_rows; }\n" + std::string(k_tail);
}

std::string name_tables(catalog::CatalogData& data) {
  std::string gpu_rows;
  for (const catalog::GpuName& name : catalog::build_gpu_names(data.gpus, data.texts)) {
    gpu_rows += fmt::format("{{{},{},{}}},\n", literal(name.normalised), name.gpu, initializer(name.kind));
  }
  std::string ambiguous_rows;
  for (const catalog::AmbiguousName& name : catalog::build_ambiguous_names(data.ambiguous, data.gpus, data.texts)) {
    std::string cards;
    for (const std::uint32_t gpu : name.gpus) {
      cards += (cards.empty() ? "" : ",") + std::to_string(gpu);
    }
    ambiguous_rows += fmt::format("{{{},{{{{{{{}}}}},{}}},{}}},\n", literal(name.normalised), cards, name.gpus.size(), literal(name.hint));
  }
  std::vector<catalog::ModelNameSource> sources;
  for (const catalog::ModelRecord& record : data.models) {
    sources.push_back({record.model.id, record.model.name, record.model.hf_id, record.aliases});
  }
  std::string model_rows;
  for (const catalog::ModelName& name : catalog::build_model_names(sources, data.texts)) {
    model_rows += fmt::format("{{{},{}}},\n", literal(name.normalised), name.model);
  }
  std::string text(k_head);
  const auto add = [&](std::string_view type, std::string_view function, std::string_view rows) {
    text += fmt::format(
        "namespace {{\nconstinit const {0} k_{1}[] = {{\n{2}}};\n}}  // namespace\nstd::span<const {0}> {1}() {{ return k_{1}; }}\n", type,
        function, rows);
  };
  add("GpuName", "builtin_gpu_names", gpu_rows);
  add("AmbiguousName", "builtin_ambiguous_names", ambiguous_rows);
  add("ModelName", "builtin_model_names", model_rows);
  return text + std::string(k_tail);
}

std::string stack_table(const std::vector<catalog::StackPreset>& presets) {
  std::string text(k_head);
  text += "namespace {\nconstinit const StackPreset k_rows[] = {\n";
  for (const catalog::StackPreset& row : presets) {
    text += fmt::format("{{{},{},{},{},{}}},\n", literal(row.stack), literal(row.field), literal(row.key), literal(row.value),
                        literal(row.method));
  }
  return text + "};\n}  // namespace\nstd::span<const StackPreset> builtin_stack_presets() { return k_rows; }\n" + std::string(k_tail);
}

std::string file_table(const std::vector<DataFile>& files) {
  std::string text(k_head);
  std::string rows;
  // .incbin costs nothing to compile; a byte array of this size costs seconds and hundreds of megabytes.
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string name = fmt::format("gpuadvise_data_file_{}", i);
    text += fmt::format("__asm__(\".section .rodata\\n.global {0}\\n{0}:\\n.incbin \\\"{1}\\\"\\n.byte 0\\n.previous\\n\");\n", name,
                        files[i].absolute);
    text += fmt::format("extern \"C\" const char {}[];\n", name);
    rows += fmt::format("{{{}, {{{}, {}}}}},\n", literal(files[i].path), name, files[i].text.size());
  }
  text += "namespace {\nconst EmbeddedFile k_rows[] = {\n" + rows + "};\n}  // namespace\n";
  text += "std::span<const EmbeddedFile> builtin_files() { return k_rows; }\n";
  return text + fmt::format("std::string_view builtin_data_version() {{ return \"{:016x}\"; }}\n", digest(files)) + std::string(k_tail);
}

}  // namespace gpuadvise::compile
