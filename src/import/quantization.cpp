#include "import/quantization.hpp"

#include "units/lower_case.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace gpuadvise::importer {
namespace {

using nlohmann::json;

std::string text_of(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

double number_of(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0.0;
}

bool flag_of(const json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

struct MethodRow {
  std::string_view method;
  double bits;  // 0 = any
  std::string_view precision;
};

// Methods whose name and width say the format.
constexpr auto k_methods = std::to_array<MethodRow>({
    {"gptq", 8, "int8-gptq"},
    {"gptq", 4, "int4-gptq"},
    {"gptq", 3, "int3-gptq"},
    {"awq", 0, "int4-awq"},
    {"fp8", 0, "fp8"},
    {"fbgemm_fp8", 0, "fp8"},
    {"mxfp4", 0, "mxfp4"},
    {"hqq", 0, "hqq"},
    {"auto-round", 4, "int4-gptq"},
    {"auto-round", 8, "int8-gptq"},
    {"eetq", 0, "int8-weight-only"},
    {"intel/auto-round", 4, "int4-gptq"},
});

double first_number(const json& config, std::span<const std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (const double value = number_of(config, key); value > 0) {
      return value;
    }
  }
  return 0;
}

// config_groups: {group_0: {weights: {num_bits, type, group_size}}}.
Quantization compressed(const json& config) {
  Quantization result{{}, "compressed-tensors", 0};
  const std::string format = text_of(config, "format");
  const auto groups = config.find("config_groups");
  if (groups == config.end() || !groups->is_object() || groups->empty()) {
    return result;
  }
  const json& group = groups->begin().value();
  const auto weights = group.is_object() ? group.find("weights") : group.end();
  if (!group.is_object() || weights == group.end() || !weights->is_object()) {
    return result;
  }
  result.bits = number_of(*weights, "num_bits");
  const bool floating = text_of(*weights, "type") == "float";
  const auto inputs = group.find("input_activations");
  const bool dynamic = inputs != group.end() && inputs->is_object();
  if (format.find("nvfp4") != std::string::npos || (floating && result.bits == 4)) {
    result.precision = format.find("mxfp4") != std::string::npos ? "mxfp4" : "nvfp4";
  } else if (floating && result.bits == 8) {
    result.precision = "fp8";
  } else if (result.bits == 8) {
    result.precision = dynamic ? "int8" : "int8-gptq";
  } else if (result.bits == 4) {
    result.precision = "int4-gptq";
  }
  return result;
}

Quantization bitsandbytes(const json& config) {
  Quantization result{{}, "bitsandbytes", 0};
  if (flag_of(config, "load_in_4bit")) {
    result.bits = 4;
    result.precision = "nf4";
  } else if (flag_of(config, "load_in_8bit")) {
    result.bits = 8;
    result.precision = "int8";
  }
  return result;
}

Quantization modelopt(const json& config) {
  const std::string algorithm = lower_case(text_of(config, "quant_algo"));
  if (algorithm.find("nvfp4") != std::string::npos) {
    return {"nvfp4", "modelopt", 4};
  }
  if (algorithm.find("fp8") != std::string::npos) {
    return {"fp8", "modelopt", 8};
  }
  if (algorithm.find("awq") != std::string::npos) {
    return {"int4-awq", "modelopt", 4};
  }
  return {{}, "modelopt", 0};
}

}  // namespace

Quantization read_quantization(const json& config) {
  if (!config.is_object()) {
    return {};
  }
  const std::string method = lower_case(text_of(config, "quant_method"));
  if (method == "compressed-tensors") {
    return compressed(config);
  }
  if (method == "bitsandbytes" || (method.empty() && (flag_of(config, "load_in_4bit") || flag_of(config, "load_in_8bit")))) {
    return bitsandbytes(config);
  }
  if (method.starts_with("modelopt")) {
    return modelopt(config);
  }
  Quantization result{{}, method, first_number(config, std::array<std::string_view, 3>{"bits", "w_bit", "nbits"})};
  // MLX writes {"bits": 4, "group_size": 64} without a method.
  if (method.empty() && result.bits > 0) {
    const double group = number_of(config, "group_size");
    result.method = "mlx";
    result.precision = "mlx:" + std::to_string(static_cast<int>(std::min(result.bits, 16.0))) + "g" +
                       std::to_string(static_cast<int>(group > 0 ? std::min(group, 4096.0) : 64));
    return result;
  }
  for (const MethodRow& row : k_methods) {
    if (row.method == method && (row.bits == 0 || row.bits == result.bits)) {
      result.precision = row.precision;
      break;
    }
  }
  return result;
}

std::string_view precision_of_dtype(std::string_view dtype) {
  struct Row {
    std::string_view dtype;
    std::string_view precision;
  };
  static constexpr auto rows = std::to_array<Row>({{"bfloat16", "bf16"},
                                                   {"float16", "fp16"},
                                                   {"float32", "fp32"},
                                                   {"half", "fp16"},
                                                   {"BF16", "bf16"},
                                                   {"F16", "fp16"},
                                                   {"F32", "fp32"},
                                                   {"F8_E4M3", "fp8"},
                                                   {"F8_E5M2", "fp8"},
                                                   {"I8", "int8"},
                                                   {"F4", "nvfp4"}});
  if (dtype.starts_with("torch.")) {
    dtype.remove_prefix(6);
  }
  for (const Row& row : rows) {
    if (row.dtype == dtype) {
      return row.precision;
    }
  }
  return {};
}

std::string precision_of_tensors(const TensorFacts& facts, const Quantization& stated) {
  if (!stated.precision.empty()) {
    return stated.precision;
  }
  if (facts.packing == "gptq or awq" || facts.packing == "compressed-tensors") {
    return stated.bits == 8 ? "int8-gptq" : "int4-gptq";
  }
  if (facts.packing == "mxfp4") {
    return "mxfp4";
  }
  if (facts.packing == "mlx") {
    return "mlx:4g64";
  }
  if (facts.packing == "4-bit") {
    return "nf4";
  }
  return facts.types.empty() ? std::string{} : std::string(precision_of_dtype(facts.types.front().type));
}

}  // namespace gpuadvise::importer
