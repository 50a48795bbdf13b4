// Every constant that measurements stand behind, by kind: counted needs none, fitted rests on at least eight figures of
// two publications, prior on less and is given a wider interval. Prints the list.
#include "catch.hpp"
#include "estimate/memory/band_rows.hpp"
#include "estimate/memory/image_band.hpp"
#include "estimate/memory/transformer_training_stack.hpp"
#include "estimate/speed/calibration.hpp"
#include "workload/choices.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gpuadvise::estimate {
namespace {

constexpr int k_fewest_figures = 8;
constexpr int k_fewest_sources = 2;

struct Constant {
  std::string name;
  ConstantKind kind = ConstantKind::prior;
  int n = 0;
  int sources = 0;  // 0 = not recorded in the table
};

// Tables whose intervals answer the same kind of question; the widths of priors are judged within one.
struct BandTable {
  std::string_view name;
  std::vector<BandRow> rows;
};

std::vector<BandRow> joined(std::initializer_list<std::span<const BandRow>> lists) {
  std::vector<BandRow> all;
  for (const auto& list : lists) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

std::vector<BandTable> band_tables() {
  return {{"image training", joined({image_band_rows()})},
          {"transformer training", joined({transformer_training_band_rows()})},
          {"diffusion training", joined({diffusion_training_band_rows()})},
          {"inference", joined({transformers_band_rows(), server_band_rows(), llama_cpp_band_rows(), static_cache_band_rows(),
                                speech_band_rows(), encoder_inference_band_rows(), image_inference_band_rows()})},
          {"diffusion inference", joined({diffusion_inference_band_rows()})},
          {"runtime", joined({runtime_band_rows()})}};
}

ConstantKind kind_of(Standing standing) {
  return standing == Standing::counted ? ConstantKind::counted : standing == Standing::fitted ? ConstantKind::fitted : ConstantKind::prior;
}

std::string name_of(Stack stack) {
  for (const workload::Choice& choice : workload::k_stack_words) {
    if (choice.value == static_cast<std::uint8_t>(stack)) {
      return std::string(choice.name);
    }
  }
  return "?";
}

std::vector<Constant> all_constants() {
  std::vector<Constant> all;
  for (const BandTable& table : band_tables()) {
    for (const BandRow& row : table.rows) {
      all.push_back({"memory band: " + std::string(row.class_name), row.kind, row.n, row.sources});
    }
  }
  for (const BandRow& row : recommender_band_rows()) {
    all.push_back({"memory band: " + std::string(row.class_name), row.kind, row.n, row.sources});
  }
  for (const StackBehaviour& row : stack_behaviours()) {
    all.push_back({"stack: " + std::string(name_of(row.stack)), row.kind, row.n, row.sources});
  }
  for (const Calibrated& row : k_calibration) {
    // Their publications are listed in data/calibration/speed.json, which its own test reads.
    all.push_back({"speed: " + std::string(row.name), kind_of(row.standing), row.measurements, 0});
  }
  return all;
}

double width(const BandRow& row) {
  return row.above / row.below;
}

// Numbers in a comment such as "fitted, n = 10 rows" or "fitted on 27 figures"; the largest, or 0.
int figures_named(const std::string& comment) {
  int largest = 0;
  for (std::size_t i = 0; i < comment.size();) {
    const bool starts = std::isdigit(static_cast<unsigned char>(comment[i])) != 0 && (i == 0 || comment[i - 1] == ' ');
    std::size_t end = i;
    while (starts && end < comment.size() && std::isdigit(static_cast<unsigned char>(comment[end])) != 0) {
      ++end;
    }
    const bool whole = end > i && end - i < 7 && (end == comment.size() || comment[end] != '.');
    largest = whole ? std::max(largest, std::stoi(comment.substr(i, end - i))) : largest;
    i = std::max(end, i + 1);
  }
  return largest;
}

}  // namespace

TEST_CASE("constants by kind") {
  constexpr std::array<std::string_view, 3> k_names = {"counted", "fitted", "prior"};
  const std::vector<Constant> all = all_constants();
  std::set<std::string> names;
  for (std::size_t kind = 0; kind < k_names.size(); ++kind) {
    std::size_t count = 0;
    for (const Constant& constant : all) {
      if (constant.kind == static_cast<ConstantKind>(kind)) {
        std::cout << k_names[kind] << "  n=" << constant.n << "  " << constant.name << '\n';
        ++count;
      }
    }
    std::cout << k_names[kind] << ": " << count << '\n';
    CHECK(count > 0);
  }
  for (const Constant& constant : all) {
    INFO(constant.name);
    CHECK(names.insert(constant.name).second);
    CHECK(constant.n >= 0);
    if (constant.kind == ConstantKind::fitted) {
      CHECK(constant.n >= k_fewest_figures);
      CHECK((constant.sources == 0 || constant.sources >= k_fewest_sources));
    }
  }
  CHECK(all.size() > k_calibration.size() + 40);
}

TEST_CASE("intervals of priors are at least as wide as the one that most measurements stand behind") {
  for (const BandTable& table : band_tables()) {
    const BandRow* usual = nullptr;
    for (const BandRow& row : table.rows) {
      INFO(table.name << ": " << row.class_name);
      CHECK(row.below > 0);
      CHECK(row.below < 1);
      CHECK(row.above > 1);
      CHECK(row.median_error < width(row) - 1);
      if (row.kind == ConstantKind::fitted && (usual == nullptr || row.n > usual->n)) {
        usual = &row;
      }
    }
    REQUIRE(usual != nullptr);
    for (const BandRow& row : table.rows) {
      INFO(table.name << ": " << row.class_name << " against " << usual->class_name);
      CHECK((row.kind != ConstantKind::prior || width(row) >= width(*usual)));
    }
  }
  // No measurement of recommenders: as wide as the loosest class of networks that are counted.
  for (const BandRow& row : recommender_band_rows()) {
    CHECK(width(row) >= 1.6);
  }
}

TEST_CASE("a training program nobody measured has the widest interval, and none a narrower one than its class") {
  const std::span<const StackBehaviour> rows = stack_behaviours();
  const double unknown = stack_behaviour(Stack::none).band_factor;
  for (const StackBehaviour& row : rows) {
    INFO(name_of(row.stack));
    CHECK(row.band_factor >= 1.0);
    CHECK(row.band_factor <= unknown);
    CHECK((row.kind != ConstantKind::prior || row.band_factor >= stack_behaviour(Stack::hf_trainer).band_factor));
  }
}

TEST_CASE("speed: intervals widen with every thing that is not known") {
  for (const std::string_view name : {"band.neighbour", "band.prior", "band.model", "band.link"}) {
    const auto* found = std::find_if(k_calibration.begin(), k_calibration.end(), [&](const Calibrated& c) { return c.name == name; });
    REQUIRE(found != k_calibration.end());
    INFO(name);
    CHECK(found->value > 1.0);
  }
}

TEST_CASE("comments that call a constant fitted name enough figures, or call it a prior too") {
  int seen = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(GPUADVISE_SOURCE_DIR "/src/estimate")) {
    std::ifstream file(entry.path());
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      const std::size_t at = line.find("fitted");
      const std::size_t comment = line.find("//");
      if (at == std::string::npos || comment == std::string::npos || comment > at || line.find("prior") != std::string::npos) {
        continue;
      }
      ++seen;
      const int figures = figures_named(line.substr(at));
      INFO(entry.path().filename().string() << ':' << number << ": " << line);
      CHECK((figures == 0 || figures >= k_fewest_figures));
      CHECK(line.find("one source") == std::string::npos);
    }
  }
  CHECK(seen > 8);
}

}  // namespace gpuadvise::estimate
