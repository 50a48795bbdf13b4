// Rules about several GPUs, tuning and watching a run: what makes each fire, and the one difference that keeps it silent.
#include "unit/rules/rule_cases.hpp"

#include <array>

namespace gpuadvise::rules::test {
namespace {

constexpr auto k_cases = std::to_array<RuleCase>({
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
    {"speed-uncertain", [](Bench& b) { b.speed().prior = true; }, [](Bench& b) { b.speed().prior = false; }},
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

std::span<const RuleCase> cases_of_work() {
  return k_cases;
}

}  // namespace gpuadvise::rules::test
