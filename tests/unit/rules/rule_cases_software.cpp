// Rules about number formats and software: what makes each fire, and the one difference that keeps it silent.
#include "unit/rules/rule_cases.hpp"

#include <array>

namespace gpuadvise::rules::test {
namespace {

constexpr auto k_cases = std::to_array<RuleCase>({
    {"bf16-not-native",
     [](Bench& b) {
       b.precision(PrecisionKind::bf16);
       b.capability(7.5, Architecture::turing);
     },
     [](Bench& b) { b.precision(PrecisionKind::fp16); }},
    {"bf16-replaced",
     [](Bench& b) {
       b.precision(PrecisionKind::bf16);
       b.precision_replaced = true;
     },
     [](Bench& b) { b.precision_replaced = false; }},
    {"fp8-training",
     [](Bench& b) {
       b.train();
       b.precision(PrecisionKind::fp8);
     },
     [](Bench& b) { b.capability(8.9, Architecture::ada); }},
    {"fp8-not-native", [](Bench& b) { b.precision(PrecisionKind::fp8); }, [](Bench& b) { b.gpu.tflops.fp8_tensor = 200; }},
    {"fp4-not-native", [](Bench& b) { b.precision(PrecisionKind::nvfp4); }, [](Bench& b) { b.capability(12.0, Architecture::blackwell); }},
    {"tf32-not-native",
     [](Bench& b) {
       b.precision(PrecisionKind::tf32);
       b.capability(7.5, Architecture::turing);
     },
     [](Bench& b) { b.precision(PrecisionKind::fp32); }},
    {"amp-without-tensor-cores",
     [](Bench& b) {
       b.train();
       b.precision(PrecisionKind::amp_fp16);
       b.gpu.tensor_cores.reset();
       b.gpu.tflops.fp16_tensor.reset();
     },
     [](Bench& b) { b.gpu.tensor_cores = 112; }},
    {"use-amp",
     [](Bench& b) {
       b.train();
       b.precision(PrecisionKind::fp32);
     },
     [](Bench& b) { b.precision(PrecisionKind::amp_fp16); }},
    {"grad-scaler",
     [](Bench& b) {
       b.train();
       b.precision(PrecisionKind::amp_fp16);
     },
     [](Bench& b) { b.precision(PrecisionKind::amp_bf16); }},
    {"bf16-without-scaler",
     [](Bench& b) {
       b.language();
       b.train();
       b.precision(PrecisionKind::amp_bf16);
       b.request.origins[WorkloadKey::precision] = Origin::user;
     },
     [](Bench& b) { b.request.origins[WorkloadKey::precision] = Origin::fallback; }},
    {"flash-needs-ampere",
     [](Bench& b) {
       b.workload().attention = AttentionBackend::flash;
       b.capability(7.5, Architecture::turing);
     },
     [](Bench& b) { b.workload().attention = AttentionBackend::sdpa; }},
    {"transformer-engine",
     [](Bench& b) {
       b.train();
       b.precision(PrecisionKind::fp8);
       b.capability(9.0, Architecture::hopper);
     },
     [](Bench& b) { b.precision(PrecisionKind::amp_bf16); }},
    {"bitsandbytes-capability",
     [](Bench& b) {
       b.workload().method = Method::qlora;
       b.capability(5.2, Architecture::maxwell);
     },
     [](Bench& b) { b.capability(6.1, Architecture::pascal); }},
    {"bitsandbytes-4bit",
     [](Bench& b) {
       b.workload().engine = Engine::diffusers;
       b.precision(PrecisionKind::nf4);
       b.capability(5.2, Architecture::maxwell);
     },
     [](Bench& b) { b.capability(6.0, Architecture::pascal); }},
    {"llm-int8-capability",
     [](Bench& b) {
       b.workload().engine = Engine::diffusers;
       b.precision(PrecisionKind::int8);
       b.capability(7.0, Architecture::volta);
     },
     [](Bench& b) { b.capability(7.5, Architecture::turing); }},
    {"fp16-slow",
     [](Bench& b) {
       b.capability(6.1, Architecture::pascal);
       b.gpu.tensor_cores.reset();
       b.gpu.tflops.fp16_tensor.reset();
       b.gpu.tflops.fp16_vector = 0.18;
       b.precision(PrecisionKind::fp16);
     },
     [](Bench& b) { b.precision(PrecisionKind::fp32); }},
    {"no-flash-attention-2",
     [](Bench& b) {
       b.language();
       b.capability(7.5, Architecture::turing);
     },
     [](Bench& b) { b.capability(8.6, Architecture::ampere); }},
    {"four-bit-prefill",
     [](Bench& b) {
       b.language();
       b.precision(PrecisionKind::int4_awq);
     },
     [](Bench& b) { b.precision(PrecisionKind::bf16); }},
    {"support-ended", [](Bench& b) { b.gpu.support.end_of_support = true; }, [](Bench& b) { b.named = true; }},
    {"capability-too-low", [](Bench& b) { b.capability(3.7, Architecture::kepler); },
     [](Bench& b) { b.capability(5.0, Architecture::maxwell); }},
    {"support-ended-named",
     [](Bench& b) {
       b.gpu.support.end_of_support = true;
       b.named = true;
     },
     [](Bench& b) { b.gpu.support.end_of_support = false; }},
    {"support-ending", [](Bench& b) { b.gpu.support.driver_end_of_life = "2028-06"; },
     [](Bench& b) { b.gpu.support.driver_end_of_life = ""; }},
    {"rocm", [](Bench& b) { b.vendor(Vendor::amd); }, [](Bench& b) { b.gpu.support.end_of_support = true; }},
    {"rocm-unofficial",
     [](Bench& b) {
       b.vendor(Vendor::amd);
       b.gpu.support.end_of_support = true;
     },
     [](Bench& b) { b.gpu.support.end_of_support = false; }},
    {"xpu",
     [](Bench& b) {
       b.vendor(Vendor::intel);
       b.gpu.family = Architecture::xe2;
     },
     [](Bench& b) { b.gpu.family = Architecture::gaudi; }},
    {"gaudi",
     [](Bench& b) {
       b.vendor(Vendor::intel);
       b.gpu.family = Architecture::gaudi;
     },
     [](Bench& b) { b.gpu.family = Architecture::xe2; }},
    {"mps", [](Bench& b) { b.vendor(Vendor::apple); }, [](Bench& b) { b.vendor(Vendor::amd); }},
    {"vendor-fork", [](Bench& b) { b.vendor(Vendor::huawei); }, [](Bench& b) { b.named = true; }},
    {"support-unknown", [](Bench& b) { b.gpu.support.wheels = ""; }, [](Bench& b) { b.gpu.support.wheels = "cu130"; }},
    {"discontinued", [](Bench& b) { b.gpu.availability = Availability::discontinued; },
     [](Bench& b) { b.gpu.availability = Availability::current; }},
    {"jetson", [](Bench& b) { b.gpu.segment = Segment::embedded; }, [](Bench& b) { b.gpu.segment = Segment::consumer; }},
    {"software-does-not-work",
     [](Bench& b) {
       b.capability(12.0, Architecture::blackwell);
       b.wants.torch = "2.6";
     },
     [](Bench& b) { b.wants.torch = "2.10"; }},
    {"software-no-cudnn",
     [](Bench& b) {
       b.capability(3.7, Architecture::kepler);
       b.wants.torch = "2.7";
     },
     [](Bench& b) { b.wants.torch = "2.3"; }},
    {"software-own-wheels",
     [](Bench& b) {
       b.vendor(Vendor::amd);
       b.gpu.gfx_target = "gfx1100";
       b.system(HostSystem::windows);
     },
     [](Bench& b) { b.system(HostSystem::linux_); }},
    {"software-not-known",
     [](Bench& b) {
       b.vendor(Vendor::amd);
       b.wants.torch = "2.8";
     },
     [](Bench& b) { b.gpu.gfx_target = "gfx1100"; }},
    {"software-driver",
     [](Bench& b) {
       b.workload().engine = Engine::llama_cpp;
       b.capability(12.0, Architecture::blackwell);
       b.wants.driver = "535";
     },
     [](Bench& b) { b.wants.driver = "570"; }},
    {"macos-takes-no-card", [](Bench& b) { b.system(HostSystem::macos); }, [](Bench& b) { b.system(HostSystem::linux_); }},
    {"software-system",
     [](Bench& b) {
       b.workload().engine = Engine::llama_cpp;
       b.system(HostSystem::macos);
     },
     [](Bench& b) { b.system(HostSystem::windows); }},
    {"software-limits",
     [](Bench& b) {
       b.capability(6.1, Architecture::pascal);
       b.wants.torch = "2.9";
     },
     [](Bench& b) { b.wants.torch = "1.13"; }},
    {"software-works", [](Bench& b) { b.wants.driver = "535"; }, [](Bench& b) { b.workload().engine = Engine::llama_cpp; }},
    {"vllm-capability",
     [](Bench& b) {
       b.workload().engine = Engine::vllm;
       b.capability(6.1, Architecture::pascal);
     },
     [](Bench& b) { b.capability(7.0, Architecture::volta); }},
    {"sglang-capability",
     [](Bench& b) {
       b.workload().engine = Engine::sglang;
       b.capability(7.0, Architecture::volta);
     },
     [](Bench& b) { b.capability(7.5, Architecture::turing); }},
    {"tensorrt-llm-capability",
     [](Bench& b) {
       b.workload().engine = Engine::tensorrt_llm;
       b.vendor(Vendor::amd);
     },
     [](Bench& b) {
       b.gpu.vendor = Vendor::nvidia;
       b.gpu.compute_capability = 8.0;
     }},
    {"engine-needs-apple", [](Bench& b) { b.workload().engine = Engine::mlx; }, [](Bench& b) { b.vendor(Vendor::apple); }},
    {"engine-not-for-apple",
     [](Bench& b) {
       b.workload().engine = Engine::vllm;
       b.vendor(Vendor::apple);
     },
     [](Bench& b) { b.workload().engine = Engine::llama_cpp; }},
    {"exllama-vendor",
     [](Bench& b) {
       b.workload().engine = Engine::exllama;
       b.vendor(Vendor::intel);
     },
     [](Bench& b) { b.vendor(Vendor::amd); }},
    {"qlora-on-mps",
     [](Bench& b) {
       b.workload().method = Method::qlora;
       b.vendor(Vendor::apple);
     },
     [](Bench& b) { b.workload().method = Method::lora; }},
    {"unsloth-capability",
     [](Bench& b) {
       b.workload().stack = Stack::unsloth;
       b.capability(6.1, Architecture::pascal);
     },
     [](Bench& b) { b.capability(7.5, Architecture::turing); }},
    {"windows-no-nccl",
     [](Bench& b) {
       b.train();
       b.several(2, Strategy::ddp);
       b.wants.os = HostSystem::windows;
     },
     [](Bench& b) { b.several(1, Strategy::none); }},
});

}  // namespace

std::span<const RuleCase> cases_of_software() {
  return k_cases;
}

}  // namespace gpuadvise::rules::test
