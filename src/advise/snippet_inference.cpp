// Inference as each engine is started.
#include "advise/snippet_text.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace gpuadvise::advise {
namespace {

bool eight_bits(const Precision& precision) {
  return precision.kind == PrecisionKind::int8 || precision.kind == PrecisionKind::int8_dynamic ||
         precision.kind == PrecisionKind::int8_weight_only;
}

bool four_bits(const Precision& precision) {
  return precision.kind == PrecisionKind::nf4 || precision.kind == PrecisionKind::int4 || precision.kind == PrecisionKind::int4_weight_only;
}

std::string checkpoint_comment(const Workload& w) {
  switch (w.precision.kind) {
    case PrecisionKind::int4_awq:
      return "# in place of the model's name: an AWQ checkpoint of it";
    case PrecisionKind::int4_gptq:
      return "# in place of the model's name: a GPTQ checkpoint of it";
    default:
      return eight_bits(w.precision) ? "# in place of the model's name: an INT8 (W8A8) checkpoint of it" : "";
  }
}

bool fp8_cache(const Workload& w) {
  return w.kv_precision.k == KvType::fp8;
}

std::string vllm(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  std::vector<std::string> parts{"vllm serve " + checkpoint_name(subject.request), "--max-model-len " + whole_text(w.seq)};
  const auto add = [&parts](bool wanted, std::string part) {
    if (wanted) {
      parts.push_back(std::move(part));
    }
  };
  add(w.concurrency.has_value(), "--max-num-seqs " + whole_text(w.concurrency.value_or(1.0)));
  add(fp8_cache(w), "--kv-cache-dtype fp8");
  add(w.precision.kind == PrecisionKind::fp8, "--quantization fp8");
  add(w.tp > 1.0, "--tensor-parallel-size " + whole_text(w.tp));
  add(w.pp > 1.0, "--pipeline-parallel-size " + whole_text(w.pp));
  return command_block(checkpoint_comment(w), parts);
}

std::string sglang(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  std::vector<std::string> parts{"python3 -m sglang.launch_server --model-path " + checkpoint_name(subject.request),
                                 "--context-length " + whole_text(w.seq)};
  if (w.concurrency) {
    parts.push_back("--max-running-requests " + whole_text(*w.concurrency));
  }
  if (fp8_cache(w)) {
    parts.emplace_back("--kv-cache-dtype fp8_e5m2");
  }
  if (w.tp > 1.0) {
    parts.push_back("--tp " + whole_text(w.tp));
  }
  return command_block(checkpoint_comment(w), parts);
}

std::string tensorrt_llm(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  std::vector<std::string> parts{"trtllm-serve " + checkpoint_name(subject.request), "--max_seq_len " + whole_text(w.seq)};
  if (w.concurrency) {
    parts.push_back("--max_batch_size " + whole_text(*w.concurrency));
  }
  if (w.tp > 1.0) {
    parts.push_back("--tp_size " + whole_text(w.tp));
  }
  std::string files;
  if (fp8_cache(w)) {
    parts.emplace_back("--extra_llm_api_options options.yaml");
    files = "options.yaml:\n" + Block("yaml").add("kv_cache_config:").add("  dtype: fp8").closed();
  }
  return files + command_block(checkpoint_comment(w), parts);
}

std::string llama_cpp(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  std::string file = model_name(subject.request);
  file = file.substr(file.find_last_of('/') + 1);
  const double requests = w.concurrency.value_or(1.0) * w.batch;
  const bool layers = w.offload.kind == OffloadKind::layers;
  const std::string suffix =
      file.ends_with(".gguf") ? "" : "-" + to_string(w.precision).substr(to_string(w.precision).find(':') + 1) + ".gguf";
  // Its context is that of all requests together.
  std::vector<std::string> parts{"llama-server --model " + file + suffix, "--ctx-size " + whole_text(w.seq * requests)};
  parts.push_back("--n-gpu-layers " + (layers ? whole_text(w.offload.layers_on_gpu) : std::string("999")));
  if (requests > 1.0) {
    parts.push_back("--parallel " + whole_text(requests));
  }
  if (w.kv_precision.k == KvType::q8_0 || w.kv_precision.k == KvType::q4_0) {
    const std::string type(to_string(w.kv_precision.k));
    parts.push_back("--cache-type-k " + type + " --cache-type-v " + std::string(to_string(w.kv_precision.v)) + " --flash-attn on");
  }
  if (w.offload.kind == OffloadKind::params) {
    parts.emplace_back("--cpu-moe");
  }
  if (w.all_gpus() > 1.0) {
    std::string shares = "1";
    for (double i = 1.0; i < w.gpus; i += 1.0) {
      shares += ",1";
    }
    parts.push_back("--split-mode layer --tensor-split " + shares);
  }
  return command_block("", parts);
}

std::string gib(double bytes) {
  return whole_text(std::max(1.0, std::floor(bytes / k_gib)));
}

std::string transformers(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const MemoryFigures& memory = subject.remedy.figures.memory;
  const bool four = four_bits(w.precision);
  const bool quantised = four || eight_bits(w.precision);
  Block code("python");
  code.add("import torch")
      .add(quantised ? "from transformers import AutoModelForCausalLM, BitsAndBytesConfig"
                     : "from transformers import AutoModelForCausalLM");
  code.add("").add("model = AutoModelForCausalLM.from_pretrained(").add("    \"" + checkpoint_name(subject.request) + "\",");
  code.add("    dtype=torch." + compute_dtype(w) + ",");
  code.add_if(four,
              "    quantization_config=BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_quant_type=\"nf4\", "
              "bnb_4bit_compute_dtype=torch.bfloat16),");
  code.add_if(quantised && !four, "    quantization_config=BitsAndBytesConfig(load_in_8bit=True),");
  code.add("    attn_implementation=\"sdpa\",").add("    device_map=\"auto\",");
  code.add_if(w.offload.kind == OffloadKind::layers, "    max_memory={0: \"" + gib(memory.components.weights) + "GiB\", \"cpu\": \"" +
                                                         gib(memory.host_bytes + k_gib) + "GiB\"},  # " +
                                                         whole_text(w.offload.layers_on_gpu) + " layers on the card");
  code.add(")").add("# prompt and answer of at most " + whole_text(w.seq) + " tokens, " + whole_text(w.batch) + " at a time");
  return code.closed();
}

std::string diffusers(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const DiffusionPipeline& pipeline = *subject.request.model.diffusion();
  const bool four = four_bits(w.precision);
  const bool quantised = four || eight_bits(w.precision);
  Block code("python");
  code.add("import torch").add("from diffusers import DiffusionPipeline");
  code.add_if(quantised, "from diffusers.quantizers import PipelineQuantizationConfig").add("");
  if (quantised) {
    std::string parts = pipeline.denoiser == DenoiserKind::unet ? "\"unet\"" : "\"transformer\"";
    for (std::size_t i = 0; i < pipeline.text_encoders.size(); ++i) {
      if (pipeline.text_encoders[i].params > 1e9) {
        parts += ", \"text_encoder" + (i > 0 ? "_" + std::to_string(i + 1) : std::string()) + "\"";
      }
    }
    code.add("quantization = PipelineQuantizationConfig(");
    code.add(std::string("    quant_backend=\"bitsandbytes_") + (four ? "4bit" : "8bit") + "\",");
    code.add(
        four ? "    quant_kwargs={\"load_in_4bit\": True, \"bnb_4bit_quant_type\": \"nf4\", \"bnb_4bit_compute_dtype\": torch.bfloat16},"
             : "    quant_kwargs={\"load_in_8bit\": True},");
    code.add("    components_to_quantize=[" + parts + "],").add(")");
  }
  code.add("pipe = DiffusionPipeline.from_pretrained(\"" + checkpoint_name(subject.request) + "\", torch_dtype=torch." +
           (quantised ? std::string("bfloat16") : compute_dtype(w)) + (quantised ? ", quantization_config=quantization)" : ")"));
  switch (w.offload.kind) {
    case OffloadKind::model:
      code.add("pipe.enable_model_cpu_offload()");
      break;
    case OffloadKind::sequential:
      code.add("pipe.enable_sequential_cpu_offload()");
      break;
    default:
      code.add("pipe.to(\"cuda\")");
  }
  code.add_if(w.vae_tiling, "pipe.vae.enable_tiling()").add_if(w.vae_tiling, "pipe.vae.enable_slicing()");
  code.add("image = pipe(prompt, height=" + whole_text(w.image.height) + ", width=" + whole_text(w.image.width) +
           ", num_inference_steps=" + whole_text(w.steps) + ", num_images_per_prompt=" + whole_text(w.batch) + ").images[0]");
  return code.closed();
}

std::string pytorch(const SnippetSubject& subject) {
  const Workload& w = subject.workload();
  const std::string type = compute_dtype(w);
  const bool half = type != "float32";
  Block code("python");
  code.add("import torch").add("").add("model.eval().cuda()  # " + model_name(subject.request));
  code.add_if(half, "model.to(torch." + type + ")").add("with torch.inference_mode():");
  code.add("    for inputs in loader:  # DataLoader(..., batch_size=" + whole_text(w.batch) + ")");
  code.add("        outputs = model(inputs.to(\"cuda\"" + (half ? ", dtype=torch." + type : std::string()) + ", non_blocking=True))");
  return code.closed();
}

}  // namespace

std::string inference_snippet(const SnippetSubject& subject) {
  switch (subject.workload().engine) {
    case Engine::vllm:
      return vllm(subject);
    case Engine::sglang:
      return sglang(subject);
    case Engine::tensorrt_llm:
      return tensorrt_llm(subject);
    case Engine::llama_cpp:
      return llama_cpp(subject);
    case Engine::transformers:
      return transformers(subject);
    case Engine::diffusers:
      return subject.request.model.diffusion() != nullptr ? diffusers(subject) : std::string();
    case Engine::pytorch:
      return pytorch(subject);
    default:
      return {};
  }
}

}  // namespace gpuadvise::advise
