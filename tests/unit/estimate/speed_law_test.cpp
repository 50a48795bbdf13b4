#include "catch.hpp"
#include "estimate/speed/hardware.hpp"
#include "estimate/speed/law.hpp"
#include "estimate/speed/parallel.hpp"
#include "unit/estimate/speed_cards.hpp"

using namespace gpuadvise::estimate;
using namespace speed_test;

TEST_CASE("A step is the soft maximum of card and host, and what communication leaves") {
  StepTime time;
  time.compute = 0.3;
  time.traffic = 0.5;
  CHECK(time.total() == Approx(0.8));
  time.host = 0.8;
  CHECK(time.total() == Approx(0.8 * 1.189207));  // the fourth root of two
  time.communication = 0.2;
  CHECK(time.total() == Approx(0.8 * 1.189207 + 0.2));
  CHECK(time.scaled(2.0).total() == Approx(2.0 * time.total()));
}

TEST_CASE("Shares of a step sum to one and name the bound") {
  StepTime time;
  time.compute = 1.0;
  time.traffic = 3.0;
  time.kernels = 0.5;
  time.host = 0.1;
  time.communication = 0.4;
  const gpuadvise::SpeedShares shares = shares_of(time);
  CHECK(shares.compute + shares.traffic + shares.host + shares.communication == Approx(1.0));
  CHECK(bound_of(shares) == gpuadvise::Bound::bandwidth);
  time.host = 40.0;
  CHECK(bound_of(shares_of(time)) == gpuadvise::Bound::launch);
  CHECK(shares_of(StepTime{}).compute == 1.0);
  for (int i = 1; i < 2000; ++i) {  // a host of next to nothing has no share below zero
    time.compute = 0.001 * i;
    time.traffic = 1.0 / i;
    time.host = 1e-9;
    CHECK(shares_of(time).host >= 0.0);
  }
}

TEST_CASE("Rated clocks do not hold inside the board power") {
  Gpu card = h100();
  const double full = sustained_rate(card, MathPath::half).tflops;
  CHECK(full < 989.4);
  CHECK(full > 600.0);  // measured products reach about 800
  card.tdp_w = 350.0;
  const double half_power = sustained_rate(card, MathPath::half).tflops;
  CHECK(half_power < 0.6 * full);
  card.tdp_w.reset();
  CHECK(sustained_rate(card, MathPath::half).tflops == Approx(989.4));
}

TEST_CASE("A path falls back where the card lacks the units, and says so") {
  CHECK(sustained_rate(a100(), MathPath::fp8).emulated == false);  // its 8-bit integers serve
  CHECK(sustained_rate(v100(), MathPath::fp8).emulated);
  CHECK(sustained_rate(v100(), MathPath::bfloat).emulated);
  CHECK(sustained_rate(v100(), MathPath::bfloat).tflops < 16.0);
  CHECK(sustained_rate(h100(), MathPath::fp4).emulated);
  CHECK_FALSE(sustained_rate(gtx_1080_ti(), MathPath::half).tensor);
  CHECK(training_path({PrecisionKind::fp32}, a100(), true) == MathPath::tf32);
  CHECK(training_path({PrecisionKind::fp32}, a100(), false) == MathPath::vector);
  CHECK(training_path({PrecisionKind::fp32}, v100(), true) == MathPath::vector);
}

TEST_CASE("A card with much bandwidth for each multiprocessor reaches less of it") {
  const auto share = [](const Gpu& gpu) { return 1000.0 / gpu.memory_bandwidth_gb_s / seconds_per_terabyte(gpu, 1.1); };
  CHECK(share(a100()) < 0.7);
  CHECK(share(rtx_4090()) > 0.85);
  CHECK(seconds_per_terabyte(m2_ultra(), 1.44, true) == Approx(1000.0 / 800.0).epsilon(0.1));
}

TEST_CASE("Rings over slots, bridges, switches and networks") {
  Workload workload;
  workload.gpus = 2;
  const double slot = group_link(rtx_3090(), workload, 2).all_reduce_gb_s;
  CHECK(slot == Approx(6.3).epsilon(0.2));  // generation 4, through host memory
  Gpu old = rtx_3090();
  old.pcie_generation = 3.0;
  CHECK(group_link(old, workload, 2).all_reduce_gb_s == Approx(slot / 2.0));
  Gpu bridged = rtx_3090();
  bridged.link_gb_s = 112.5;
  CHECK(group_link(bridged, workload, 2).all_reduce_gb_s == Approx(slot));
  workload.nvlink_bridge = true;
  CHECK(group_link(bridged, workload, 2).all_reduce_gb_s > 3.0 * slot);
  CHECK(group_link(a100(), workload, 8).all_reduce_gb_s > 100.0);
  workload.gpus = 8;
  workload.nodes = 4;
  workload.network_gbit_s = 100.0;
  const Link far = cluster_link(a100(), workload, cluster_of(workload, a100()));
  CHECK(far.all_reduce_gb_s == Approx(100.0 / 8.0).epsilon(0.2));
  CHECK_FALSE(far.switched);
}

TEST_CASE("A bridge reaches as many cards as its connector, a group beyond the node crosses the network") {
  Workload workload;
  workload.nvlink_bridge = true;
  workload.gpus = 4;
  Gpu pair = rtx_3090();
  pair.link_gb_s = 112.5;
  pair.link_max_gpus = 2.0;
  const double two = group_link(pair, workload, 2).all_reduce_gb_s;
  const double four = group_link(pair, workload, 4).all_reduce_gb_s;
  CHECK(two > 1.5 * four);
  CHECK(group_link(pair, workload, 2).switched);
  CHECK_FALSE(group_link(pair, workload, 4).switched);
  pair.link_max_gpus = 4.0;
  CHECK(group_link(pair, workload, 4).all_reduce_gb_s == Approx(two));
  Gpu none = rtx_3090();
  none.link_gb_s.reset();
  workload.nvlink_bridge = false;
  const double slot = group_link(none, workload, 2).all_reduce_gb_s;
  workload.nvlink_bridge = true;
  CHECK(group_link(none, workload, 2).all_reduce_gb_s == slot);
  workload.nodes = 2;
  workload.network_gbit_s = 10.0;
  CHECK(group_link(a100(), workload, 4).all_reduce_gb_s > 100.0);
  CHECK(group_link(a100(), workload, 8).all_reduce_gb_s < 2.0);
  // Rings of the cards of a tensor-parallel group share the network of their node, and a node has no more of them than cards.
  const Cluster cluster = cluster_of(workload, a100());
  const double alone = cluster_link(a100(), workload, cluster).all_gather_gb_s;
  CHECK(cluster_link(a100(), workload, cluster, 2.0).all_gather_gb_s == Approx(alone / 2.0));
  CHECK(cluster_link(a100(), workload, cluster, 32.0).all_gather_gb_s == Approx(alone / 4.0));
}

TEST_CASE("Stages hand over for nothing on a fast link, and wait on a slow one") {
  CHECK(stage_seconds({100.0, 100.0, true}, 1e7, 0.1) < 1e-6);
  CHECK(stage_seconds({0.1, 0.1, false}, 1e8, 0.1) == Approx(1.9).epsilon(0.05));
}

TEST_CASE("Collectives cost nothing on one card, and pipelines idle with few micro-batches") {
  const Link link{10.0, 10.0, false};
  CHECK(data_parallel_seconds(link, 1, 1e9, 1.0) == 0.0);
  CHECK(sharded_seconds(link, 1, 1e9, 1.0) == 0.0);
  CHECK(tensor_parallel_seconds(link, 1, 1e9, 4) == 0.0);
  CHECK(data_parallel_seconds(link, 8, 2e9, 0.1) > data_parallel_seconds(link, 2, 2e9, 0.1));
  CHECK(pipeline_efficiency(1, 4) == 1.0);
  CHECK(pipeline_efficiency(4, 4) < pipeline_efficiency(4, 32));
}
