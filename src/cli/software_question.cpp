#include "cli/software_question.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/near_name.hpp"

#include <algorithm>
#include <cctype>

namespace gpuadvise::cli {
namespace {

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

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

std::optional<software::Version> version_of(const char* flag, const std::optional<std::string>& text, const char* example) {
  if (!text) {
    return std::nullopt;
  }
  const auto version = software::parse_version(*text);
  if (!version) {
    throw Error(ErrorCode::invalid_value, std::string("--") + flag + " '" + *text + "' is not a version",
                std::string("for example ") + example);
  }
  return version;
}

// 12.8, 12, cu128, rocm6.4, xpu, mps.
std::string build_name(const std::string& text) {
  const std::string name = lower(text);
  if (name.starts_with("cu") || name.starts_with("rocm") || name == "xpu" || name == "mps") {
    return name;
  }
  const auto version = software::parse_version(name);
  if (!version) {
    throw Error(ErrorCode::invalid_value, "--cuda '" + text + "' is neither a CUDA version nor a build",
                "for example 12.8, cu128, rocm6.4, xpu");
  }
  return "cu" + std::to_string(version->parts[0]) + (version->count > 1 ? std::to_string(version->parts[1]) : "");
}

const software::Library& library_named(const std::string& text) {
  const auto& facts = software::facts();
  if (const software::Library* library = software::find_library(facts, lower(text))) {
    return *library;
  }
  std::vector<std::string_view> names;
  std::string list;
  for (const software::Library& library : facts.libraries) {
    names.push_back(library.id);
    list += (list.empty() ? "" : ", ") + library.id;
  }
  const auto near = catalog::near_names(lower(text), names, 1);
  throw Error(ErrorCode::invalid_value, "--needs '" + text + "' is not known",
              near.empty() ? "one of " + list : "did you mean '" + std::string(near.front()) + "'?");
}

software::Os os_of(const SoftwareFlags& flags, const std::vector<software::Card>& cards) {
  if (flags.os) {
    const auto os = software::parse_os(lower(*flags.os));
    if (!os) {
      throw Error(ErrorCode::invalid_value, "unknown --os '" + *flags.os + "'", "one of linux, linux-aarch64, windows, wsl2, macos");
    }
    const bool arm = std::any_of(cards.begin(), cards.end(), [](const software::Card& card) { return card.arm_host; });
    return *os == software::Os::linux && arm ? software::Os::aarch64 : *os;
  }
  if (!cards.empty() && cards.front().vendor == Vendor::apple) {
    return software::Os::macos;
  }
  return !cards.empty() && cards.front().arm_host ? software::Os::aarch64 : software::Os::linux;
}

}  // namespace

std::vector<std::string> split_commas(const std::string& text) {
  std::vector<std::string> items;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string item = text.substr(start, end - start);
    if (item.find_first_not_of(' ') != std::string::npos) {
      items.push_back(item.substr(item.find_first_not_of(' '), item.find_last_not_of(' ') - item.find_first_not_of(' ') + 1));
    }
    start = end + 1;
  }
  return items;
}

software::Question read_question(const catalog::Catalog& catalog, const SoftwareFlags& flags) {
  software::Question question;
  const auto& facts = software::facts();
  std::vector<const Gpu*> cards;
  for (const std::string& name : split_commas(flags.gpu.value_or(""))) {
    add_cards(catalog, name, cards);
  }
  for (const Gpu* gpu : cards) {
    question.cards.push_back(software::card_of(*gpu, facts));
  }
  question.torch = version_of("torch", flags.torch, "2.8");
  question.driver = version_of("driver", flags.driver, "535.104.05");
  question.python = version_of("python", flags.python, "3.12");
  question.build = flags.cuda ? build_name(*flags.cuda) : "";
  question.os = os_of(flags, question.cards);
  for (const std::string& need : split_commas(flags.needs.value_or(""))) {
    question.needs.push_back(&library_named(need));
  }
  return question;
}

}  // namespace gpuadvise::cli
