// From a value as given (text of the command line, any kind of JSON) to what a key means. nullopt: not understood.
#pragma once

#include <gpuadvise/workload.hpp>

#include <optional>
#include <string_view>

namespace gpuadvise::workload {

// 12, 12.0, "12", "b12"; with suffixes, "7B" and "2k" too.
[[nodiscard]] std::optional<double> to_number(const Value& value);
[[nodiscard]] std::optional<bool> to_boolean(const Value& value);
// 224 -> 224x224; [h, w]; [frames, h, w]; "800x1333"; "16x224x224"; "512x512x16f". Unstated frames are 0.
[[nodiscard]] std::optional<ImageSize> to_image(const Value& value);
// "WxH", "WxHxNf", a number, [w, h].
[[nodiscard]] std::optional<ImageSize> to_resolution(const Value& value);
[[nodiscard]] std::optional<KvPrecision> to_kv_precision(std::string_view text);
[[nodiscard]] std::optional<Offload> to_offload(std::string_view text);
[[nodiscard]] std::optional<Frozen> to_frozen(const Value& value);

struct ParsedTargets {
  LoraTargets targets;
  std::string_view unknown;  // the first word that is no module name; points into the text
};
// Module names of any family, bare or as paths ("self_attn.q_proj", "c_attn", "to_out.0"), "all-linear", "attention".
[[nodiscard]] ParsedTargets parse_lora_targets(std::string_view text);

[[nodiscard]] std::string to_text(const LoraTargets& targets);
[[nodiscard]] std::string to_text(const Frozen& frozen);
[[nodiscard]] std::string to_text(const Offload& offload);
[[nodiscard]] std::string to_text(const KvPrecision& precision);

}  // namespace gpuadvise::workload
