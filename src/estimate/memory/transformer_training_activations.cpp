#include "estimate/memory/transformer_training_activations.hpp"

#include "estimate/memory/transformer_training_layers.hpp"
#include "estimate/memory/transformer_training_loss.hpp"
#include "estimate/memory/transformer_training_vision.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::estimate {
namespace {

// Gradients in flight through a block, as a share of what it keeps. fitted on 211 figures
constexpr double k_block_in_flight = 0.6;
// ... and for every element of an eager score matrix: gradients of the dropped and the plain softmax and of its input.
// fitted on 2 long ChatGLM3 runs (19 with the 5 that are kept), prior
constexpr double k_score_in_flight_bytes = 14;
// Selective checkpointing keeps every other matrix product, attention outputs and the block's input: counted for the
// Llama shape, 0.27 to 0.31 of what is kept without.
constexpr double k_selective_share = 0.3;
// torch.compile fuses what is pointwise. fitted on 4 figures of one source, prior
constexpr double k_compiled_share = 0.6;
constexpr double k_compiled_block = 0.8;
// Offloaded activations: two layers are on the card, on their way out or in.
constexpr double k_layers_in_transit = 2;
// A speech encoder sees 30 s at 50 frames a second, whatever the text's length. counted (Whisper)
constexpr double k_speech_frames = 1500;
// A decoder block that also attends to the encoder keeps a second query, key, value, output and norm. counted
constexpr double k_cross_attention = 1.4;

// Tokens of one micro-batch on one GPU.
struct Tokens {
  double encoder = 0;
  double decoder = 0;  // encoder-decoder models only
  double length = 0;   // that attention sees
};

// A pipeline cuts the batch of a step into as many micro-batches as it has stages; layers that are merely spread over
// GPUs work one after another.
bool pipelined(const Workload& w) {
  return w.strategy != Strategy::layer_split;
}

double micro_batch(const Workload& w, const Parallel& parallel) {
  return w.accumulate > 1 || !pipelined(w) ? w.batch : std::max(1.0, w.batch / parallel.pipeline);
}

Tokens tokens(const Workload& w, const TransformerShape& s, const Parallel& parallel) {
  const double length = s.kind == TransformerKind::speech ? k_speech_frames : w.seq;
  const double batch = micro_batch(w, parallel) / parallel.context;
  return {batch * length, s.decoder_layers > 0 ? batch * w.seq : 0, length};
}

// Tensor parallelism splits heads and feed-forward; norms only where the sequence is split between them too.
double one_token(const BlockBytes& b, const Parallel& parallel) {
  const double split = b.attention + b.scores + b.feed_forward + b.adapters;
  const double whole = b.norms + b.dropout;
  return split / parallel.tensor + whole / (parallel.sequence_parallel ? parallel.tensor : 1.0);
}

// Of all blocks of the model, before a pipeline divides them.
struct BlockSums {
  double kept = 0;         // everything for the backward pass
  double checkpoints = 0;  // the stream between blocks alone
  double largest = 0;      // one block
  double in_flight = 0;    // gradients through one block, and a 4-bit layer expanded for its product
};

BlockSums block_sums(const Workload& w, const TransformerShape& s, const TrainingMode& mode, const StackBehaviour& stack,
                     const Parallel& parallel) {
  const Tokens t = tokens(w, s, parallel);
  const BlockBytes block = block_bytes(w, s, mode, stack, t.length);
  const double encoder = t.encoder * one_token(block, parallel);
  const double decoder = t.decoder * one_token(block, parallel) * k_cross_attention;
  const double stream = s.hidden * mode.residual / (parallel.sequence_parallel ? parallel.tensor : 1.0);
  const double scores = t.encoder * block.scores / parallel.tensor;
  BlockSums sums;
  sums.kept = (w.compile ? k_compiled_share : 1.0) * (encoder * s.layers + decoder * s.decoder_layers);
  sums.checkpoints = stream * (t.encoder * s.layers + t.decoder * s.decoder_layers);
  const double compiled = w.compile ? k_compiled_block : 1.0;
  sums.largest = compiled * std::max(encoder, decoder);
  const double score_elements = writes_scores(w, s) ? t.encoder * s.heads * t.length / parallel.tensor : 0;
  sums.in_flight = k_block_in_flight * std::max(0.0, sums.largest - scores) + k_score_in_flight_bytes * score_elements;
  if (mode.storage != BaseStorage::plain) {
    sums.in_flight += 2 * 2 * largest_linear(s) / parallel.tensor;
  }
  return sums;
}

// Layers of the first stage; it holds as many micro-batches as there are stages.
double pipeline_share(const Workload& w, double layers, double stages) {
  return std::ceil(layers / stages) / layers * (pipelined(w) ? stages : 1.0);
}

}  // namespace

StepBytes step_bytes(const Workload& w, const TransformerShape& s, const TrainingMode& mode, const StackBehaviour& stack,
                     const Parallel& parallel) {
  const BlockSums blocks = block_sums(w, s, mode, stack, parallel);
  const Tokens t = tokens(w, s, parallel);
  const double loss_tokens = t.decoder > 0 ? t.decoder : t.encoder;
  const double layers = std::max(1.0, all_layers(s));
  const double on_card = w.offload.kind == OffloadKind::activations ? std::min(1.0, k_layers_in_transit / layers) : 1.0;

  double kept = blocks.kept;
  double in_work = blocks.in_flight;
  if (w.checkpointing == Checkpointing::full) {
    kept = blocks.checkpoints;
    in_work += blocks.largest;
  } else if (w.checkpointing == Checkpointing::selective) {
    kept = std::max(blocks.checkpoints, k_selective_share * blocks.kept / (w.compile ? k_compiled_share : 1.0));
  }
  kept *= pipeline_share(w, layers, parallel.pipeline);

  StepBytes bytes;
  bytes.activations = kept * on_card + vision_tower_bytes(w, s, mode);
  bytes.host = kept * (1 - on_card);
  // The loss is over before the first block is run backwards: the larger of the two makes the peak.
  const double logits = loss_bytes(w, s, mode, stack, loss_tokens, parallel.tensor);
  if (logits >= in_work) {
    bytes.logits = logits;
  } else {
    bytes.activations += in_work;
  }
  return bytes;
}

}  // namespace gpuadvise::estimate
