#include "estimate/memory/transformer_training_activations.hpp"

#include "estimate/memory/transformer_training_layers.hpp"
#include "estimate/memory/transformer_training_loss.hpp"
#include "estimate/memory/transformer_training_vision.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

// A block in recomputation: what it keeps, and the gradients in flight through it. fitted with the method's rows
constexpr double k_recomputed_block = 1.6;
// Selective checkpointing keeps the products of matrices and attention. prior
constexpr double k_selective_share = 0.6;
// torch.compile fuses what is pointwise: fitted on 4 figures of one source, prior
constexpr double k_compiled_share = 0.6;
constexpr double k_compiled_block = 0.8;
// Offloaded activations: two layers are on the card on their way out or in.
constexpr double k_layers_in_transit = 2;
// A speech encoder sees 30 s at 50 frames a second, whatever the text's length. counted (Whisper)
constexpr double k_speech_frames = 1500;

struct Sequences {
  double encoder_tokens = 0;  // of one micro-batch
  double encoder_length = 0;
  double decoder_tokens = 0;
};

Sequences sequences(const Workload& w, const TransformerShape& s, double context) {
  const double length = s.kind == TransformerKind::speech ? k_speech_frames : w.seq;
  return {w.batch * length / context, length, s.decoder_layers > 0 ? w.batch * w.seq / context : 0};
}

// Bytes of one token in one block on one GPU of a tensor-parallel group.
double per_token(const BlockBytes& b, const Parallel& parallel) {
  const double split = b.attention + b.scores + b.feed_forward + b.adapters;
  const double whole = b.norms + b.dropout;
  return split / parallel.tensor + whole / (parallel.sequence_parallel ? parallel.tensor : 1.0);
}

// A decoder block that also attends to the encoder keeps one more query, output and norm, and keys and values of the
// encoder's tokens, which are counted with the decoder's for simplicity.
constexpr double k_cross_attention_share = 1.4;

}  // namespace

StepBytes step_bytes(const Workload& w, const TransformerShape& s, const TrainingMode& mode, const StackBehaviour& stack,
                     const Parallel& parallel) {
  const Sequences sequence = sequences(w, s, parallel.context);
  const BlockBytes block = block_bytes(w, s, mode, stack, sequence.encoder_length);
  const double layer = sequence.encoder_tokens * per_token(block, parallel);
  const double decoder_layer = sequence.decoder_tokens * per_token(block, parallel) * k_cross_attention_share;
  // The first stage of a pipeline holds as many micro-batches as there are stages.
  const double stages = parallel.pipeline;
  const double saved = layer * s.layers + decoder_layer * s.decoder_layers;
  const double stream = s.hidden * mode.residual / (parallel.sequence_parallel ? parallel.tensor : 1.0);
  const double checkpoints = stream * (sequence.encoder_tokens * s.layers + sequence.decoder_tokens * s.decoder_layers);
  const double compiled = w.compile ? k_compiled_share : 1.0;
  const double recomputed = k_recomputed_block * std::max(layer, decoder_layer) * (w.compile ? k_compiled_block : 1.0);
  const double loss_tokens = sequence.decoder_tokens > 0 ? sequence.decoder_tokens : sequence.encoder_tokens;
  const double logits = loss_bytes(w, s, mode, stack, loss_tokens, parallel.tensor);
  const double layers = std::max(1.0, all_layers(s));
  const double on_card = w.offload.kind == OffloadKind::activations ? std::min(1.0, k_layers_in_transit / layers) : 1.0;

  StepBytes bytes;
  bytes.logits = logits;
  double kept = compiled * saved;
  if (w.checkpointing == Checkpointing::full) {
    kept = checkpoints;
    // The loss is over before the first block is recomputed.
    if (recomputed > logits) {
      bytes.activations = recomputed;
      bytes.logits = 0;
    }
  } else if (w.checkpointing == Checkpointing::selective) {
    kept *= k_selective_share;
  }
  // A pipeline of p stages has 1/p of the layers and p micro-batches in flight.
  kept *= std::ceil(layers / stages) / layers * std::min(stages, std::max(1.0, w.accumulate > 1 ? w.accumulate : stages));
  bytes.activations += kept * on_card + vision_tower_bytes(w, s, mode);
  bytes.host = kept * (1 - on_card);
  return bytes;
}

}  // namespace gpuadvise::estimate
