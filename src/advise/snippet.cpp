#include "advise/snippet.hpp"

#include "advise/snippet_text.hpp"
#include "units/lower_case.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace gpuadvise::advise {

namespace {

bool same_letters(std::string_view a, std::string_view b) {
  const auto letters = [](std::string_view text) {
    std::string out;
    std::copy_if(text.begin(), text.end(), std::back_inserter(out),
                 [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    return lower_case(out);
  };
  return letters(a) == letters(b);
}

std::string safe_name(std::string name) {
  if (name.empty()) {
    name = "path/to/model";
  }
  std::replace_if(
      name.begin(), name.end(),
      [](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !letter && std::string_view("._-/:+").find(c) == std::string_view::npos;
      },
      '-');
  return name;
}

}  // namespace

std::string model_name(const Request& request) {
  return safe_name(request.model_text.empty() ? request.model_file : request.model_text);
}

std::string checkpoint_name(const Request& request) {
  // An id with more to it ("-instruct") is another checkpoint than the one the catalog knows.
  const bool plain = same_letters(request.model_text, request.model.id) || same_letters(request.model_text, request.model.name);
  return plain && !request.model.hf_id.empty() ? safe_name(std::string(request.model.hf_id)) : model_name(request);
}

std::string compute_dtype(const Workload& workload) {
  switch (workload.precision.kind) {
    case PrecisionKind::fp32:
    case PrecisionKind::tf32:
      return "float32";
    case PrecisionKind::amp_fp16:
    case PrecisionKind::fp16:
      return "float16";
    default:
      return "bfloat16";
  }
}

std::string command_block(std::string_view comment, const std::vector<std::string>& parts) {
  Block bash("bash");
  bash.add_if(!comment.empty(), comment);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    bash.add((i > 0 ? "  " : "") + parts[i] + (i + 1 < parts.size() ? " \\" : ""));
  }
  return bash.closed();
}

bool uses_deepspeed(const Workload& workload) {
  const bool zero = workload.strategy == Strategy::zero1 || workload.strategy == Strategy::zero2 || workload.strategy == Strategy::zero3;
  const bool offloads = workload.offload.kind == OffloadKind::optimizer || workload.offload.kind == OffloadKind::params;
  return workload.training() && (zero || (offloads && workload.strategy != Strategy::fsdp));
}

std::string deepspeed_block(const Workload& workload) {
  if (!uses_deepspeed(workload)) {
    return {};
  }
  const bool params = workload.offload.kind == OffloadKind::params;
  const bool optimizer = params || workload.offload.kind == OffloadKind::optimizer;
  const std::string stage = params || workload.strategy == Strategy::zero3 ? "3" : workload.strategy == Strategy::zero1 ? "1" : "2";
  const std::string dtype = compute_dtype(workload);
  Block json("json");
  json.add("{").add("  \"train_micro_batch_size_per_gpu\": " + whole_text(workload.batch) + ",");
  json.add("  \"gradient_accumulation_steps\": " + whole_text(workload.accumulate) + ",");
  json.add_if(dtype == "bfloat16", "  \"bf16\": {\"enabled\": true},").add_if(dtype == "float16", "  \"fp16\": {\"enabled\": true},");
  json.add("  \"zero_optimization\": {");
  json.add_if(params, "    \"offload_param\": {\"device\": \"cpu\", \"pin_memory\": true},");
  json.add_if(optimizer, "    \"offload_optimizer\": {\"device\": \"cpu\", \"pin_memory\": true},");
  json.add("    \"stage\": " + stage).add("  }").add("}");
  return "ds_config.json:\n" + json.closed();
}

std::string snippet(const Request& request, const Remedy& remedy) {
  if (remedy.id == "next_card_up" || remedy.id == "rent") {
    return {};
  }
  const Workload& w = remedy.workload;
  // Tables are dealt out or kept on the host by torchrec, each for itself: there is no short text of it.
  if (request.model.recommender() != nullptr && (w.all_gpus() > 1.0 || w.offload.kind != OffloadKind::none)) {
    return {};
  }
  const SnippetSubject subject{request, remedy};
  if (!remedy.workload.training()) {
    return inference_snippet(subject);
  }
  std::string own = stack_snippet(subject);
  return own.empty() ? training_snippet(subject) : own;
}

}  // namespace gpuadvise::advise
