#include "cli/software_question.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/near_name.hpp"
#include "software/question.hpp"
#include "units/lower_case.hpp"
#include "workload/fault.hpp"

#include <algorithm>

namespace gpuadvise::cli {
namespace {

bool same_software(const Gpu& a, const Gpu& b) {
  return a.vendor == b.vendor && a.compute_capability == b.compute_capability && a.gfx_target == b.gfx_target && a.family == b.family &&
         a.support.wheels == b.support.wheels;
}

// A name that several cards share means all of them; those that software cannot tell apart count once.
void add_cards(const catalog::Catalog& catalog, const std::string& text, std::vector<const Gpu*>& cards) {
  for (const Gpu* gpu : catalog.find_gpus(text)) {
    if (std::none_of(cards.begin(), cards.end(), [&](const Gpu* known) { return same_software(*gpu, *known); })) {
      cards.push_back(gpu);
    }
  }
}

const software::Library& library_named(const software::Facts& facts, const std::string& text) {
  if (const software::Library* library = software::find_library(facts, lower_case(text))) {
    return *library;
  }
  std::vector<std::string_view> names;
  std::string list;
  for (const software::Library& library : facts.libraries) {
    names.push_back(library.id);
    list += (list.empty() ? "" : ", ") + library.id;
  }
  const auto near = catalog::near_names(lower_case(text), names, 1);
  throw Error(ErrorCode::invalid_value, "--needs '" + text + "' is not known",
              near.empty() ? "one of " + list : "did you mean '" + std::string(near.front()) + "'?");
}

software::Os os_of(const SoftwareFlags& flags, const std::vector<software::Card>& cards) {
  if (!flags.os) {
    return software::default_os(cards);
  }
  const auto os = software::parse_os(lower_case(*flags.os));
  if (!os) {
    throw Error(ErrorCode::invalid_value, "unknown os '" + *flags.os + "'", "one of linux, linux-aarch64, windows, wsl2, macos");
  }
  return software::os_for(*os, cards);
}

}  // namespace

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> items;
  for (const std::string& item : split_list(text)) {
    if (const auto first = item.find_first_not_of(' '); first != std::string::npos) {
      items.push_back(item.substr(first, item.find_last_not_of(' ') - first + 1));
    }
  }
  return items;
}

software::Question read_question(const Session& session, const SoftwareFlags& flags) {
  software::Question question;
  const software::Facts& facts = session.software();
  std::vector<const Gpu*> cards;
  for (const std::string& name : split_commas(flags.gpu.value_or(""))) {
    add_cards(session.catalog(), name, cards);
  }
  for (const Gpu* gpu : cards) {
    question.cards.push_back(software::card_of(*gpu, facts));
  }
  const software::VersionTexts texts{flags.torch.value_or(""), flags.cuda.value_or(""), flags.driver.value_or(""),
                                     flags.python.value_or("")};
  workload::Faults faults;
  for (software::VersionFault& fault : software::read_versions(facts, texts, question)) {
    faults.push_back({ErrorCode::invalid_value, std::move(fault.key), std::move(fault.message), std::move(fault.hint)});
  }
  if (!faults.empty()) {
    throw workload::RequestError(std::move(faults));
  }
  question.os = os_of(flags, question.cards);
  for (const std::string& need : split_commas(flags.needs.value_or(""))) {
    question.needs.push_back(&library_named(facts, need));
  }
  return question;
}

}  // namespace gpuadvise::cli
