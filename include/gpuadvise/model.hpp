// What a model is to the estimators: counts and shapes, never names of files or JSON.
#pragma once

#include <gpuadvise/fixed_list.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace gpuadvise {

enum class Field : std::uint8_t {
  vision,
  detection,
  segmentation,
  video,
  language,
  vision_language,
  encoder,
  speech,
  diffusion,
  recommender
};

enum class VisionAttention : std::uint8_t { unknown, none, fused, eager };

// live(B) >= constant + per_image * B: one line of the upper envelope of live bytes over a training step.
struct PeakLine {
  double constant_bytes = 0.0;
  double per_image_bytes = 0.0;
};

// Simulated caching-allocator figures of one training step (SGD momentum, fp32) at one batch size.
struct AllocatorSample {
  double batch = 0.0;
  double allocated_bytes = 0.0;
  double reserved_bytes = 0.0;
};

struct SavedAtImage {
  double image = 0.0;
  double saved_bytes = 0.0;
};

// How an image profile was obtained; decides the width of the band.
enum class ProfileSource : std::uint8_t { traced, counted, estimated };

// A network over images (volumes, clips): per-image figures at the reference size, fp32 unless named otherwise.
struct ImageProfile {
  double params = 0.0;
  double buffers = 0.0;                 // elements of BatchNorm statistics and other unlearned state
  std::optional<double> gmacs;          // multiply-adds of one forward pass, 1e9
  std::optional<double> activations_m;  // outputs of conv, linear and attention products, 1e6 elements
  double image = 0.0;                   // reference side, pixels
  double image_height = 0.0;            // 0 = square
  double frames = 1.0;
  double channels = 3.0;
  bool fixed_image = false;
  double saved_bytes = 0.0;                     // kept for backward, one image, fp32
  std::optional<double> saved_amp_bytes;        // the same under autocast
  std::optional<double> amp_weight_cast_bytes;  // 16-bit weight copies, once a step
  ProfileSource source = ProfileSource::traced;
  bool depthwise = false;
  VisionAttention attention = VisionAttention::unknown;
  std::optional<double> batchnorms;
  std::optional<double> layernorms;
  std::optional<double> convs;
  std::optional<double> spatial_convs;  // kernels larger than 1
  double dense3x3_io_bytes = 0.0;       // largest input + output of a dense 3x3 convolution, fp32, one image
  double grouped_io_bytes = 0.0;
  double dense_large_io_bytes = 0.0;  // kernels larger than 3
  double largest_conv_weight_bytes = 0.0;
  std::optional<double> eager_scores;  // attention scores of one image where the kernel is not fused, elements
  FixedList<PeakLine, 8> peak_lines;   // fp32
  FixedList<PeakLine, 8> peak_lines_amp;
  FixedList<AllocatorSample, 3> allocator;
  FixedList<SavedAtImage, 4> saved_at;      // traced at other sizes
  std::optional<double> forward_operators;  // kernels launched by one eager forward pass
  // Set where the profile was counted from an operator graph for one workload (dense prediction, video, named networks).
  bool workspace_in_lines = false;           // the peak lines hold the workspaces of convolutions
  std::optional<double> trained_params;      // frozen parts are left out already, of the lines as well
  std::optional<double> checkpointed_bytes;  // kept with every block recomputed, one image, fp32
  double classes = 0.0;                      // outputs the counts hold; 0 = unknown
  double params_per_class = 0.0;
};

enum class AttentionKind : std::uint8_t { mha, gqa, mqa, mla, hybrid, ssm };
enum class TransformerKind : std::uint8_t { decoder, vision_decoder, encoder, embedding_decoder, encoder_decoder, speech };
enum class StateKind : std::uint8_t { none, gated_delta, mamba1, mamba2, short_conv, rwkv };

struct Mla {
  double q_lora_rank = 0.0;  // 0 = a plain query projection
  double kv_lora_rank = 0.0;
  double qk_nope_head_dim = 0.0;
  double qk_rope_head_dim = 0.0;
  double v_head_dim = 0.0;
};

struct MixtureOfExperts {
  double experts = 0.0;
  double active = 0.0;
  double shared = 0.0;
  double expert_ffn = 0.0;
  double shared_ffn = 0.0;           // width of the shared expert where it is not shared * expert_ffn
  double dense_layers = 0.0;         // leading layers without experts
  std::optional<double> moe_layers;  // where only some later layers have experts
  double dense_residual_ffn = 0.0;
  bool expert_bias = false;  // biases in every expert (gpt-oss)
};

// A layer with recurrent state in place of attention.
struct LinearState {
  StateKind kind = StateKind::none;
  double layers = 0.0;
  double inner = 0.0;
  double state = 0.0;
  double groups = 0.0;
  double heads = 0.0;
  double head_dim = 0.0;
  double conv = 0.0;
  double key_heads = 0.0;
  double key_dim = 0.0;
  double value_heads = 0.0;
  double value_dim = 0.0;
  double dt_rank = 0.0;  // mamba1; 0 = hidden / 16
};

// What a model's own file holds of its weights; bytes 0 = the model was not read from a file that says so.
struct StoredWeights {
  std::string_view precision;  // the format that most of it is in, as requests write it ("gguf:Q4_K_M")
  double bytes = 0.0;
  double embedding_bytes = 0.0;  // the look-up table
  double head_bytes = 0.0;       // 0 where the file holds no output matrix
};

// Shape of a transformer (or hybrid); widths in elements, counts in units.
struct TransformerShape {
  TransformerKind kind = TransformerKind::decoder;
  double params = 0.0;         // all stored parameters, multi-token heads left out
  double active_params = 0.0;  // multiply a token: of a mixture, without the look-up table where the head is a matrix of its own
  std::optional<double> params_published;
  double layers = 0.0;
  double decoder_layers = 0.0;  // encoder-decoder models only
  double hidden = 0.0;
  double heads = 0.0;
  double kv_heads = 0.0;
  double head_dim = 0.0;
  double ffn = 0.0;  // dense width; experts have their own
  double vocab = 0.0;
  bool tied_embeddings = false;
  bool gated_mlp = true;
  bool bias = false;           // in every linear layer
  bool qkv_bias = false;       // in the query, key and value projections only
  bool fused_qkv = false;      // stored as one matrix (GPT-2, Falcon, MPT, NeoX, BLOOM, Phi-3, ChatGLM ...)
  bool fused_gate_up = false;  // gate and up stored as one matrix (Phi-3, GLM-4)
  bool falcon = false;         // first Falcon family: llama.cpp's quantiser treats it apart
  double mlp_layers = 0.0;     // 0 = every layer has one
  AttentionKind attention = AttentionKind::mha;
  double attention_layers = 0.0;  // layers with a key-value cache
  double sliding_window = 0.0;    // 0 = none
  double sliding_layers = 0.0;
  double global_head_dim = 0.0;  // 0 = head_dim
  double global_kv_heads = 0.0;
  bool gated_query = false;      // query projection twice as wide
  bool position_scores = false;  // relative positions are added to the scores, so no fused kernel runs (T5, XLNet)
  Mla mla;
  MixtureOfExperts moe;
  LinearState linear;
  double max_context = 0.0;
  double position_embeddings = 0.0;  // learned rows
  double vision_params = 0.0;
  double image_tokens = 0.0;
  double extra_params = 0.0;  // adapters, multi-token prediction
  double mtp_layers = 0.0;
  bool fp8_keeps_attention = false;  // the publisher's FP8 checkpoint leaves attention in 16 bits
  bool from_memory = false;          // shape and count rest on memory alone
  bool nearest_family = false;       // no such architecture is known: read as the nearest one's
  StoredWeights stored;
};

enum class DenoiserKind : std::uint8_t { unet, dit, mmdit, uvit };

struct DiffusionComponent {
  std::string_view name;
  double params = 0.0;
};

// A diffusion pipeline: denoiser, text encoders, autoencoder.
struct DiffusionPipeline {
  DenoiserKind denoiser = DenoiserKind::dit;
  double denoiser_params = 0.0;
  double blocks = 0.0;
  double hidden = 0.0;
  double ffn_mult = 4.0;
  double patch = 2.0;
  double vae_spatial = 8.0;
  double vae_temporal = 1.0;
  double latent_channels = 4.0;
  double text_tokens = 77.0;
  double vae_params = 0.0;
  double width_px = 512.0;
  double height_px = 512.0;
  double frames = 1.0;
  double default_steps = 0.0;
  FixedList<DiffusionComponent, 4> text_encoders;
  FixedList<DiffusionComponent, 3> extras;  // safety checker, image encoder
  FixedList<double, 4> channels;            // U-Net widths
  FixedList<double, 4> transformer_depth;
  double double_blocks = 0.0;
  double single_blocks = 0.0;
  std::optional<double> saved_per_token_block;  // training: saved bytes of a token in a block / hidden
  std::optional<double> saved_fp32_512_gib;     // U-Nets: one 512x512 sample, fp32 / 16-bit adapter
  std::optional<double> saved_16bit_512_gib;
  std::optional<double> fused_qkv_extra_params;
  std::optional<double> vae_decode_gib;  // video: whole clip without tiling
  std::optional<double> step_tflop;      // one denoiser evaluation at the default size
  std::optional<double> step_traffic_gb;
  bool vae_fp32 = false;  // the pipeline upcasts its autoencoder
  bool infer_bf16 = false;
};

// A table of embedding rows with small networks around it.
struct RecommenderShape {
  double rows = 0.0;
  double dim = 0.0;
  double dense_params = 0.0;
};

struct Model {
  std::string_view id;
  std::string_view name;  // as its publisher writes it; may equal id
  std::string_view hf_id;
  std::string_view family;
  Field field = Field::vision;
  std::string_view source;
  std::variant<ImageProfile, TransformerShape, DiffusionPipeline, RecommenderShape> shape;

  [[nodiscard]] const ImageProfile* image() const { return std::get_if<ImageProfile>(&shape); }
  [[nodiscard]] const TransformerShape* transformer() const { return std::get_if<TransformerShape>(&shape); }
  [[nodiscard]] const DiffusionPipeline* diffusion() const { return std::get_if<DiffusionPipeline>(&shape); }
  [[nodiscard]] const RecommenderShape* recommender() const { return std::get_if<RecommenderShape>(&shape); }
  [[nodiscard]] double params() const;
};

}  // namespace gpuadvise
