#include "import/gguf_shape.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/precision.hpp>
#include <gpuadvise/units.hpp>

#include "import/fit_shape.hpp"
#include "import/hf_config.hpp"
#include "import/hf_keys.hpp"
#include "model/gguf_mix.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace gpuadvise::importer {
namespace {

struct FileType {
  int id;
  std::string_view mix;
};

// general.file_type, as llama.h numbers it.
constexpr auto k_file_types = std::to_array<FileType>(
    {{0, "F32"},     {1, "F16"},     {2, "Q4_0"},     {3, "Q4_1"},    {7, "Q8_0"},      {8, "Q5_0"},    {9, "Q5_1"},
     {10, "Q2_K"},   {11, "Q3_K_S"}, {12, "Q3_K_M"},  {13, "Q3_K_L"}, {14, "Q4_K_S"},   {15, "Q4_K_M"}, {16, "Q5_K_S"},
     {17, "Q5_K_M"}, {18, "Q6_K"},   {19, "IQ2_XXS"}, {20, "IQ2_XS"}, {21, "Q2_K_S"},   {22, "IQ3_XS"}, {23, "IQ3_XXS"},
     {24, "IQ1_S"},  {25, "IQ4_NL"}, {26, "IQ3_S"},   {27, "IQ3_M"},  {28, "IQ2_S"},    {29, "IQ2_M"},  {30, "IQ4_XS"},
     {31, "IQ1_M"},  {32, "BF16"},   {36, "TQ1_0"},   {37, "TQ2_0"},  {38, "MXFP4_MOE"}});

// Architectures that interleave windows without a key of their own: one layer in so many is global.
struct WindowRow {
  std::string_view architecture;
  double period;
};
constexpr auto k_windows = std::to_array<WindowRow>({{"gemma2", 2},
                                                     {"gemma3", 6},
                                                     {"gemma3n", 5},
                                                     {"gemma4", 6},
                                                     {"gpt-oss", 2},
                                                     {"cohere2", 4},
                                                     {"exaone4", 4},
                                                     {"llama4", 4},
                                                     {"olmo3", 4}});
constexpr double k_llama4_chunk = 8192;

// Architectures of llama.cpp whose keys and tensors are read here; any other is read by the same keys, as far as it has them.
// clang-format off
constexpr auto k_architectures = std::to_array<std::string_view>({
    "afmoe", "apertus", "arcee", "arctic", "baichuan", "bailingmoe", "bailingmoe2", "bert", "bitnet", "bloom", "chatglm", "codeshell",
    "cogvlm", "cohere2", "command-r", "dbrx", "deci", "deepseek", "deepseek2", "dots1", "dream", "ernie4_5", "ernie4_5-moe", "eurobert",
    "exaone", "exaone-moe", "exaone4", "falcon", "falcon-h1", "gemma", "gemma-embedding", "gemma2", "gemma3", "gemma3n", "gemma4",
    "glm-dsa", "glm4", "glm4moe", "gpt-oss", "gpt2", "gptj", "gptneox", "granite", "granitehybrid", "granitemoe", "grok", "grovemoe",
    "hunyuan-dense", "hunyuan-moe", "internlm2", "jais", "jamba", "jina-bert-v2", "jina-bert-v3", "kimi-linear", "lfm2", "lfm2moe",
    "llada", "llada-moe", "llama", "llama-embed", "llama4", "mamba", "mamba2", "maincoder", "mimo2", "minicpm", "minicpm3", "minimax-m2",
    "mistral3", "mistral4", "modern-bert", "mpt", "nemotron", "nemotron_h", "nemotron_h_moe", "neo-bert", "nomic-bert", "nomic-bert-moe",
    "olmo", "olmo2", "olmoe", "openelm", "orion", "pangu-embedded", "phi2", "phi3", "phimoe", "plamo", "plamo2", "plamo3", "plm", "qwen",
    "qwen2", "qwen2moe", "qwen2vl", "qwen3", "qwen35", "qwen35moe", "qwen3moe", "qwen3next", "qwen3vl", "qwen3vlmoe", "refact", "rnd1",
    "rwkv6", "rwkv6qwen2", "rwkv7", "seed_oss", "smallthinker", "smollm3", "stablelm", "starcoder", "starcoder2", "step35", "t5",
    "t5encoder", "xverse",
});
// clang-format on

class Metadata {
 public:
  Metadata(const GgufHeader& header, std::string architecture, const std::string& file)
      : header_(header), prefix_(std::move(architecture) + "."), file_(file) {}

  // A number, or the mean of a list with one for each layer. Throws Error{bad_data} out of bounds.
  [[nodiscard]] double number(std::string_view key, double largest, double fallback = 0) const {
    const std::string full = prefix_ + std::string(key);
    double value = fallback;
    if (const GgufArray* list = header_.array(full); list != nullptr && !list->numbers.empty()) {
      value = 0;
      for (const double item : list->numbers) {
        value += item / static_cast<double>(list->numbers.size());
      }
    } else if (const auto single = header_.number(full)) {
      value = *single;
    }
    if (!(value >= 0) || value > largest) {
      throw Error(ErrorCode::bad_data, full + " is out of range", {}, file_);
    }
    return value;
  }
  [[nodiscard]] bool has(std::string_view key) const { return header_.metadata.contains(prefix_ + std::string(key)); }
  [[nodiscard]] const GgufArray* list(std::string_view key) const { return header_.array(prefix_ + std::string(key)); }

 private:
  const GgufHeader& header_;
  std::string prefix_;
  const std::string& file_;
};

bool has_tensor(std::span<const FileTensor> tensors, std::string_view part) {
  return std::any_of(tensors.begin(), tensors.end(), [&](const FileTensor& t) { return t.name.find(part) != std::string::npos; });
}

void read_attention(const Metadata& m, const std::string& file, TransformerShape& s) {
  s.heads = m.number("attention.head_count", limit::heads);
  s.kv_heads = m.number("attention.head_count_kv", limit::heads, s.heads);
  if (const GgufArray* each = m.list("attention.head_count_kv"); each != nullptr && !each->numbers.empty()) {
    // 0 = a layer without attention
    s.kv_heads = *std::max_element(each->numbers.begin(), each->numbers.end());
    s.attention_layers = static_cast<double>(std::count_if(each->numbers.begin(), each->numbers.end(), [](double n) { return n > 0; }));
  }
  if (const GgufArray* each = m.list("attention.head_count"); each != nullptr && !each->numbers.empty()) {
    s.heads = *std::max_element(each->numbers.begin(), each->numbers.end());
  }
  s.head_dim = m.number("attention.key_length", limit::width, s.heads > 0 ? std::floor(s.hidden / s.heads) : 0);
  if (!(s.heads <= limit::heads) || !(s.kv_heads <= limit::heads)) {
    throw Error(ErrorCode::bad_data, "attention.head_count is out of range", {}, file);
  }
  s.attention_layers = std::min(s.attention_layers, s.layers);
  s.attention = s.kv_heads >= s.heads ? AttentionKind::mha : s.kv_heads <= 1 ? AttentionKind::mqa : AttentionKind::gqa;
  const double rank = m.number("attention.kv_lora_rank", limit::width);
  if (rank > 0) {
    const double rope = m.number("rope.dimension_count", limit::width);
    const double key = m.number(m.has("attention.key_length_mla") ? "attention.key_length_mla" : "attention.key_length", limit::width);
    const double value =
        m.number(m.has("attention.value_length_mla") ? "attention.value_length_mla" : "attention.value_length", limit::width);
    s.mla = {m.number("attention.q_lora_rank", limit::width), rank, std::max(0.0, key - rope), rope, value};
    s.attention = AttentionKind::mla;
    s.kv_heads = s.heads;
    s.head_dim = value;
  }
}

void read_window(const Metadata& m, std::string_view architecture, TransformerShape& s) {
  double window = m.number("attention.sliding_window", limit::context);
  if (architecture == "llama4" && window <= 0) {
    window = m.number("attention.chunk_size", limit::context, k_llama4_chunk);
  }
  if (window <= 0 || (s.max_context > 0 && window >= s.max_context)) {
    return;
  }
  const auto row = std::find_if(k_windows.begin(), k_windows.end(), [&](const WindowRow& r) { return r.architecture == architecture; });
  double global = row == k_windows.end() ? 0 : std::floor(s.layers / row->period);
  if (const GgufArray* each = m.list("attention.sliding_window_pattern"); each != nullptr && !each->numbers.empty()) {
    const auto windows = std::count_if(each->numbers.begin(), each->numbers.end(), [](double n) { return n > 0; });
    global = std::max(0.0, s.layers - static_cast<double>(windows));
  } else if (const double period = m.number("attention.sliding_window_pattern", limit::layers); period > 0) {
    global = std::floor(s.layers / period);
  }
  s.sliding_window = window;
  s.sliding_layers = s.layers - global;
}

void read_experts(const Metadata& m, std::span<const FileTensor> tensors, TransformerShape& s) {
  MixtureOfExperts& moe = s.moe;
  moe.experts = m.number("expert_count", limit::experts);
  if (moe.experts <= 1) {
    moe = {};
    return;
  }
  moe.active = std::min(moe.experts, std::max(1.0, m.number("expert_used_count", limit::experts, 1)));
  moe.expert_ffn = m.number("expert_feed_forward_length", limit::width, s.ffn);
  moe.shared = m.number("expert_shared_count", limit::experts);
  moe.shared_ffn = m.number("expert_shared_feed_forward_length", limit::width);
  if (moe.shared <= 0 && has_tensor(tensors, "_shexp")) {
    moe.shared = 1;
  }
  moe.dense_layers = std::min(s.layers, m.number("leading_dense_block_count", limit::layers));
  if (const double step = m.number("interleave_moe_layer_step", limit::layers); step > 1) {
    moe.moe_layers = std::floor(s.layers / step);
    moe.dense_layers = s.layers - *moe.moe_layers;
  }
  moe.expert_bias = has_tensor(tensors, "_exps.bias");
}

void read_recurrent(const Metadata& m, std::string_view architecture, TransformerShape& s) {
  LinearState& state = s.linear;
  const double inner = m.number("ssm.inner_size", limit::width);
  const double rank = m.number("ssm.time_step_rank", limit::width);
  const double size = m.number("ssm.state_size", limit::width);
  const double groups = m.number("ssm.group_count", limit::heads);
  const bool delta = architecture == "qwen3next" || architecture.starts_with("qwen35");
  if (m.has("shortconv.l_cache")) {
    state.kind = StateKind::short_conv;
    state.conv = m.number("shortconv.l_cache", 1024);
  } else if (m.has("wkv.head_size")) {
    state.kind = StateKind::rwkv;
    state.head_dim = m.number("wkv.head_size", limit::width);
    state.heads = state.head_dim > 0 ? s.hidden / state.head_dim : 0;
  } else if (inner > 0 && delta) {
    state.kind = StateKind::gated_delta;
    state.key_heads = groups;
    state.key_dim = size;
    state.value_heads = rank;
    state.value_dim = rank > 0 ? inner / rank : 0;
    s.gated_query = true;
  } else if (inner > 0 && groups > 0) {
    state.kind = StateKind::mamba2;
    state.inner = inner;
    state.state = size;
    state.groups = groups;
    state.heads = rank;
    state.head_dim = rank > 0 ? inner / rank : 0;
  } else if (inner > 0) {
    state.kind = StateKind::mamba1;
    state.inner = inner;
    state.state = size;
    state.dt_rank = rank;
  } else {
    return;
  }
  state.conv = state.conv > 0 ? state.conv : m.number("ssm.conv_kernel", 1024, 4);
  if (const double interval = m.number("full_attention_interval", limit::layers, delta ? 4 : 0); interval > 0) {
    s.attention_layers = std::floor(s.layers / interval);
  } else if (m.list("attention.head_count_kv") == nullptr) {
    s.attention_layers = 0;  // only recurrent layers
  }
  state.layers = std::max(0.0, s.layers - s.attention_layers);
  s.attention = s.attention_layers > 0 ? AttentionKind::hybrid : AttentionKind::ssm;
}

// Nemotron-H: every block is one of attention, MLP or recurrent, by lists with a number for each. The shape has mixing layers,
// some followed by an MLP or by experts.
void read_single_blocks(const Metadata& m, TransformerShape& s) {
  const GgufArray* heads = m.list("attention.head_count_kv");
  const GgufArray* widths = m.list("feed_forward_length");
  if (heads == nullptr || widths == nullptr || heads->numbers.empty() || heads->numbers.size() != widths->numbers.size()) {
    return;
  }
  double attention = 0;
  double mlp = 0;
  double width = 0;
  for (std::size_t i = 0; i < heads->numbers.size(); ++i) {
    if (heads->numbers[i] > 0 && widths->numbers[i] > 0) {
      return;  // ordinary layers
    }
    attention += heads->numbers[i] > 0 ? 1 : 0;
    mlp += widths->numbers[i] > 0 ? 1 : 0;
    width = std::max(width, widths->numbers[i]);
  }
  s.layers -= mlp;
  s.attention_layers = attention;
  s.linear.layers = std::max(0.0, s.layers - attention);
  if (s.moe.experts > 0) {
    s.moe.moe_layers = mlp;
    s.moe.dense_layers = std::max(0.0, s.layers - mlp);
    s.ffn = 0;
  } else {
    s.mlp_layers = mlp;
    s.ffn = std::min(width, limit::width);
  }
}

// What the tensors' names say of the layout.
void read_layout(std::span<const FileTensor> tensors, TransformerShape& s) {
  if (tensors.empty()) {
    return;
  }
  const bool gate = has_tensor(tensors, "ffn_gate");
  s.fused_qkv = has_tensor(tensors, "attn_qkv.weight");
  const bool bias = has_tensor(tensors, "ffn_down.bias");
  s.bias = bias;
  s.qkv_bias = !bias && (has_tensor(tensors, "attn_q.bias") || has_tensor(tensors, "attn_qkv.bias"));
  s.gated_mlp = gate;
  for (const FileTensor& tensor : tensors) {
    if (!gate && tensor.name.ends_with("ffn_up.weight") && tensor.shape.size() == 2) {
      s.fused_gate_up = static_cast<double>(tensor.shape[0]) >= 2 * s.ffn;
      s.gated_mlp = s.fused_gate_up;
      break;
    }
  }
  for (const FileTensor& tensor : tensors) {
    if (tensor.name == "position_embd.weight" && tensor.shape.size() == 2) {
      s.position_embeddings = static_cast<double>(tensor.shape[0]);
    }
  }
}

// Bits of a weight in such a file of this model; nullopt for a mix that is not known here.
std::optional<double> bits_of_mix(std::string_view mix, const TransformerShape& shape) {
  const auto precision = parse_precision("gguf:" + std::string(mix));
  if (!precision) {
    return std::nullopt;
  }
  const model::GgufBytes bytes = model::gguf_bytes(shape, precision->mix);
  return bytes.elements > 0 ? std::optional(8 * bytes.total() / bytes.elements) : std::nullopt;
}

// Recipes between two mixes and files of other programs: the label is only believed where the tensors take about as much.
constexpr double k_label_tolerance = 0.08;

std::string mix_of(const GgufHeader& header, const TensorFacts& facts, const TransformerShape& shape, std::vector<Finding>& findings) {
  // The bit above the numbers says that the label was guessed.
  const double stated = header.number("general.file_type").value_or(-1);
  const int id = stated >= 0 && stated < 4096 ? static_cast<int>(stated) & 1023 : -1;
  const auto label = std::find_if(k_file_types.begin(), k_file_types.end(), [&](const FileType& row) { return row.id == id; });
  const bool labelled = label != k_file_types.end();
  if (facts.params <= 0) {
    return "gguf:" + std::string(labelled ? label->mix : "Q4_K_M");
  }
  const double bits = 8 * facts.bytes / facts.params;
  const auto distance = [&](std::string_view mix) {
    const auto of_mix = bits_of_mix(mix, shape);
    return of_mix && bits > 0 ? std::abs(std::log(*of_mix / bits)) : std::numeric_limits<double>::infinity();
  };
  if (labelled && distance(label->mix) < k_label_tolerance) {
    return "gguf:" + std::string(label->mix);
  }
  const auto nearest = std::min_element(k_file_types.begin(), k_file_types.end(),
                                        [&](const FileType& a, const FileType& b) { return distance(a.mix) < distance(b.mix); });
  findings.push_back({"import-mix", Severity::note,
                      (labelled ? "labelled " + std::string(label->mix) : std::string("not labelled")) + ", its tensors take " +
                          format_significant(bits) + " bits a weight: named " + std::string(nearest->mix) +
                          " here; sizes and what decoding reads are the file's"});
  return "gguf:" + std::string(nearest->mix);
}

}  // namespace

GgufModel gguf_model(const GgufHeader& header, std::span<const FileTensor> tensors, const std::string& file) {
  GgufModel result;
  result.architecture = std::string(header.text("general.architecture"));
  result.name = std::string(header.text("general.name"));
  if (result.architecture.empty() || result.architecture.size() > 100) {
    throw Error(ErrorCode::bad_data, "general.architecture is missing", "a later part of a split model? give the first", file);
  }
  if (result.architecture == "clip") {
    throw Error(ErrorCode::unsupported, "this is the vision part of a model (mmproj)", "give the file of the language model", file);
  }
  const Metadata m(header, result.architecture, file);
  TransformerShape& s = result.shape;
  s.hidden = m.number("embedding_length", limit::width);
  const double predictors = std::floor(m.number("nextn_predict_layers", limit::layers));
  s.layers = std::floor(m.number("block_count", limit::layers)) - predictors;
  if (s.hidden <= 0 || s.layers <= 0) {
    throw Error(ErrorCode::unsupported, "a '" + result.architecture + "' file without layers of a transformer over tokens",
                "name the model with --model, or give --params", file);
  }
  s.attention_layers = s.layers;
  s.max_context = m.number("context_length", limit::context);
  s.ffn = m.number("feed_forward_length", limit::width);
  const GgufArray* words = header.array("tokenizer.ggml.tokens");
  s.vocab =
      m.number("vocab_size", limit::vocab, words != nullptr ? static_cast<double>(std::min<std::uint64_t>(words->count, 1U << 26U)) : 0);
  result.facts = add_up(tensors, {4, predictors > 0 ? s.layers : 0, false});
  s.vocab = result.facts.seen.vocab > 0 ? result.facts.seen.vocab : s.vocab;
  if (s.vocab <= 0) {
    throw Error(ErrorCode::bad_data, "the size of the vocabulary is missing", {}, file);
  }
  read_attention(m, file, s);
  read_window(m, result.architecture, s);
  read_experts(m, tensors, s);
  read_recurrent(m, result.architecture, s);
  if (s.linear.kind == StateKind::mamba2) {
    read_single_blocks(m, s);
  }
  read_layout(tensors, s);
  if (s.layers <= 0) {
    throw Error(ErrorCode::bad_data, "no layer mixes tokens", {}, file);
  }
  if (s.heads <= 0 && s.attention != AttentionKind::ssm) {
    throw Error(ErrorCode::bad_data, result.architecture + ".attention.head_count is missing", {}, file);
  }
  s.falcon = result.architecture == "falcon";
  s.tied_embeddings = !tensors.empty() && result.facts.head_bytes <= 0;
  s.mtp_layers = predictors;
  // An encoder says that its attention is not causal, or how it pools.
  const bool encoder =
      header.number(result.architecture + ".attention.causal") == std::optional(0.0) || result.architecture.ends_with("bert");
  if (encoder) {
    s.kind = TransformerKind::encoder;
    result.field = Field::encoder;
  } else if (m.number("pooling_type", 100) > 0) {
    s.kind = TransformerKind::embedding_decoder;
    result.field = Field::encoder;
  }
  if (std::find(k_architectures.begin(), k_architectures.end(), result.architecture) == k_architectures.end()) {
    s.from_memory = s.nearest_family = true;
    result.findings.push_back(nearest_family_finding("'" + result.architecture + "'"));
  }
  count_shape(s);
  result.precision = mix_of(header, result.facts, s, result.findings);
  return result;
}

}  // namespace gpuadvise::importer
