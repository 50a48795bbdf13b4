#include "software/lint.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/parse_json.hpp"
#include "software/error_patterns.hpp"
#include "software/releases.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

namespace gpuadvise::software {
namespace {

using Findings = std::vector<Finding>;

void add(Findings& findings, std::string rule, std::string message) {
  findings.push_back({std::move(rule), Severity::reject, std::move(message)});
}

// A compiler cannot write code for an architecture that it does not know, or no longer knows.
void lint_kernels(const Facts& known, const Release& release, const Build& build, const std::vector<int>& codes, Findings& findings) {
  const std::string name = "torch " + release.version + " " + build.name;
  if (!std::is_sorted(codes.begin(), codes.end())) {
    add(findings, "software-order", name + ": capabilities are not in rising order");
  }
  for (const Toolkit& toolkit : known.toolkits) {
    if (!same_as_far_as_given(toolkit.version, build.cuda)) {
      continue;
    }
    for (const int code : codes) {
      if (code < toolkit.from || code > toolkit.to) {
        add(findings, "software-toolkit", name + ": CUDA " + build.cuda.text() + " has no sm_" + std::to_string(code));
      }
    }
    return;
  }
}

void lint_releases(const Facts& read, const Facts& known, Findings& findings) {
  const Release* before = nullptr;
  for (const Release& release : read.releases) {
    if (before != nullptr && !(before->number < release.number)) {
      add(findings, "software-order", "torch " + release.version + " stands after " + before->version);
    }
    before = &release;
    if (release.python_to < release.python_from) {
      add(findings, "software-python", "torch " + release.version + ": python_to is below python_from");
    }
    const bool has_default = release.default_build.empty() || std::any_of(release.builds.begin(), release.builds.end(),
                                                                          [&](const Build& b) { return b.name == release.default_build; });
    if (!has_default) {
      add(findings, "software-default", "torch " + release.version + ": the default build is not among the builds");
    }
    for (const Build& build : release.builds) {
      if (build.name != "cu" + std::to_string(build.cuda.parts[0]) + std::to_string(build.cuda.parts[1])) {
        add(findings, "software-build", "torch " + release.version + ": " + build.name + " is not CUDA " + build.cuda.text());
      }
      if (build.source.empty()) {
        add(findings, "software-source", "torch " + release.version + " " + build.name + ": the source is not in the list");
      }
      for (const Kernels* kernels : {&build.linux, &build.windows, &build.aarch64}) {
        lint_kernels(known, release, build, kernels->code, findings);
      }
    }
  }
}

void lint_cuda(const Facts& read, Findings& findings) {
  const Toolkit* before = nullptr;
  for (const Toolkit& toolkit : read.toolkits) {
    const auto driver = parse_version(toolkit.driver_linux);
    const auto older = before != nullptr ? parse_version(before->driver_linux) : std::nullopt;
    if (!driver || (older && *driver < *older)) {
      add(findings, "software-driver", "CUDA " + toolkit.version.text() + ": its driver is older than that of the toolkit before");
    }
    before = &toolkit;
  }
  for (const ArchitectureSpan& span : read.architectures) {
    if (span.to < span.from) {
      add(findings, "software-span", "capability " + capability_text(span.from) + ": the span is empty");
    }
  }
}

// Each example is found as its own error, and as no other.
void lint_errors(const ErrorTable& table, Findings& findings) {
  for (const KnownError& error : table.errors) {
    LogScanner scanner(table);
    scanner.feed(error.example);
    scanner.finish();
    for (std::size_t i = 0; i < table.errors.size(); ++i) {
      const bool own = table.errors[i].id == error.id;
      if ((scanner.errors()[i].count > 0) != own) {
        add(findings, "software-example", error.id + ": its example is " + (own ? "not found" : "found as " + table.errors[i].id));
      }
    }
  }
}

}  // namespace

std::vector<Finding> lint_software(std::string_view text, std::string_view file) {
  Findings findings;
  try {
    const nlohmann::json document = catalog::parse_json(text, std::string(file));
    if (document.contains("log_errors")) {
      lint_errors(read_errors(text), findings);
      return findings;
    }
    const Facts read = read_rows(text, std::string(file));
    Facts known = facts();
    static_cast<void>(lay_over(known, Facts(read)));
    lint_releases(read, known, findings);
    lint_cuda(read, findings);
  } catch (const Error& error) {
    add(findings, "software-form", error.message() + (error.where().empty() ? "" : " at " + error.where()));
  } catch (const nlohmann::json::exception& error) {
    add(findings, "software-form", catalog::parse_fault(error.what()));
  }
  return findings;
}

}  // namespace gpuadvise::software
