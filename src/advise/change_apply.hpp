// What each change does to a request; see change.hpp. Each is false where it does not apply.
#pragma once

#include "advise/change.hpp"

namespace gpuadvise::advise {

bool use_sdpa(Changed& c);
bool use_fused_loss(Changed& c);
bool use_mixed_precision(Changed& c);
bool keep_weights_in_bf16(Changed& c);
bool checkpoint_selectively(Changed& c);
bool checkpoint_all(Changed& c);
bool use_8bit_optimizer(Changed& c);
bool page_optimizer(Changed& c);
bool adapt_with_lora(Changed& c);
bool adapt_with_qlora(Changed& c);
bool use_plain_sgd(Changed& c);
bool move_activations_to_host(Changed& c);
bool move_optimizer_to_host(Changed& c);
bool move_params_to_host(Changed& c);
bool accumulate_gradients(Changed& c);

bool run_in_half_precision(Changed& c);
bool use_8bit_cache(Changed& c);
bool quantise_to_8_bits(Changed& c);
bool quantise_to_4_bits(Changed& c);
bool run_in_llama_cpp(Changed& c);
bool decode_in_tiles(Changed& c);
bool move_idle_models_to_host(Changed& c);
bool move_modules_to_host(Changed& c);
bool move_experts_to_host(Changed& c);
bool move_layers_to_host(Changed& c);
bool take_fewer_requests(Changed& c);
bool take_smaller_batch(Changed& c);

bool shorten_sequence(Changed& c);
bool shrink_image(Changed& c);
bool share_batch(Changed& c);
bool shard_over_gpus(Changed& c);

}  // namespace gpuadvise::advise
