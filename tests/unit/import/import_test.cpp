#include "import/import.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/data_reader.hpp"
#include "catalog/record_text.hpp"
#include "catch.hpp"
#include "import/model_files.hpp"
#include "import/printable.hpp"
#include "sample_files.hpp"

#include <chrono>

using namespace gpuadvise;

namespace {

const std::string k_config =
    R"({"model_type":"llama","hidden_size":64,"intermediate_size":128,"num_attention_heads":2,"num_hidden_layers":1,
        "num_key_value_heads":1,"vocab_size":100,"max_position_embeddings":2048,"torch_dtype":"float16"})";

std::string tensor(const std::string& name, int rows, int columns, int& offset) {
  const int bytes = rows * columns * 2;
  const std::string text = "\"" + name + "\":{\"dtype\":\"F16\",\"shape\":[" + std::to_string(rows) + "," + std::to_string(columns) +
                           "],\"data_offsets\":[" + std::to_string(offset) + "," + std::to_string(offset + bytes) + "]}";
  offset += bytes;
  return text;
}

std::string layer_file(const std::string& extra = {}) {
  int at = 0;
  std::string header = "{" + tensor("model.embed_tokens.weight", 100, 64, at);
  header += "," + tensor("model.layers.0.self_attn.q_proj.weight", 64, 64, at) + "," +
            tensor("model.layers.0.self_attn.k_proj.weight", 32, 64, at);
  header += "," + tensor("model.layers.0.self_attn.v_proj.weight", 32, 64, at) + "," +
            tensor("model.layers.0.self_attn.o_proj.weight", 64, 64, at);
  header +=
      "," + tensor("model.layers.0.mlp.gate_proj.weight", 128, 64, at) + "," + tensor("model.layers.0.mlp.up_proj.weight", 128, 64, at);
  header += "," + tensor("model.layers.0.mlp.down_proj.weight", 64, 128, at) + extra + "}";
  return samples::safetensors(header, static_cast<std::size_t>(at));
}

constexpr double k_layer_params = 6400 + 2 * 4096 + 2 * 2048 + 3 * 8192;

ErrorCode code_of(const std::string& path) {
  try {
    static_cast<void>(importer::import_model(path));
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

}  // namespace

TEST_CASE("texts of a file obey no terminal") {
  CHECK(importer::printable("qwen3 \u00e9\u4e2d") == "qwen3 \u00e9\u4e2d");
  CHECK(importer::printable("a\x1b[31m\n\x7f") == "a?[31m??");
  CHECK(importer::printable(std::string("\0", 1)) == "?");
  CHECK(importer::printable("\xc2\x9b") == "?");                  // a control of two bytes
  CHECK(importer::printable("\xff\xe4\xb8") == "???");            // ill-formed, and cut
  CHECK(importer::printable("\xc0\xaf\xed\xa0\x80") == "?????");  // overlong, surrogate
  const samples::Folder folder;
  const std::string path = folder.file(
      "config.json",
      R"({"model_type":"a\u001b[2J","hidden_size":64,"num_hidden_layers":2,"num_attention_heads":2,"vocab_size":100,"intermediate_size":128})");
  const auto imported = importer::import_model(path);
  CHECK(imported.architecture == "a?[2J");
  REQUIRE_FALSE(imported.findings.empty());
  CHECK(imported.findings.front().message.find('\x1b') == std::string::npos);
}

TEST_CASE("import: a folder gives shape from the configuration and weights from the tensors") {
  const samples::Folder folder;
  folder.file("config.json", k_config);
  folder.file("model.safetensors", layer_file());
  const auto model = importer::import_model(folder.path());
  const TransformerShape& shape = *model.model.transformer();
  CHECK(shape.params == k_layer_params);
  CHECK(shape.tied_embeddings);  // the file has no output matrix, whatever the class does
  CHECK(shape.stored.bytes == 2 * k_layer_params);
  CHECK(shape.max_context == 2048);
  CHECK(model.quantization == "fp16");
  CHECK(model.files.size() == 2);
}

TEST_CASE("import: weights without a configuration, and a configuration without weights") {
  const samples::Folder folder;
  const auto bare = importer::import_model(folder.file("alone.safetensors", layer_file()));
  CHECK(bare.model.params() == k_layer_params);
  CHECK(bare.model.transformer()->heads == 1);
  CHECK(bare.model.id == "alone");
  REQUIRE_FALSE(bare.findings.empty());
  const auto config = importer::import_model(folder.file("config.json", k_config));
  CHECK(config.model.transformer()->stored.bytes == 0);
  CHECK(config.model.params() == Approx(k_layer_params + 6400).epsilon(0.01));
}

TEST_CASE("import: parts of an index are added; missing ones are named") {
  const samples::Folder folder;
  folder.file("config.json", k_config);
  const std::string index =
      folder.file("model.safetensors.index.json",
                  R"({"metadata":{"total_size":1},"weight_map":{"a":"model-1.safetensors","lm_head.weight":"model-2.safetensors"}})");
  folder.file("model-1.safetensors", layer_file());
  const auto part = importer::import_model(index);
  CHECK(part.model.params() == Approx(k_layer_params + 6400).epsilon(0.01));  // counted: lm_head is not there to be seen
  CHECK(part.model.transformer()->stored.bytes == 0);
  int at = 0;
  folder.file("model-2.safetensors", samples::safetensors("{" + tensor("lm_head.weight", 100, 64, at) + "}", 12800));
  const auto whole = importer::import_model(folder.path());
  CHECK(whole.model.params() == k_layer_params + 6400);
  CHECK(whole.model.transformer()->stored.head_bytes == 12800);
  CHECK_FALSE(whole.model.transformer()->tied_embeddings);
}

TEST_CASE("import: weights that the shape does not hold are exact and said") {
  const samples::Folder folder;
  folder.file("config.json", k_config);
  int at = static_cast<int>(2 * k_layer_params);
  const std::string header_extra = "," + tensor("model.layers.0.side.weight", 128, 128, at);
  folder.file("model.safetensors", layer_file(header_extra));
  const auto model = importer::import_model(folder.path());
  CHECK(model.model.params() == k_layer_params + 16384);
  const auto fitted =
      std::find_if(model.findings.begin(), model.findings.end(), [](const Finding& f) { return f.rule == "import-fitted"; });
  CHECK(fitted != model.findings.end());
}

TEST_CASE("import: pickles, adapters, pipelines and other files are refused with what to do") {
  const samples::Folder folder;
  CHECK(code_of(folder.file("model.pt", "PK\x03\x04....")) == ErrorCode::unsupported);
  CHECK(code_of(folder.file("pytorch_model.bin", "\x80\x02}q")) == ErrorCode::unsupported);
  CHECK(code_of(folder.file("renamed.safetensors2", "\x80\x04}q")) == ErrorCode::unsupported);
  CHECK(code_of(folder.file("adapter_config.json", "{}")) == ErrorCode::unsupported);
  CHECK(code_of(folder.file("notes.txt", "hello")) == ErrorCode::unsupported);
  CHECK(code_of(folder.path() + "/nothing.gguf") == ErrorCode::unreadable);
  int at = 0;
  CHECK(code_of(folder.file("adapter.safetensors", samples::safetensors("{" + tensor("x.lora_A.weight", 4, 4, at) + "}", 32))) ==
        ErrorCode::unsupported);
  CHECK(code_of(folder.file("model_index.json", "{}")) == ErrorCode::unsupported);
  CHECK(code_of("/dev/null") != ErrorCode::internal);
}

TEST_CASE("import: parts of a split GGUF belong together") {
  CHECK(importer::gguf_parts("d/m-00002-of-00003.gguf") ==
        std::vector<std::string>{"d/m-00001-of-00003.gguf", "d/m-00002-of-00003.gguf", "d/m-00003-of-00003.gguf"});
  CHECK(importer::gguf_parts("m.gguf").size() == 1);
  CHECK(importer::gguf_parts("m-00001-of-99999.gguf").size() == 1);
}

TEST_CASE("import: names for the catalog") {
  CHECK(importer::id_of_path("/models/Some-Model-7B/config.json") == "some-model-7b");
  CHECK(importer::id_of_path("Some Model.Q4_K_M.gguf") == "some-model.q4_k_m");
  CHECK(importer::id_of_path("/models/Other/") == "other");
  CHECK(importer::id_of_path("...") == "model");
}

TEST_CASE("import: a hundred gigabytes that are not there take milliseconds") {
  const samples::Folder folder;
  const std::string tensors = folder.file("model.safetensors", layer_file());
  const std::string gguf = folder.file("zeros.gguf", samples::Bytes().raw("GGUF").number(3, 4).number(1000, 8).number(1000, 8).text());
  const std::string onnx = folder.file("zeros.onnx", "");
  for (const std::string& path : {tensors, gguf, onnx}) {
    std::filesystem::resize_file(path, 100'000'000'000);
  }
  const auto start = std::chrono::steady_clock::now();
  CHECK(importer::import_model(tensors).model.params() == k_layer_params);
  CHECK(code_of(gguf) == ErrorCode::bad_data);
  CHECK(code_of(onnx) == ErrorCode::bad_data);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(2));
}

TEST_CASE("import: what is written as a data file reads back the same") {
  const samples::Folder folder;
  folder.file("config.json", k_config);
  folder.file("model.safetensors", layer_file());
  const auto model = importer::import_model(folder.path());
  catalog::CatalogData data;
  REQUIRE(catalog::read_data(catalog::model_file_text(model.model, {"model.safetensors"}), "x.json", data));
  REQUIRE(data.models.size() == 1);
  const TransformerShape& before = *model.model.transformer();
  const TransformerShape& after = *data.models.front().model.transformer();
  CHECK(after.params == before.params);
  CHECK(after.hidden == before.hidden);
  CHECK(after.stored.bytes == before.stored.bytes);
  CHECK(after.stored.precision == before.stored.precision);
  // A family that was only guessed stays a guess.
  std::string unknown = k_config;
  unknown.replace(unknown.find("llama"), 5, "brand_new");
  folder.file("config.json", unknown);
  const auto guessed = importer::import_model(folder.path());
  catalog::CatalogData again;
  REQUIRE(catalog::read_data(catalog::model_file_text(guessed.model, {"model.safetensors"}), "x.json", again));
  CHECK(again.models.front().model.transformer()->nearest_family);
  CHECK_FALSE(after.nearest_family);
}
