// Every shipped rule: what makes it fire, and the one difference that keeps it silent.
#include "catch.hpp"
#include "unit/rules/bench.hpp"

#include <array>
#include <set>

namespace gpuadvise::rules::test {
namespace {

struct RuleCase {
  std::string_view id;
  void (*fires)(Bench&);
  void (*undo)(Bench&);  // applied on top; the rule must fall silent
};

constexpr auto k_cases = std::to_array<RuleCase>({
    {"ddp-does-not-pool",
     [](Bench& b) {
       b.need(20, 11);
       b.several(4, Strategy::ddp);
     },
     [](Bench& b) { b.workload().strategy = Strategy::fsdp; }},
    {"does-not-fit", [](Bench& b) { b.need(12, 11); }, [](Bench& b) { b.need(9, 11); }},
    {"tight-is-no",
     [](Bench& b) {
       b.need(10.5, 11);
       b.wants.strict = true;
     },
     [](Bench& b) { b.wants.strict = false; }},
    {"tight-fit", [](Bench& b) { b.need(10.5, 11); }, [](Bench& b) { b.need(9, 11); }},
    {"windows-spills",
     [](Bench& b) {
       b.need(10.5, 11);
       b.wants.os = HostSystem::windows;
     },
     [](Bench& b) { b.wants.os = HostSystem::linux_; }},
    {"little-memory",
     [](Bench& b) {
       b.train();
       b.gpu.memory_gib = 6;
     },
     [](Bench& b) { b.gpu.memory_gib = 8; }},
    {"room-for-evaluation",
     [](Bench& b) {
       b.train();
       b.need(9.8, 11);
       b.cost.run_hours = 30;
     },
     [](Bench& b) { b.cost.run_hours = 20; }},
    {"host-memory",
     [](Bench& b) {
       b.figures.memory.host_bytes = 60 * k_gib;
       b.wants.ram_gib = 62;
     },
     [](Bench& b) { b.wants.ram_gib = 65; }},
    {"unified-memory", [](Bench& b) { b.gpu.unified_memory = true; }, [](Bench& b) { b.gpu.unified_memory = false; }},
    {"concurrency-limited",
     [](Bench& b) {
       b.figures.capacity.max_concurrency = 7;
       b.workload().concurrency = 8;
     },
     [](Bench& b) { b.figures.capacity.max_concurrency = 8; }},
    {"over-budget", [](Bench& b) { b.wants.budget_usd = 370; }, [](Bench& b) { b.wants.budget_usd = 376; }},
    {"price-unknown-budget",
     [](Bench& b) {
       b.wants.budget_usd = 500;
       b.cost.purchase_usd.reset();
     },
     [](Bench& b) { b.wants.budget_usd.reset(); }},
    {"price-unknown", [](Bench& b) { b.cost.purchase_usd.reset(); }, [](Bench& b) { b.cost.purchase_usd = 300; }},
    {"price-is-launch",
     [](Bench& b) {
       b.gpu.availability = Availability::discontinued;
       b.cost.price->kind = PriceKind::launch;
     },
     [](Bench& b) { b.gpu.availability = Availability::current; }},
    {"price-is-estimate", [](Bench& b) { b.cost.price->kind = PriceKind::estimate; },
     [](Bench& b) { b.cost.price->kind = PriceKind::user; }},
    {"used-card", [](Bench& b) { b.cost.price->kind = PriceKind::used; }, [](Bench& b) { b.cost.price->kind = PriceKind::new_retail; }},
    {"no-offer", [](Bench& b) { b.source = Sourcing::rent; }, [](Bench& b) { b.cost.rent_usd_per_hour = 0.3; }},
    {"over-hourly-budget",
     [](Bench& b) {
       b.source = Sourcing::rent;
       b.cost.rent_usd_per_hour = 2;
       b.wants.budget_per_hour_usd = 1.5;
     },
     [](Bench& b) { b.wants.budget_per_hour_usd = 2; }},
    {"over-run-budget",
     [](Bench& b) {
       b.source = Sourcing::rent;
       b.cost.rent_run_usd = 20;
       b.wants.budget_per_run_usd = 15;
     },
     [](Bench& b) { b.wants.budget_per_run_usd = 25; }},
    {"past-deadline",
     [](Bench& b) {
       b.cost.run_hours = 30;
       b.wants.deadline_hours = 24;
     },
     [](Bench& b) { b.wants.deadline_hours = 48; }},
    {"too-slow", [](Bench& b) { b.wants.min_speed = 120; }, [](Bench& b) { b.wants.min_speed = 80; }},
    {"keep-a-reserve",
     [](Bench& b) {
       b.wants.budget_usd = 5000;
       b.wants.reserve_share = 0;
     },
     [](Bench& b) { b.wants.reserve_share = 0.2; }},
    {"renting-is-cheaper", [](Bench& b) { b.cost.break_even_hours = 6000; }, [](Bench& b) { b.cost.break_even_hours = 1000; }},
    {"rented-machine", [](Bench& b) { b.source = Sourcing::rent; }, [](Bench& b) { b.source = Sourcing::buy; }},
    {"commitment-discount",
     [](Bench& b) {
       b.source = Sourcing::rent;
       b.wants.hours_per_day = 24;
     },
     [](Bench& b) { b.wants.hours_per_day = 8; }},
    {"announced", [](Bench& b) { b.gpu.availability = Availability::announced; }, [](Bench& b) { b.named = true; }},
    {"vendor-not-wanted", [](Bench& b) { b.wants.vendors = {Vendor::amd}; }, [](Bench& b) { b.wants.vendors.push_back(Vendor::nvidia); }},
    {"segment-not-wanted", [](Bench& b) { b.wants.segments = {Segment::datacenter}; },
     [](Bench& b) { b.gpu.segment = Segment::datacenter; }},
    {"form-laptop", [](Bench& b) { b.gpu.form_factor = FormFactor::mxm; }, [](Bench& b) { b.wants.form = MachineForm::laptop; }},
    {"form-soc",
     [](Bench& b) {
       b.gpu.form_factor = FormFactor::soc;
       b.gpu.segment = Segment::integrated;
     },
     [](Bench& b) { b.wants.form = MachineForm::laptop; }},
    {"form-module", [](Bench& b) { b.gpu.form_factor = FormFactor::sxm; }, [](Bench& b) { b.wants.form = MachineForm::server; }},
    {"form-passive", [](Bench& b) { b.gpu.cooling = Cooling::passive; }, [](Bench& b) { b.named = true; }},
    {"form-card-in-laptop", [](Bench& b) { b.wants.form = MachineForm::laptop; }, [](Bench& b) { b.gpu.form_factor = FormFactor::mxm; }},
    {"form-small",
     [](Bench& b) {
       b.wants.form = MachineForm::sff;
       b.gpu.length_mm = 300;
     },
     [](Bench& b) { b.gpu.length_mm = 170; }},
    {"passive-in-desktop",
     [](Bench& b) {
       b.gpu.cooling = Cooling::passive;
       b.named = true;
     },
     [](Bench& b) { b.wants.form = MachineForm::server; }},
    {"module-named",
     [](Bench& b) {
       b.gpu.form_factor = FormFactor::sxm;
       b.named = true;
     },
     [](Bench& b) { b.wants.form = MachineForm::server; }},
    {"several-in-one-system",
     [](Bench& b) {
       b.count = 2;
       b.gpu.form_factor = FormFactor::mxm;
     },
     [](Bench& b) { b.count = 1; }},
    {"too-many-boards", [](Bench& b) { b.count = 8; }, [](Bench& b) { b.count = 4; }},
    {"over-power", [](Bench& b) { b.wants.max_power_w = 150; }, [](Bench& b) { b.wants.max_power_w = 170; }},
    {"psu-too-small", [](Bench& b) { b.wants.psu_w = 500; }, [](Bench& b) { b.wants.psu_w = 550; }},
    {"too-long", [](Bench& b) { b.wants.max_length_mm = 200; }, [](Bench& b) { b.wants.max_length_mm = 210; }},
    {"too-wide",
     [](Bench& b) {
       b.wants.slots = 3;
       b.several(2, Strategy::ddp);
     },
     [](Bench& b) { b.wants.slots = 4; }},
    {"strong-supply", [](Bench& b) { b.gpu.tdp_w = 450; }, [](Bench& b) { b.wants.psu_w = 1000; }},
    {"household-circuit", [](Bench& b) { b.cost.power_w = 1150; }, [](Bench& b) { b.cost.power_w = 1040; }},
    {"narrow-bus",
     [](Bench& b) {
       b.gpu.pcie_lanes = 8;
       b.wants.pcie_generation = 3;
       b.several(2, Strategy::ddp);
     },
     [](Bench& b) { b.gpu.pcie_lanes = 16; }},
    {"no-display", [](Bench& b) { b.gpu.display_outputs = false; }, [](Bench& b) { b.gpu.display_outputs.reset(); }},
    {"two-gpus-on-board", [](Bench& b) { b.gpu.gpus_per_board = 2; }, [](Bench& b) { b.gpu.gpus_per_board = 1; }},
    {"laptop-power", [](Bench& b) { b.gpu.segment = Segment::laptop; }, [](Bench& b) { b.gpu.segment = Segment::consumer; }},
    {"geforce-in-server", [](Bench& b) { b.wants.form = MachineForm::server; }, [](Bench& b) { b.gpu.segment = Segment::workstation; }},
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
    {"ddp-copies", [](Bench& b) { b.several(4, Strategy::ddp); }, [](Bench& b) { b.several(1, Strategy::ddp); }},
    {"pooled-strategy", [](Bench& b) { b.several(4, Strategy::fsdp); },
     [](Bench& b) { b.request.origins[WorkloadKey::strategy] = Origin::user; }},
    {"nccl-debug",
     [](Bench& b) {
       b.train();
       b.several(2, Strategy::ddp);
     },
     [](Bench& b) { b.several(1, Strategy::none); }},
    {"ddp-not-dataparallel",
     [](Bench& b) {
       b.train();
       b.several(2, Strategy::ddp);
     },
     [](Bench& b) { b.workload().task = Task::infer; }},
    {"identical-cards", [](Bench& b) { b.several(2, Strategy::ddp); }, [](Bench& b) { b.several(1, Strategy::none); }},
    {"no-peer-to-peer",
     [](Bench& b) {
       b.several(2, Strategy::ddp);
       b.gpu.family = Architecture::ada;
     },
     [](Bench& b) { b.gpu.family = Architecture::ampere; }},
    {"link-joins-few",
     [](Bench& b) {
       b.several(8, Strategy::ddp);
       b.gpu.link_gb_s = 112.5;
       b.gpu.link_max_gpus = 2;
     },
     [](Bench& b) { b.gpu.link_max_gpus = 8; }},
    {"tensor-parallel-over-pcie", [](Bench& b) { b.several(2, Strategy::tp); }, [](Bench& b) { b.gpu.link_gb_s = 600; }},
    {"network",
     [](Bench& b) {
       b.train();
       b.workload().nodes = 2;
       b.speed().scaling_efficiency = 0.6;
     },
     [](Bench& b) { b.workload().nodes = 1; }},
    {"communication-heavy",
     [](Bench& b) {
       b.train();
       b.speed().shares.communication = 0.4;
     },
     [](Bench& b) { b.speed().shares.communication = 0.2; }},
    {"communication-heavy-inference", [](Bench& b) { b.speed().shares.communication = 0.4; },
     [](Bench& b) { b.speed().shares.communication = 0.2; }},
    {"several-unofficial",
     [](Bench& b) {
       b.several(2, Strategy::fsdp);
       b.gpu.vendor = Vendor::amd;
       b.gpu.support.end_of_support = true;
     },
     [](Bench& b) { b.request.origins[WorkloadKey::gpus] = Origin::user; }},
    {"several-boards",
     [](Bench& b) {
       b.several(2, Strategy::fsdp);
       b.cost.boards = 2;
       b.cost.purchase_usd = 800;
     },
     [](Bench& b) { b.cost.purchase_usd = 0; }},
    {"many-boards",
     [](Bench& b) {
       b.several(4, Strategy::fsdp);
       b.cost.boards = 4;
       b.cost.purchase_usd = 800;
     },
     [](Bench& b) { b.cost.boards = 2; }},
    {"limit-power",
     [](Bench& b) {
       b.several(2, Strategy::ddp);
       b.gpu.tdp_w = 350;
     },
     [](Bench& b) { b.gpu.tdp_w = 200; }},
    {"cudnn-benchmark", [](Bench& b) { b.train(); }, [](Bench& b) { b.workload().cudnn_benchmark = true; }},
    {"matmul-precision",
     [](Bench& b) {
       b.train();
       b.precision(PrecisionKind::fp32);
     },
     [](Bench& b) { b.capability(7.5, Architecture::turing); }},
    {"channels-last",
     [](Bench& b) {
       b.train();
       b.precision(PrecisionKind::amp_bf16);
     },
     [](Bench& b) { b.workload().channels_last = true; }},
    {"empty-cache",
     [](Bench& b) {
       b.train();
       b.need(10.5, 11);
     },
     [](Bench& b) { b.need(5, 11); }},
    {"expandable-segments",
     [](Bench& b) {
       b.train();
       b.need(10.5, 11);
     },
     [](Bench& b) { b.vendor(Vendor::amd); }},
    {"launch-bound", [](Bench& b) { b.speed().shares.host = 0.6; }, [](Bench& b) { b.speed().shares.host = 0.3; }},
    {"torch-compile", [](Bench& b) { b.train(); }, [](Bench& b) { b.workload().compile = true; }},
    {"feed-the-card",
     [](Bench& b) {
       b.train();
       b.speed().throughput.expected = 2000;
     },
     [](Bench& b) { b.speed().throughput.expected = 200; }},
    {"checkpointing-cost",
     [](Bench& b) {
       b.train();
       b.workload().checkpointing = Checkpointing::full;
     },
     [](Bench& b) { b.workload().checkpointing = Checkpointing::selective; }},
    {"batchnorm-micro-batch",
     [](Bench& b) {
       b.train();
       b.workload().accumulate = 4;
     },
     [](Bench& b) { b.workload().accumulate = 1; }},
    {"fused-loss",
     [](Bench& b) {
       b.language();
       b.train();
       b.figures.memory.components.logits = 4 * k_gib;
     },
     [](Bench& b) { b.workload().loss = LossKind::fused; }},
    {"eager-attention",
     [](Bench& b) {
       b.workload().attention = AttentionBackend::eager;
       b.workload().seq = 2048;
     },
     [](Bench& b) { b.workload().seq = 512; }},
    {"qlora-speed",
     [](Bench& b) {
       b.language();
       b.train();
       b.workload().method = Method::qlora;
     },
     [](Bench& b) { b.workload().method = Method::lora; }},
    {"bandwidth-decides",
     [](Bench& b) {
       b.language();
       b.speed().bound = Bound::bandwidth;
     },
     [](Bench& b) { b.speed().bound = Bound::compute; }},
    {"supply-for-several", [](Bench& b) { b.several(2, Strategy::ddp); }, [](Bench& b) { b.wants.psu_w = 2000; }},
    {"supply-peaks",
     [](Bench& b) {
       b.several(2, Strategy::ddp);
       b.cost.power_w = 500;
       b.wants.psu_w = 850;
     },
     [](Bench& b) { b.wants.psu_w = 1000; }},
    {"power-transients",
     [](Bench& b) {
       b.gpu.segment = Segment::consumer;
       b.gpu.tdp_w = 320;
     },
     [](Bench& b) { b.gpu.tdp_w = 300; }},
    {"display-reserve",
     [](Bench& b) {
       b.gpu.segment = Segment::consumer;
       b.need(10.5, 11);
     },
     [](Bench& b) { b.gpu.segment = Segment::workstation; }},
    {"windows-sysmem-fallback", [](Bench& b) { b.wants.os = HostSystem::windows; }, [](Bench& b) { b.wants.os = HostSystem::linux_; }},
    {"mixture-needs-all",
     [](Bench& b) {
       b.language();
       std::get<TransformerShape>(b.request.model.shape).moe.experts = 8;
     },
     [](Bench& b) { std::get<TransformerShape>(b.request.model.shape).moe.experts = 0; }},
    {"server-reserves",
     [](Bench& b) {
       b.language();
       b.workload().engine = Engine::vllm;
     },
     [](Bench& b) { b.workload().engine = Engine::llama_cpp; }},
    {"load-time",
     [](Bench& b) {
       b.language();
       b.figures.memory.all_gpus.components.weights = 14 * k_gib;
     },
     [](Bench& b) { b.figures.memory.all_gpus.components.weights = 5 * k_gib; }},
    {"decode-in-tiles",
     [](Bench& b) {
       b.workload().task = Task::infer;
       b.workload().field = Field::diffusion;
       b.figures.memory.components.activations = 12 * k_gib;
     },
     [](Bench& b) { b.workload().vae_tiling = true; }},
    {"cache-outweighs-weights",
     [](Bench& b) {
       b.language();
       b.figures.memory.components.kv_cache = 5 * k_gib;
       b.figures.memory.components.weights = 4 * k_gib;
     },
     [](Bench& b) { b.workload().engine = Engine::vllm; }},
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
    {"augmentation-bound",
     [](Bench& b) {
       b.train();
       b.workload().field = Field::segmentation;
     },
     [](Bench& b) { b.workload().task = Task::infer; }},
    {"arc-4gib-block",
     [](Bench& b) {
       b.vendor(Vendor::intel);
       b.gpu.family = Architecture::xe_hpg;
       b.need(5, 11);
     },
     [](Bench& b) { b.gpu.family = Architecture::xe2; }},
    {"speed-uncertain", [](Bench& b) { b.speed().prior = true; }, [](Bench& b) { b.speed().prior = false; }},
    {"watch-the-run", [](Bench& b) { b.train(); }, [](Bench& b) { b.workload().task = Task::infer; }},
    {"measure-memory",
     [](Bench& b) {
       b.language();
       b.train();
     },
     [](Bench& b) { b.language(1e8); }},
    {"server-metrics",
     [](Bench& b) {
       b.language();
       b.workload().engine = Engine::vllm;
     },
     [](Bench& b) { b.workload().engine = Engine::transformers; }},
});

}  // namespace

TEST_CASE("every shipped rule fires where it should and is silent one step beside", "[rules]") {
  const CompiledRules compiled = compile_rules(shipped_files());
  const RuleTable table = compiled.table();
  const RuleSet rules(table);
  for (const RuleCase& each : k_cases) {
    INFO(each.id);
    Bench bench;
    CHECK_FALSE(bench.fires(rules, each.id));
    each.fires(bench);
    CHECK(bench.fires(rules, each.id));
    each.undo(bench);
    CHECK_FALSE(bench.fires(rules, each.id));
  }
}

TEST_CASE("no shipped rule is without a case, a reason and a source", "[rules]") {
  const CompiledRules compiled = compile_rules(shipped_files());
  CHECK(compiled.rules.size() >= 60);
  std::set<std::string_view> tested;
  for (const RuleCase& each : k_cases) {
    CHECK(tested.insert(each.id).second);
  }
  for (const Rule& rule : compiled.rules) {
    INFO(rule.id);
    CHECK(tested.count(rule.id) == 1);
    CHECK_FALSE(rule.why.empty());
    CHECK_FALSE(rule.source.empty());
  }
  CHECK(tested.size() == compiled.rules.size());
}

}  // namespace gpuadvise::rules::test
