#include "advise/matrix.hpp"

#include <gpuadvise/error.hpp>

#include "advise/candidates.hpp"
#include "catch.hpp"
#include "unit/advise/real_catalog.hpp"

#include <array>

namespace gpuadvise::advise::test {
namespace {

struct Seen {
  std::vector<std::size_t> at;
  const Gpu* gpu = nullptr;
  Figures figures;
};

struct Walked {
  std::vector<Seen> cells;
  std::vector<std::string> refusals;
};

Walked walk(const RealCatalog& catalog, const std::vector<Axis>& axes, const std::vector<Setting>& request,
            const std::vector<const Gpu*>& cards) {
  Walked walked;
  visit_matrix(axes, request, cards, false, [&catalog](std::span<const Setting> all) { return catalog.resolve(all); },
               {[&](const Cell& cell) {
                  walked.cells.push_back({{cell.at.begin(), cell.at.end()}, &cell.gpu, cell.figures});
                },
                [&](const Refused& refused) { walked.refusals.emplace_back(refused.message); }});
  return walked;
}

}  // namespace

TEST_CASE("axes: ranges double, step or list", "[advise][matrix]") {
  CHECK(parse_axis("batch=1..8").values == std::vector<std::string>{"1", "2", "4", "8"});
  CHECK(parse_axis("batch=1..12").values == std::vector<std::string>{"1", "2", "4", "8", "12"});
  CHECK(parse_axis("seq=128..512..128").values == std::vector<std::string>{"128", "256", "384", "512"});
  CHECK(parse_axis("precision=fp32,amp-fp16").values == std::vector<std::string>{"fp32", "amp-fp16"});
  CHECK(parse_axis("batch=1,4..8").values == std::vector<std::string>{"1", "4", "8"});
  CHECK(parse_axis("grad-checkpointing=none,full").key == "grad_checkpointing");
  for (const char* bad : {"batch", "batch=", "=1", "batch=8..1", "batch=1..8..0", "batch=a..b", "batch=1,,2", "batch=1..1e9..1"}) {
    INFO(bad);
    CHECK_THROWS_AS(parse_axis(bad), Error);
  }
}

// The short way along batch, accumulate and concurrency must give what reading each request gives.
TEST_CASE("every cell is the estimate of its own request", "[advise][matrix]") {
  const RealCatalog catalog;
  struct Grid {
    std::vector<Axis> axes;
    std::vector<Setting> request;
  };
  const std::vector<Grid> grids{
      {{parse_axis("precision=fp32,amp-fp16"), parse_axis("batch=1..64")}, settings({{"model", "resnet50"}})},
      {{parse_axis("accumulate=1,4")}, settings({{"model", "bert-base"}, {"batch", "8"}})},
      {{parse_axis("seq=512,2048"), parse_axis("concurrency=1..16")},
       settings({{"model", "llama-3.1-8b"}, {"task", "infer"}, {"engine", "vllm"}})},
      {{parse_axis("batch=1..4")}, settings({{"model", "llama-2-7b"}, {"task", "finetune"}, {"method", "lora"}, {"seq", "512"}})},
      {{parse_axis("batch=1..4")}, settings({{"model", "mask-rcnn-r50-fpn"}})},
      {{parse_axis("batch=1..4"), parse_axis("grad_checkpointing=none,full")}, settings({{"model", "gpt2"}, {"task", "train"}})},
  };
  const std::vector<const Gpu*> cards{&catalog.gpu("rtx-3090"), &catalog.gpu("gtx-1080-ti")};
  for (const Grid& grid : grids) {
    const Walked walked = walk(catalog, grid.axes, grid.request, cards);
    CHECK(walked.refusals.empty());
    std::size_t expected = cards.size();
    for (const Axis& axis : grid.axes) {
      expected *= axis.values.size();
    }
    REQUIRE(walked.cells.size() == expected);
    for (const Seen& cell : walked.cells) {
      std::vector<Setting> own = grid.request;
      for (std::size_t i = 0; i < grid.axes.size(); ++i) {
        own.push_back({grid.axes[i].key, Value(grid.axes[i].values[cell.at[i]]), Origin::user});
      }
      const Request request = catalog.resolve(own);
      const Workload workload =
          spread_over(request.workload, {request.workload.gpus, request.workload.strategy}, needs_fp16(request, *cell.gpu));
      const Figures figures =
          estimate::evaluate(estimate::prepare(workload, request.model), cell.gpu, estimate::default_use(*cell.gpu, false));
      CHECK(figures.memory.need == cell.figures.memory.need);
      REQUIRE(figures.speed.has_value() == cell.figures.speed.has_value());
      if (figures.speed) {
        CHECK(figures.speed->throughput == cell.figures.speed->throughput);
      }
    }
  }
}

TEST_CASE("a combination that cannot be is told, the others stand", "[advise][matrix]") {
  const RealCatalog catalog;
  const std::vector<const Gpu*> cards{&catalog.gpu("rtx-3090")};
  const Walked precision =
      walk(catalog, {parse_axis("precision=fp32,fp12"), parse_axis("batch=1,2")}, settings({{"model", "resnet50"}}), cards);
  CHECK(precision.cells.size() == 2);
  CHECK(precision.refusals.size() == 2);
  const Walked batch = walk(catalog, {parse_axis("batch=1,100000000000")}, settings({{"model", "resnet50"}}), cards);
  CHECK(batch.cells.size() == 1);
  CHECK(batch.refusals.size() == 1);
}

TEST_CASE("where the division over several GPUs is left open, a cell is the best way's", "[advise][matrix]") {
  const RealCatalog catalog;
  const std::vector<const Gpu*> cards{&catalog.gpu("a100-80gb-sxm")};
  const auto job = settings({{"model", "llama-3.1-8b"}, {"task", "train"}, {"precision", "bf16"}, {"seq", "2048"}});
  const Walked walked = walk(catalog, {parse_axis("gpus=1,8")}, job, cards);
  REQUIRE(walked.cells.size() == 2);
  CHECK(walked.cells[0].figures.fit->verdict == Verdict::no);
  CHECK(walked.cells[1].figures.fit->verdict == Verdict::fits);  // copies on each GPU would not fit
  std::vector<Setting> fixed = job;
  fixed.push_back({"strategy", Value("ddp"), Origin::user});
  CHECK(walk(catalog, {parse_axis("gpus=8")}, fixed, cards).cells[0].figures.fit->verdict == Verdict::no);
}

TEST_CASE("a key is either fixed or varied", "[advise][matrix]") {
  const RealCatalog catalog;
  const std::vector<const Gpu*> cards{&catalog.gpu("rtx-3090")};
  CHECK_THROWS_AS(walk(catalog, {parse_axis("batch=1,2")}, settings({{"model", "resnet50"}, {"batch", "4"}}), cards), Error);
  CHECK_THROWS_AS(walk(catalog, {parse_axis("batch=1,2"), parse_axis("batch=4")}, settings({{"model", "resnet50"}}), cards), Error);
}

}  // namespace gpuadvise::advise::test
