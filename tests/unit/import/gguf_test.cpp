#include "import/gguf.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/precision.hpp>

#include "catch.hpp"
#include "estimate/speed/transformer.hpp"
#include "import/fit_shape.hpp"
#include "import/gguf_shape.hpp"
#include "sample_files.hpp"

using namespace gpuadvise;
using importer::MemoryBytes;

namespace {

// One layer of 256, vocabulary 32, MLP 512, with a recipe that no quantiser writes.
samples::Gguf small(std::uint32_t version) {
  samples::Gguf file(version);
  file.text("general.architecture", "llama").text("general.name", "small").u32("general.file_type", 15);
  file.u32("llama.block_count", 1).u32("llama.embedding_length", 256).u32("llama.feed_forward_length", 512);
  file.u32("llama.attention.head_count", 4).u32("llama.attention.head_count_kv", 2).u32("llama.context_length", 4096);
  file.words("tokenizer.ggml.tokens", 32);
  file.tensor("token_embd.weight", 256, 32, 14, 256, 210).tensor("output.weight", 256, 32, 8, 32, 34);
  file.tensor("blk.0.attn_q.weight", 256, 256, 12, 256, 144).tensor("blk.0.attn_k.weight", 256, 128, 12, 256, 144);
  file.tensor("blk.0.attn_v.weight", 256, 128, 14, 256, 210).tensor("blk.0.attn_output.weight", 256, 256, 12, 256, 144);
  file.tensor("blk.0.ffn_gate.weight", 256, 512, 12, 256, 144).tensor("blk.0.ffn_up.weight", 256, 512, 12, 256, 144);
  file.tensor("blk.0.ffn_down.weight", 512, 256, 14, 256, 210).tensor("output_norm.weight", 256, 1, 0, 1, 4);
  return file;
}

std::string reason(const std::string& file) {
  try {
    static_cast<void>(importer::read_gguf(MemoryBytes("x.gguf", file)));
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::bad_data);
    return error.message();
  }
  return "accepted";
}

std::string changed(std::string file, std::size_t at, std::string_view with) {
  return file.replace(at, with.size(), with);
}

}  // namespace

TEST_CASE("GGUF: versions 1 to 3 give the same shape and exact bytes") {
  for (const std::uint32_t version : {1U, 2U, 3U}) {
    const std::string file = small(version).file();
    const auto header = importer::read_gguf(MemoryBytes("x.gguf", file));
    CHECK(header.version == version);
    CHECK_FALSE(header.truncated);
    auto model = importer::gguf_model(header, header.tensors, "x.gguf");
    CHECK(model.shape.layers == 1);
    CHECK(model.shape.hidden == 256);
    CHECK(model.shape.kv_heads == 2);
    CHECK(model.shape.head_dim == 64);
    CHECK(model.shape.vocab == 32);
    CHECK(model.shape.gated_mlp);
    CHECK_FALSE(model.shape.tied_embeddings);
    CHECK(model.precision == "gguf:Q4_K_M");
    const double matrices = 256 * (256 + 128 + 128 + 256) + 3 * 256 * 512;
    CHECK(model.facts.params == matrices + 2 * 32 * 256 + 256);
    // Counted block by block.
    CHECK(model.facts.bytes == 32 * 210 + 32 * 8 * 34 + (256 + 128 + 256 + 512 + 512) * 144 + 128 * 210 + 256 * 2 * 210 + 1024);
    std::vector<Finding> findings;
    importer::fit_to_tensors(model.shape, model.facts, model.precision, findings);
    CHECK(findings.empty());
    CHECK(model.shape.params == model.facts.params);
    CHECK(model.shape.stored.embedding_bytes == 32 * 210);
    CHECK(model.shape.stored.head_bytes == 32 * 8 * 34);
  }
}

TEST_CASE("GGUF: an architecture that no table knows is read by its keys, and says so") {
  for (const bool known : {true, false}) {
    const std::string name = known ? "qwen3" : "brand_new";
    samples::Gguf file;
    file.text("general.architecture", name).u32(name + ".block_count", 2).u32(name + ".embedding_length", 256);
    file.u32(name + ".attention.head_count", 4).u32(name + ".feed_forward_length", 512).u32(name + ".vocab_size", 100);
    const auto header = importer::read_gguf(MemoryBytes("x.gguf", file.file()));
    const auto model = importer::gguf_model(header, header.tensors, "x.gguf");
    CHECK(model.shape.nearest_family == !known);
    CHECK(model.findings.empty() == known);
  }
}

TEST_CASE("GGUF: a token reads the file's own bytes, whatever its label") {
  const auto weights = [](std::uint32_t type, std::uint64_t block, std::uint64_t bytes) {
    samples::Gguf file;
    file.text("general.architecture", "llama").u32("general.file_type", 15).u32("llama.block_count", 1);
    file.u32("llama.embedding_length", 256).u32("llama.feed_forward_length", 512).u32("llama.attention.head_count", 4);
    file.tensor("token_embd.weight", 256, 32, 0, 1, 4).tensor("output.weight", 256, 32, type, block, bytes);
    for (const std::string part : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
      file.tensor("blk.0." + part + ".weight", 256, 256, type, block, bytes);
    }
    file.tensor("blk.0.ffn_gate.weight", 256, 512, type, block, bytes).tensor("blk.0.ffn_up.weight", 256, 512, type, block, bytes);
    file.tensor("blk.0.ffn_down.weight", 512, 256, type, block, bytes);
    const auto header = importer::read_gguf(MemoryBytes("x.gguf", file.file()));
    auto model = importer::gguf_model(header, header.tensors, "x.gguf");
    std::vector<Finding> findings;
    importer::fit_to_tensors(model.shape, model.facts, model.precision, findings);
    const estimate::StreamedWeights streamed = estimate::streamed_weights(model.shape, *parse_precision(model.precision));
    CHECK(streamed.stored == model.facts.bytes);
    return streamed.active;
  };
  const double four = weights(12, 256, 144);
  // Every matrix but the look-up table: 4.5 bits a weight against 5.5 and 8.5
  CHECK(four == Approx((4 * 256 * 256 + 3 * 256 * 512 + 32 * 256) * 4.5 / 8).epsilon(0.001));
  CHECK(weights(13, 256, 176) / four == Approx(5.5 / 4.5).epsilon(0.001));
  CHECK(weights(8, 32, 34) / four == Approx(8.5 / 4.5).epsilon(0.001));
}

TEST_CASE("GGUF: a label that the tensors contradict is not believed") {
  samples::Gguf file;
  file.text("general.architecture", "llama").u32("general.file_type", 15).u32("llama.block_count", 1).u32("llama.embedding_length", 256);
  file.u32("llama.attention.head_count", 4).u32("llama.feed_forward_length", 512).words("tokenizer.ggml.tokens", 32);
  file.tensor("token_embd.weight", 256, 32, 8, 32, 34).tensor("blk.0.ffn_up.weight", 256, 512, 8, 32, 34);
  const std::string bytes = file.file();
  const auto header = importer::read_gguf(MemoryBytes("x.gguf", bytes));
  const auto model = importer::gguf_model(header, header.tensors, "x.gguf");
  CHECK(model.precision == "gguf:Q8_0");
  REQUIRE_FALSE(model.findings.empty());
  CHECK_THAT(model.findings.front().message, ContainsSubstring("labelled Q4_K_M"));
}

TEST_CASE("GGUF: what cannot be meant is refused") {
  const std::string good = small(3).file();
  REQUIRE(reason(good) == "accepted");
  CHECK_THAT(reason("GG"), ContainsSubstring("no GGUF"));
  CHECK_THAT(reason(changed(good, 4, std::string("\x09\0\0\0", 4))), ContainsSubstring("version 9"));
  CHECK_THAT(reason(changed(good, 8, std::string(7, '\xFF'))), ContainsSubstring("tensors, more than"));
  CHECK_THAT(reason(changed(good, 16, std::string(7, '\xFF'))), ContainsSubstring("metadata entries"));
  CHECK_THAT(reason(changed(good, 24, std::string(7, '\xFF'))), ContainsSubstring("a name of"));
  CHECK_THAT(reason(good.substr(0, 200)), ContainsSubstring("more than the file can hold") || ContainsSubstring("ends"));
  CHECK_THAT(reason(samples::Gguf().text("a", "x").text("a", "y").file()), ContainsSubstring("duplicate key"));
  CHECK_THAT(reason(samples::Gguf().tensor("t", 32, 1, 8, 32, 34).tensor("t", 32, 1, 8, 32, 34).file()),
             ContainsSubstring("duplicate tensor"));
  CHECK_THAT(reason(samples::Gguf().tensor("t", 33, 1, 8, 33, 34).file()), ContainsSubstring("divide"));
  CHECK_THAT(reason(samples::Gguf().u32("general.alignment", 48).file()), ContainsSubstring("power of two"));
  CHECK_THAT(reason(samples::Gguf().tensor("t", std::uint64_t{1} << 41U, 1, 0, 1, 0).file()), ContainsSubstring("dimension"));
}

TEST_CASE("GGUF: hybrids, experts and latent attention from their keys") {
  samples::Gguf hybrid;
  hybrid.text("general.architecture", "qwen3next").u32("qwen3next.block_count", 48).u32("qwen3next.embedding_length", 2048);
  hybrid.u32("qwen3next.attention.head_count", 16).u32("qwen3next.attention.head_count_kv", 2).u32("qwen3next.attention.key_length", 256);
  hybrid.u32("qwen3next.ssm.inner_size", 4096).u32("qwen3next.ssm.state_size", 128).u32("qwen3next.ssm.group_count", 16);
  hybrid.u32("qwen3next.ssm.time_step_rank", 32).u32("qwen3next.ssm.conv_kernel", 4).u32("qwen3next.full_attention_interval", 4);
  hybrid.u32("qwen3next.expert_count", 512).u32("qwen3next.expert_used_count", 10).u32("qwen3next.expert_feed_forward_length", 512);
  hybrid.u32("qwen3next.expert_shared_feed_forward_length", 512)
      .u32("qwen3next.expert_shared_count", 1)
      .u32("qwen3next.vocab_size", 151936);
  const std::string bytes = hybrid.file();
  const auto header = importer::read_gguf(MemoryBytes("x.gguf", bytes));
  const auto shape = importer::gguf_model(header, {}, "x.gguf").shape;
  CHECK(shape.attention == AttentionKind::hybrid);
  CHECK(shape.attention_layers == 12);
  CHECK(shape.linear.layers == 36);
  CHECK(shape.linear.value_heads == 32);
  CHECK(shape.linear.value_dim == 128);
  CHECK(shape.params == Approx(79.67e9).epsilon(0.01));

  samples::Gguf latent;
  latent.text("general.architecture", "deepseek2").u32("deepseek2.block_count", 61).u32("deepseek2.embedding_length", 7168);
  latent.u32("deepseek2.attention.head_count", 128)
      .u32("deepseek2.attention.head_count_kv", 1)
      .u32("deepseek2.attention.kv_lora_rank", 512);
  latent.u32("deepseek2.attention.q_lora_rank", 1536).u32("deepseek2.attention.key_length_mla", 192);
  latent.u32("deepseek2.attention.value_length_mla", 128).u32("deepseek2.rope.dimension_count", 64).u32("deepseek2.vocab_size", 129280);
  latent.u32("deepseek2.expert_count", 256).u32("deepseek2.expert_used_count", 8).u32("deepseek2.expert_shared_count", 1);
  latent.u32("deepseek2.expert_feed_forward_length", 2048).u32("deepseek2.leading_dense_block_count", 3);
  latent.u32("deepseek2.feed_forward_length", 18432);
  const std::string latent_bytes = latent.file();
  const auto latent_header = importer::read_gguf(MemoryBytes("x.gguf", latent_bytes));
  const auto mla = importer::gguf_model(latent_header, {}, "x.gguf").shape;
  CHECK(mla.attention == AttentionKind::mla);
  CHECK(mla.mla.qk_nope_head_dim == 128);
  CHECK(mla.params == Approx(671.0e9).epsilon(0.01));
}

TEST_CASE("GGUF: blocks of one kind each become mixing layers with their MLPs") {
  samples::Gguf file;
  const std::string a = "nemotron_h";
  file.text("general.architecture", a).u32(a + ".block_count", 5).u32(a + ".embedding_length", 256).u32(a + ".vocab_size", 100);
  file.u32(a + ".attention.head_count", 4).numbers(a + ".attention.head_count_kv", {0, 0, 2, 0, 0});
  file.numbers(a + ".feed_forward_length", {0, 512, 0, 512, 0}).u32(a + ".ssm.inner_size", 512).u32(a + ".ssm.group_count", 1);
  file.u32(a + ".ssm.state_size", 16).u32(a + ".ssm.time_step_rank", 8);
  const std::string bytes = file.file();
  const auto header = importer::read_gguf(MemoryBytes("x.gguf", bytes));
  const auto shape = importer::gguf_model(header, {}, "x.gguf").shape;
  CHECK(shape.layers == 3);
  CHECK(shape.attention_layers == 1);
  CHECK(shape.linear.layers == 2);
  CHECK(shape.mlp_layers == 2);
  CHECK(shape.ffn == 512);
}

TEST_CASE("GGUF: the vision part alone is refused with what to do") {
  const std::string bytes = samples::Gguf().text("general.architecture", "clip").file();
  const auto header = importer::read_gguf(MemoryBytes("mmproj.gguf", bytes));
  CHECK_THROWS_AS(importer::gguf_model(header, {}, "mmproj.gguf"), Error);
}
