// Every field of the catalog's structs by name, once: the JSON readers, the data compiler, `show` and the lint all walk these.
// A visitor is called as visitor("name", member) in declaration order; names are the keys of the data files.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>

#include <concepts>
#include <type_traits>

namespace gpuadvise::catalog {

template <class T, class U>
concept MaybeConst = std::same_as<std::remove_const_t<T>, U>;

template <class V, MaybeConst<PeakRates> T>
void visit_fields(V&& v, T& x) {
  v("fp64", x.fp64);
  v("fp32", x.fp32);
  v("fp16_vector", x.fp16_vector);
  v("fp16_tensor", x.fp16_tensor);
  v("bf16_tensor", x.bf16_tensor);
  v("tf32_tensor", x.tf32_tensor);
  v("fp8_tensor", x.fp8_tensor);
  v("int8_tensor", x.int8_tensor);
  v("fp4_tensor", x.fp4_tensor);
}

template <class V, MaybeConst<SoftwareSupport> T>
void visit_fields(V&& v, T& x) {
  v("first_torch", x.first_torch);
  v("last_torch", x.last_torch);
  v("last_driver_branch", x.last_driver_branch);
  v("driver_end_of_life", x.driver_end_of_life);
  v("last_toolkit", x.last_toolkit);
  v("wheels", x.wheels);
  v("stack", x.stack);
  v("note", x.note);
  v("end_of_support", x.end_of_support);
}

template <class V, MaybeConst<Gpu> T>
void visit_fields(V&& v, T& x) {
  v("id", x.id);
  v("name", x.name);
  v("vendor", x.vendor);
  v("segment", x.segment);
  v("form_factor", x.form_factor);
  v("architecture", x.architecture);
  v("family", x.family);
  v("chip", x.chip);
  v("compute_capability", x.compute_capability);
  v("gfx_target", x.gfx_target);
  v("release_date", x.release_date);
  v("launch_price_usd", x.launch_price_usd);
  v("availability", x.availability);
  v("memory_gib", x.memory_gib);
  v("reported_memory_mib", x.reported_memory_mib);
  v("memory_type", x.memory_type);
  v("memory_bus_bits", x.memory_bus_bits);
  v("memory_data_rate_gbps", x.memory_data_rate_gbps);
  v("memory_bandwidth_gb_s", x.memory_bandwidth_gb_s);
  v("ecc", x.ecc);
  v("unified_memory", x.unified_memory);
  v("gpus_per_board", x.gpus_per_board);
  v("shaders", x.shaders);
  v("tensor_cores", x.tensor_cores);
  v("sm_count", x.sm_count);
  v("boost_clock_mhz", x.boost_clock_mhz);
  v("l2_cache_mib", x.l2_cache_mib);
  v("infinity_cache_mib", x.infinity_cache_mib);
  v("tflops", x.tflops);
  v("measured_bf16_tflops", x.measured_bf16_tflops);
  v("measured_fp16_tflops", x.measured_fp16_tflops);
  v("fp32_dual_issue", x.fp32_dual_issue);
  v("pcie_generation", x.pcie_generation);
  v("pcie_lanes", x.pcie_lanes);
  v("link_gb_s", x.link_gb_s);
  v("link_max_gpus", x.link_max_gpus);
  v("link_kind", x.link_kind);
  v("tdp_w", x.tdp_w);
  v("recommended_psu_w", x.recommended_psu_w);
  v("power_connectors", x.power_connectors);
  v("slot_width", x.slot_width);
  v("length_mm", x.length_mm);
  v("display_outputs", x.display_outputs);
  v("cooling", x.cooling);
  v("support", x.support);
  v("derived", x.derived);
  v("from_memory", x.from_memory);
}

template <class V, MaybeConst<Price> T>
void visit_fields(V&& v, T& x) {
  v("gpu_id", x.gpu_id);
  v("usd", x.usd);
  v("kind", x.kind);
  v("as_of", x.as_of);
  v("source", x.source);
}

template <class V, MaybeConst<CloudOffer> T>
void visit_fields(V&& v, T& x) {
  v("gpu_id", x.gpu_id);
  v("provider", x.provider);
  v("instance", x.instance);
  v("gpus", x.gpus);
  v("usd_per_gpu_hour", x.usd_per_gpu_hour);
  v("kind", x.kind);
  v("as_of", x.as_of);
  v("source", x.source);
}

template <class V, MaybeConst<PeakLine> T>
void visit_fields(V&& v, T& x) {
  v("constant_bytes", x.constant_bytes);
  v("per_image_bytes", x.per_image_bytes);
}

template <class V, MaybeConst<AllocatorSample> T>
void visit_fields(V&& v, T& x) {
  v("batch", x.batch);
  v("allocated_bytes", x.allocated_bytes);
  v("reserved_bytes", x.reserved_bytes);
}

template <class V, MaybeConst<SavedAtImage> T>
void visit_fields(V&& v, T& x) {
  v("image", x.image);
  v("saved_bytes", x.saved_bytes);
}

template <class V, MaybeConst<ImageProfile> T>
void visit_fields(V&& v, T& x) {
  v("params", x.params);
  v("buffers", x.buffers);
  v("gmacs", x.gmacs);
  v("activations_m", x.activations_m);
  v("image", x.image);
  v("image_height", x.image_height);
  v("frames", x.frames);
  v("channels", x.channels);
  v("fixed_image", x.fixed_image);
  v("saved_bytes", x.saved_bytes);
  v("saved_amp_bytes", x.saved_amp_bytes);
  v("amp_weight_cast_bytes", x.amp_weight_cast_bytes);
  v("source", x.source);
  v("depthwise", x.depthwise);
  v("attention", x.attention);
  v("batchnorms", x.batchnorms);
  v("layernorms", x.layernorms);
  v("convs", x.convs);
  v("spatial_convs", x.spatial_convs);
  v("dense3x3_io_bytes", x.dense3x3_io_bytes);
  v("grouped_io_bytes", x.grouped_io_bytes);
  v("dense_large_io_bytes", x.dense_large_io_bytes);
  v("largest_conv_weight_bytes", x.largest_conv_weight_bytes);
  v("eager_scores", x.eager_scores);
  v("peak_lines", x.peak_lines);
  v("peak_lines_amp", x.peak_lines_amp);
  v("allocator", x.allocator);
  v("saved_at", x.saved_at);
  v("forward_operators", x.forward_operators);
}

template <class V, MaybeConst<Mla> T>
void visit_fields(V&& v, T& x) {
  v("q_lora_rank", x.q_lora_rank);
  v("kv_lora_rank", x.kv_lora_rank);
  v("qk_nope_head_dim", x.qk_nope_head_dim);
  v("qk_rope_head_dim", x.qk_rope_head_dim);
  v("v_head_dim", x.v_head_dim);
}

template <class V, MaybeConst<MixtureOfExperts> T>
void visit_fields(V&& v, T& x) {
  v("experts", x.experts);
  v("active", x.active);
  v("shared", x.shared);
  v("expert_ffn", x.expert_ffn);
  v("shared_ffn", x.shared_ffn);
  v("dense_layers", x.dense_layers);
  v("moe_layers", x.moe_layers);
  v("dense_residual_ffn", x.dense_residual_ffn);
  v("expert_bias", x.expert_bias);
}

template <class V, MaybeConst<LinearState> T>
void visit_fields(V&& v, T& x) {
  v("kind", x.kind);
  v("layers", x.layers);
  v("inner", x.inner);
  v("state", x.state);
  v("groups", x.groups);
  v("heads", x.heads);
  v("head_dim", x.head_dim);
  v("conv", x.conv);
  v("key_heads", x.key_heads);
  v("key_dim", x.key_dim);
  v("value_heads", x.value_heads);
  v("value_dim", x.value_dim);
  v("dt_rank", x.dt_rank);
}

template <class V, MaybeConst<StoredWeights> T>
void visit_fields(V&& v, T& x) {
  v("precision", x.precision);
  v("bytes", x.bytes);
  v("embedding_bytes", x.embedding_bytes);
  v("head_bytes", x.head_bytes);
}

template <class V, MaybeConst<TransformerShape> T>
void visit_fields(V&& v, T& x) {
  v("kind", x.kind);
  v("params", x.params);
  v("active_params", x.active_params);
  v("params_published", x.params_published);
  v("layers", x.layers);
  v("decoder_layers", x.decoder_layers);
  v("hidden", x.hidden);
  v("heads", x.heads);
  v("kv_heads", x.kv_heads);
  v("head_dim", x.head_dim);
  v("ffn", x.ffn);
  v("vocab", x.vocab);
  v("tied_embeddings", x.tied_embeddings);
  v("gated_mlp", x.gated_mlp);
  v("bias", x.bias);
  v("qkv_bias", x.qkv_bias);
  v("fused_qkv", x.fused_qkv);
  v("fused_gate_up", x.fused_gate_up);
  v("falcon", x.falcon);
  v("mlp_layers", x.mlp_layers);
  v("attention", x.attention);
  v("attention_layers", x.attention_layers);
  v("sliding_window", x.sliding_window);
  v("sliding_layers", x.sliding_layers);
  v("global_head_dim", x.global_head_dim);
  v("global_kv_heads", x.global_kv_heads);
  v("gated_query", x.gated_query);
  v("position_scores", x.position_scores);
  v("mla", x.mla);
  v("moe", x.moe);
  v("linear", x.linear);
  v("max_context", x.max_context);
  v("position_embeddings", x.position_embeddings);
  v("vision_params", x.vision_params);
  v("image_tokens", x.image_tokens);
  v("extra_params", x.extra_params);
  v("mtp_layers", x.mtp_layers);
  v("fp8_keeps_attention", x.fp8_keeps_attention);
  v("from_memory", x.from_memory);
  v("nearest_family", x.nearest_family);
  v("stored", x.stored);
}

template <class V, MaybeConst<DiffusionComponent> T>
void visit_fields(V&& v, T& x) {
  v("name", x.name);
  v("params", x.params);
}

template <class V, MaybeConst<DiffusionPipeline> T>
void visit_fields(V&& v, T& x) {
  v("denoiser", x.denoiser);
  v("denoiser_params", x.denoiser_params);
  v("blocks", x.blocks);
  v("hidden", x.hidden);
  v("ffn_mult", x.ffn_mult);
  v("patch", x.patch);
  v("vae_spatial", x.vae_spatial);
  v("vae_temporal", x.vae_temporal);
  v("latent_channels", x.latent_channels);
  v("text_tokens", x.text_tokens);
  v("vae_params", x.vae_params);
  v("width_px", x.width_px);
  v("height_px", x.height_px);
  v("frames", x.frames);
  v("default_steps", x.default_steps);
  v("text_encoders", x.text_encoders);
  v("extras", x.extras);
  v("channels", x.channels);
  v("transformer_depth", x.transformer_depth);
  v("double_blocks", x.double_blocks);
  v("single_blocks", x.single_blocks);
  v("saved_per_token_block", x.saved_per_token_block);
  v("saved_fp32_512_gib", x.saved_fp32_512_gib);
  v("saved_16bit_512_gib", x.saved_16bit_512_gib);
  v("fused_qkv_extra_params", x.fused_qkv_extra_params);
  v("vae_decode_gib", x.vae_decode_gib);
  v("step_tflop", x.step_tflop);
  v("step_traffic_gb", x.step_traffic_gb);
  v("vae_fp32", x.vae_fp32);
  v("infer_bf16", x.infer_bf16);
}

template <class V, MaybeConst<RecommenderShape> T>
void visit_fields(V&& v, T& x) {
  v("rows", x.rows);
  v("dim", x.dim);
  v("dense_params", x.dense_params);
}

// Whether a type has fields to walk.
template <class T>
concept HasFields = requires(T& x) {
  visit_fields([](auto&&...) {}, x);
};

}  // namespace gpuadvise::catalog
