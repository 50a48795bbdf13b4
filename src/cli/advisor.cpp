#include "cli/advisor.hpp"

#include "advise/preferences.hpp"
#include "catalog/data_reader.hpp"
#include "catalog/gpu_price.hpp"
#include "rules/builtin.hpp"
#include "rules/software_answers.hpp"
#include "workload/fault.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

namespace gpuadvise::cli {
namespace {

std::vector<std::string> rule_paths(const std::string& data_dir) {
  std::vector<std::string> paths;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(data_dir + "/rules", missing)) {
    if (entry.path().extension() == ".json" && entry.path().filename() != "objectives.json") {
      paths.push_back(entry.path().string());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// The rules of a data folder take the place of the compiled ones; a folder without rules keeps those.
const rules::RuleTable& base_rules(const DataWishes& wishes, std::deque<rules::CompiledRules>& compiled,
                                   std::deque<rules::RuleTable>& table) {
  std::vector<rules::RuleFile> files;
  if (wishes.sources.data_dir) {
    for (const std::string& path : rule_paths(*wishes.sources.data_dir)) {
      files.push_back({path, catalog::read_text_file(path)});
    }
  }
  if (files.empty()) {
    return rules::builtin_rules();
  }
  compiled.push_back(rules::compile_rules(files));
  table.push_back(compiled.back().table());
  return table.back();
}

// Wishes that bound nothing beside the others: allowed, but said.
std::vector<Finding> idle_wishes(const Preferences& wishes, const Request& request) {
  using K = PreferenceKey;
  std::vector<Finding> said;
  const auto say = [&](K key, const char* name, bool idle, const char* why) {
    if (idle && wishes.origin(key) >= Origin::file) {
      said.push_back({"setting-ignored", Severity::warn, std::string(name) + " " + why});
    }
  };
  const bool rents = wishes.source == Sourcing::rent;
  say(K::budget, "budget", rents, "bounds no card that is rented: give budget_per_hour, or source buy or both");
  say(K::reserve_share, "reserve_share", rents, "bounds no card that is rented: it is a share of budget");
  say(K::condition, "condition", rents, "has no effect on cards that are rented");
  say(K::host_cost_usd, "host_cost_usd", rents, "has no effect on cards that are rented");
  say(K::budget_per_hour, "budget_per_hour", wishes.source == Sourcing::buy, "bounds no card that is bought: give source rent or both");
  using W = WorkloadKey;
  constexpr auto amounts = std::to_array<W>({W::steps_total, W::tokens_total, W::epochs, W::dataset_size});
  const bool endless = std::all_of(amounts.begin(), amounts.end(), [&request](W key) { return request.origins[key] == Origin::unset; });
  constexpr const char* no_end = "has no effect: how long the run is is not known; give epochs, steps_total or tokens_total";
  say(K::deadline_hours, "deadline_hours", endless, no_end);
  say(K::budget_per_run, "budget_per_run", endless, no_end);
  return said;
}

}  // namespace

Advisor::Advisor(const Session& session, const DataWishes& wishes)
    : session_(session), objectives_(&rules::builtin_objectives()), rules_(base_rules(wishes, folder_rules_, folder_table_)) {
  if (wishes.sources.data_dir) {
    const std::string path = *wishes.sources.data_dir + "/rules/objectives.json";
    std::error_code missing;
    if (std::filesystem::exists(path, missing)) {
      folder_objectives_ = rules::compile_objectives(catalog::read_text_file(path), path);
      objectives_ = &folder_objectives_.table;
    }
  }
  for (const std::string& path : wishes.rule_files) {
    const std::string name = path == "-" ? "standard input" : path;
    rules_.overlay(rules::compile_rules({{name, catalog::read_text_file(path)}}), name);
  }
}

CatalogView Advisor::view(const Preferences& preferences) const {
  const catalog::Catalog& catalog = session_.catalog();
  CatalogView view;
  view.gpus = catalog.gpus();
  view.price = [&catalog, &preferences](const Gpu& gpu, Condition condition) -> std::optional<Price> {
    for (const PriceOverride& own : preferences.price_overrides) {
      if (&catalog.find_gpu(own.gpu) == &gpu) {
        return Price{gpu.id, own.usd, PriceKind::user, {}, "given with --price"};
      }
    }
    return catalog::choose_price(gpu, catalog.prices(gpu.id), condition);
  };
  view.offers = [&catalog](const Gpu& gpu) { return catalog.offers(gpu.id); };
  view.find = [&catalog](std::string_view text) { return catalog.find_gpus(text); };
  view.rules = &rules_;
  view.objectives = objectives_;
  view.software = [this]() -> const software::Facts& { return session_.software(); };
  return view;
}

Asked read_request(const Session& session, const CommandLine& line) {
  Asked asked;
  workload::Faults faults;
  asked.preferences = advise::read_preferences(line.preferences, faults);
  for (workload::Fault& fault :
       rules::version_faults(asked.preferences, [&session]() -> const software::Facts& { return session.software(); })) {
    faults.push_back(std::move(fault));
  }
  try {
    asked.request = session.resolve(line.workload);
  } catch (const workload::RequestError& error) {
    faults.insert(faults.begin(), error.faults().begin(), error.faults().end());
  }
  if (!faults.empty()) {
    throw workload::RequestError(std::move(faults));
  }
  for (Finding& finding : idle_wishes(asked.preferences, asked.request)) {
    asked.request.findings.push_back(std::move(finding));
  }
  return asked;
}

}  // namespace gpuadvise::cli
