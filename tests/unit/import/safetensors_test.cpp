#include "import/safetensors.hpp"

#include <gpuadvise/error.hpp>

#include "catch.hpp"
#include "sample_files.hpp"

using namespace gpuadvise;
using importer::MemoryBytes;

namespace {

importer::SafetensorsHeader read(const std::string& file) {
  return importer::read_safetensors(MemoryBytes("x.safetensors", file));
}

std::string reason(const std::string& file) {
  try {
    static_cast<void>(read(file));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::bad_data);
    CHECK_FALSE(error.where().empty());
    return error.message();
  }
  return "accepted";
}

const std::string k_two = R"({"__metadata__":{"format":"pt"},)"
                          R"("a.weight":{"dtype":"BF16","shape":[4,8],"data_offsets":[0,64]},)"
                          R"("b":{"dtype":"F32","shape":[],"data_offsets":[64,68]}}   )";

}  // namespace

TEST_CASE("safetensors: names, types and sizes are those of the header") {
  const auto header = read(samples::safetensors(k_two, 68));
  REQUIRE(header.tensors.size() == 2);
  CHECK(header.tensors[0].name == "a.weight");
  CHECK(header.tensors[0].type == "BF16");
  CHECK(header.tensors[0].elements == 32);
  CHECK(header.tensors[0].bytes == 64);
  CHECK(header.tensors[1].elements == 1);
  CHECK_FALSE(header.truncated);
  CHECK_FALSE(header.holes);
}

TEST_CASE("safetensors: an unfinished download still has its header") {
  CHECK(read(samples::safetensors(k_two, 10)).truncated);
  CHECK(read(samples::safetensors(k_two, 100)).holes);
}

TEST_CASE("safetensors: what cannot be meant is refused with the place") {
  const auto one = [](const std::string& body) { return samples::safetensors("{\"t\":" + body + "}", 64); };
  CHECK_THAT(reason(""), ContainsSubstring("ends"));
  CHECK_THAT(reason(samples::Bytes().number(1U << 30U, 8).raw("{}").text()), ContainsSubstring("header of"));
  CHECK_THAT(reason(samples::Bytes().number(4, 8).raw(std::string(4, '\0')).text()), ContainsSubstring("does not start"));
  CHECK_THAT(reason(samples::safetensors("{\"t\":", 0)), ContainsSubstring("does not end"));
  CHECK_THAT(reason(samples::safetensors("[1,2]", 0)), ContainsSubstring("does not start with"));
  CHECK_THAT(reason(one(R"({"dtype":"BF16","shape":[4],"data_offsets":[8,0]})")), ContainsSubstring("backwards"));
  CHECK_THAT(reason(one(R"({"dtype":"BF16","shape":[4],"data_offsets":[0,64]})")), ContainsSubstring("do not make"));
  CHECK_THAT(reason(one(R"({"dtype":"BF16","shape":[4294967296,4294967296,2],"data_offsets":[0,0]})")), ContainsSubstring("overflows"));
  CHECK_THAT(reason(one(R"({"dtype":"BF16","shape":[-4],"data_offsets":[0,8]})")), ContainsSubstring("negative"));
  CHECK_THAT(reason(one(R"({"dtype":"BF16","shape":[1.5],"data_offsets":[0,8]})")), ContainsSubstring("fraction"));
  CHECK_THAT(reason(one(R"({"dtype":"BF16","data_offsets":[0,8]})")), ContainsSubstring("needed"));
  CHECK_THAT(reason(one(R"({"dtype":"BF16","dtype":"BF16","shape":[4],"data_offsets":[0,8]})")), ContainsSubstring("duplicate"));
  CHECK_THAT(reason(one(R"({"dtype":"BF16","shape":[[4]],"data_offsets":[0,8]})")), ContainsSubstring("list"));
  CHECK_THAT(reason(one("1")), ContainsSubstring("number"));
  CHECK_THAT(reason(samples::safetensors(R"({"t":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},"t":{}})", 4)),
             ContainsSubstring("duplicate tensor"));
  CHECK_THAT(reason(samples::safetensors(
                 R"({"t":{"dtype":"I8","shape":[4],"data_offsets":[0,4]},"u":{"dtype":"I8","shape":[4],"data_offsets":[2,6]}})", 6)),
             ContainsSubstring("share bytes"));
  CHECK_THAT(reason(samples::safetensors("{\"t\":}", 0)), ContainsSubstring("JSON"));
}

TEST_CASE("safetensors index: plain names only") {
  const auto names = importer::shard_names(R"({"weight_map":{"a":"m-2.safetensors","b":"m-1.safetensors","c":"m-2.safetensors"}})", "i");
  CHECK(names == std::vector<std::string>{"m-1.safetensors", "m-2.safetensors"});
  for (const char* hostile : {"../m.safetensors", "/etc/m.safetensors", "a\\\\b.safetensors", "m.bin", ""}) {
    CHECK_THROWS_AS(importer::shard_names(R"({"weight_map":{"a":")" + std::string(hostile) + "\"}}", "i"), Error);
  }
  CHECK_THROWS_AS(importer::shard_names("{}", "i"), Error);
  CHECK_THROWS_AS(importer::shard_names("[]", "i"), Error);
}

TEST_CASE("packed weights are counted as weights, their scales are not") {
  const auto tensor = [](std::string name, std::string type, std::vector<std::uint64_t> shape, std::uint64_t bytes) {
    std::uint64_t elements = 1;
    for (const std::uint64_t dim : shape) {
      elements *= dim;
    }
    return importer::FileTensor{std::move(name), std::move(type), std::move(shape), elements, bytes};
  };
  const std::vector<importer::FileTensor> gptq = {tensor("model.layers.0.mlp.up_proj.qweight", "I32", {128, 64}, 32768),
                                                  tensor("model.layers.0.mlp.up_proj.scales", "F16", {8, 64}, 1024),
                                                  tensor("model.layers.0.mlp.up_proj.g_idx", "I32", {1024}, 4096),
                                                  tensor("model.embed_tokens.weight", "F16", {100, 64}, 12800)};
  const auto facts = importer::add_up(gptq, {});
  CHECK(facts.params == 128 * 64 * 8 + 6400);
  CHECK(facts.bytes == 32768 + 1024 + 4096 + 12800);
  CHECK(facts.embedding_bytes == 12800);
  CHECK(facts.packing == "gptq or awq");
  CHECK(importer::add_up(gptq, {.bits = 8}).params == 128 * 64 * 4 + 6400);
  const std::vector<importer::FileTensor> mxfp4 = {tensor("model.layers.0.mlp.experts.down_proj_blocks", "U8", {4, 64, 2, 16}, 8192),
                                                   tensor("model.layers.0.mlp.experts.down_proj_scales", "U8", {4, 64, 2}, 512)};
  CHECK(importer::add_up(mxfp4, {}).params == 2 * 8192);
}
