#include "software/diagnosis.hpp"

#include <algorithm>
#include <charconv>

namespace gpuadvise::software {
namespace {

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end != text.data() ? std::optional<int>(value) : std::nullopt;
}

// "120" of sm_120, "6.1" of a capability.
std::optional<int> capability_in(const Diagnosis& diagnosis) {
  if (diagnosis.error->number == Number::sm) {
    const auto value = whole(diagnosis.seen.number);
    return value && *value >= 20 && *value < 1000 ? value : std::nullopt;
  }
  if (diagnosis.error->number == Number::capability) {
    const auto version = parse_version(diagnosis.seen.number);
    return version && version->parts[0] < 100 && version->parts[1] < 10 ? std::optional<int>(version->parts[0] * 10 + version->parts[1])
                                                                        : std::nullopt;
  }
  return std::nullopt;
}

std::string spans_words(const std::vector<Span>& spans) {
  constexpr std::size_t k_most = 6;  // the newest are what one installs
  std::string out;
  for (std::size_t i = spans.size() > k_most ? spans.size() - k_most : 0; i < spans.size(); ++i) {
    const Span& span = spans[i];
    out += (out.empty() ? "" : "; ") + span.build + ": torch " + span.torch_from +
           (span.torch_from == span.torch_to ? "" : " to " + span.torch_to);
  }
  return out;
}

void add_builds(const Facts& facts, const Question& question, std::vector<std::string>& words) {
  const Compatibility answer = judge(facts, question);
  std::string who;
  for (const Card& card : question.cards) {
    who += (who.empty() ? "" : " and ") + card.name;
  }
  if (!answer.install) {
    words.push_back("no build of the public index serves " + who);
    return;
  }
  words.push_back("builds that serve " + who + ": " + spans_words(answer.working));
  words.push_back("take torch " + answer.install->torch + " " + answer.install->build +
                  (answer.install->driver.empty() ? "" : " with driver " + answer.install->driver + " or newer"));
}

// The number of the message is the newest CUDA that the driver serves: 11040 is 11.4.
void add_driver(const Facts& facts, const Diagnosis& diagnosis, std::vector<std::string>& words) {
  const auto number = whole(diagnosis.seen.number);
  if (!number || *number < 1000 || *number > 99999) {
    return;
  }
  const std::string cuda = std::to_string(*number / 1000) + "." + std::to_string(*number % 1000 / 10);
  std::string branch;
  for (const DriverBranch& row : facts.branches) {
    branch = row.cuda == cuda ? " (driver branch R" + std::to_string(row.branch) + ")" : branch;
  }
  words.push_back("this driver serves CUDA up to " + cuda + branch);
  for (const CudaMajor& row : facts.majors) {
    if (row.major > *number / 1000) {
      words.push_back("CUDA " + std::to_string(row.major) + " builds need driver " + row.driver_linux + " (Windows " + row.driver_windows +
                      ")");
    }
  }
}

bool about_builds(const KnownError& error) {
  for (const std::string_view id : {"no-kernel-image", "capability-not-in-build", "card-too-old-for-build", "maxwell-pascal-removed",
                                    "driver-too-old", "cpu-only-build", "gfx-not-in-build", "no-matching-wheel", "ptx-too-new"}) {
    if (error.id == id) {
      return true;
    }
  }
  return false;
}

// The capability that any message of the log names: messages that name none are about the same card.
std::optional<int> capability_in(const std::vector<Diagnosis>& found) {
  for (const Diagnosis& diagnosis : found) {
    if (const auto capability = capability_in(diagnosis)) {
      return capability;
    }
  }
  return std::nullopt;
}

void add_case(const Facts& facts, const Question& known, std::optional<int> capability, Diagnosis& diagnosis) {
  if (diagnosis.error->number == Number::driver_cuda) {
    add_driver(facts, diagnosis, diagnosis.for_this_case);
  }
  Question question = known;
  question.torch.reset();
  question.build.clear();
  question.needs.clear();
  if (capability && question.cards.empty()) {
    Card card;
    card.name = "compute capability " + capability_text(*capability);
    card.capability = capability;
    question.cards = {card};
  }
  if (about_builds(*diagnosis.error) && !question.cards.empty()) {
    add_builds(facts, question, diagnosis.for_this_case);
  }
}

}  // namespace

LogReport diagnose(const Facts& facts, const LogScanner& scan, const ErrorTable& table, const Question& known) {
  LogReport report;
  report.lines = scan.lines();
  for (std::size_t i = 0; i < table.facts.size(); ++i) {
    if (scan.facts()[i].count > 0) {
      report.facts.emplace_back(table.facts[i], scan.facts()[i].number);
    }
  }
  Question question = known;
  for (const auto& [name, value] : report.facts) {
    if (name == "driver" && !question.driver) {
      question.driver = parse_version(value);
    }
  }
  for (std::size_t i = 0; i < table.errors.size(); ++i) {
    if (scan.errors()[i].count > 0) {
      report.found.push_back({&table.errors[i], scan.errors()[i], {}});
    }
  }
  std::stable_sort(report.found.begin(), report.found.end(),
                   [](const Diagnosis& a, const Diagnosis& b) { return a.seen.line < b.seen.line; });
  const auto capability = capability_in(report.found);
  for (Diagnosis& diagnosis : report.found) {
    add_case(facts, question, capability, diagnosis);
  }
  if (report.out_of_memory()) {
    report.memory = parse_out_of_memory(scan.memory_lines());
  }
  report.cards = card_names(scan.card_lines());
  return report;
}

}  // namespace gpuadvise::software
