#include "cli/advisor.hpp"

#include "advise/preferences.hpp"
#include "catalog/data_reader.hpp"
#include "catalog/gpu_price.hpp"
#include "rules/builtin.hpp"
#include "rules/software_answers.hpp"
#include "workload/fault.hpp"

#include <algorithm>
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
  return asked;
}

}  // namespace gpuadvise::cli
