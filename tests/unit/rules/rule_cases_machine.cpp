// Rules about the machine, the money and the fit: what makes each fire, and the one difference that keeps it silent.
#include "unit/rules/rule_cases.hpp"

#include <array>

namespace gpuadvise::rules::test {
namespace {

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
    {"speed-unknown-wanted",
     [](Bench& b) {
       b.wants.min_speed = 120;
       b.figures.speed.reset();
     },
     [](Bench& b) { b.wants.min_speed.reset(); }},
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
    {"form-desktop-system",
     [](Bench& b) {
       b.gpu.form_factor = FormFactor::soc;
       b.gpu.chip = "Apple M2 Ultra";
       b.wants.form = MachineForm::laptop;
     },
     [](Bench& b) { b.gpu.chip = "Apple M2 Max"; }},
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
});

}  // namespace

std::span<const RuleCase> cases_of_machine() {
  return k_cases;
}

}  // namespace gpuadvise::rules::test
