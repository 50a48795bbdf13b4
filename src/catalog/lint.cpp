#include "catalog/lint.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/data_reader.hpp"
#include "catalog/discount.hpp"
#include "catalog/gpu_lint.hpp"
#include "catalog/model_lint.hpp"
#include "catalog/parse_json.hpp"
#include "catalog/price_lint.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

namespace gpuadvise::catalog {
namespace {

using nlohmann::json;

constexpr auto k_record_keys = std::to_array<std::string_view>({"gpus", "ambiguous", "prices", "offers", "models"});
// Keys of a file of records that hold no records.
constexpr auto k_head_keys = std::to_array<std::string_view>({"schema", "note", "reasons", "sources"});
constexpr double k_schema = 1;
// After this many a file is of another form, and more lines help nobody.
constexpr std::size_t k_most_findings = 200;

bool among(std::span<const std::string_view> words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void append(std::vector<Finding>& into, std::vector<Finding>&& more) {
  into.insert(into.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

std::string with_index(std::string text, const std::string& key, std::size_t index) {
  const std::string first = key + "[0]";
  const auto at = text.find(first);
  return at == std::string::npos ? text : text.replace(at, first.size(), key + "[" + std::to_string(index) + "]");
}

// Every row goes alone through the program's own reader, so that one bad row does not hide the others.
void read_rows(const json& rows, const std::string& key, CatalogData& data, std::vector<Finding>& findings) {
  if (!rows.is_array()) {
    findings.push_back({"file-form", Severity::reject, "expected a list at " + key});
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    try {
      json alone;
      alone[key] = json::array({rows[i]});
      read_data(alone.dump(-1, ' ', false, json::error_handler_t::replace), {}, data);
    } catch (const Error& error) {
      findings.push_back({"file-form", Severity::reject, with_index(error.message(), key, i)});
    }
  }
}

void check_head(const json& root, const LintContext& context, std::vector<Finding>& findings) {
  const auto schema = root.find("schema");
  if (schema == root.end()) {
    findings.push_back({"file-schema", Severity::warn, "no \"schema\": 1"});
  } else if (!schema->is_number() || schema->get<double>() != k_schema) {
    findings.push_back({"file-schema", Severity::reject, "\"schema\" must be 1"});
  }
  for (const auto& item : root.items()) {
    const std::string& key = item.key();
    const bool of_a_hook = std::any_of(context.hooks.begin(), context.hooks.end(), [&](const LintHook& hook) { return hook.key == key; });
    if (!among(k_record_keys, key) && !among(k_head_keys, key) && !of_a_hook) {
      findings.push_back({"file-form", Severity::reject, "unknown key '" + key + "' at the top level"});
    }
  }
}

// usd_per_hour is kept for reading only, but must not contradict the price per GPU.
void check_hourly_sums(const json& root, std::vector<Finding>& findings) {
  const auto offers = root.find("offers");
  if (offers == root.end() || !offers->is_array()) {
    return;
  }
  const auto value = [](const json& row, const char* key) {
    const auto found = row.find(key);
    return found != row.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  for (std::size_t i = 0; i < offers->size(); ++i) {
    const json& row = (*offers)[i];
    if (!row.is_object() || value(row, "usd_per_hour") <= 0.0) {
      continue;
    }
    const double sum = value(row, "gpus") * value(row, "usd_per_gpu_hour");
    if (std::abs(sum - value(row, "usd_per_hour")) > 0.02 * sum + 0.01) {
      findings.push_back(
          {"offer-sum", Severity::reject, "usd_per_hour is not gpus x usd_per_gpu_hour at offers[" + std::to_string(i) + "]"});
    }
  }
}

std::vector<Finding> lint_records(const json& root, const LintContext& context) {
  std::vector<Finding> findings;
  CatalogData data;
  check_head(root, context, findings);
  for (const std::string_view key : k_record_keys) {
    const auto rows = root.find(key);
    if (rows != root.end()) {
      read_rows(*rows, std::string(key), data, findings);
    }
  }
  append(findings, lint_gpus(data.gpus));
  std::vector<std::string_view> known(context.known_gpus.begin(), context.known_gpus.end());
  if (!known.empty()) {
    for (const GpuRecord& record : data.gpus) {
      known.push_back(record.gpu.id);
    }
  }
  append(findings, lint_prices(data.prices, known));
  append(findings, lint_offers(data.offers, known));
  check_hourly_sums(root, findings);
  append(findings, lint_models(data.models));
  return findings;
}

std::vector<Finding> lint_parsed(const json& root, std::string_view text, std::string_view file_name, const LintContext& context) {
  if (!root.is_object()) {
    return {{"file-form", Severity::reject, "expected an object at the top level"}};
  }
  std::vector<Finding> findings;
  const bool records = std::any_of(k_record_keys.begin(), k_record_keys.end(), [&](std::string_view key) { return root.contains(key); });
  if (records) {
    findings = lint_records(root, context);
  }
  const auto hook = std::find_if(context.hooks.begin(), context.hooks.end(), [&](const LintHook& each) { return root.contains(each.key); });
  if (hook != context.hooks.end()) {
    append(findings, hook->lint(text, file_name));
  }
  if (records || hook != context.hooks.end()) {
    return findings;
  }
  if (root.contains("discounts")) {
    TextPool texts;
    (void)read_discounts(text, std::string(file_name), texts);
    return {};
  }
  std::string kinds = "discounts";
  for (const std::string_view key : k_record_keys) {
    kinds += ", " + std::string(key);
  }
  for (const LintHook& each : context.hooks) {
    kinds += ", " + std::string(each.key);
  }
  return {{"file-form", Severity::reject, "no known kind of data: none of " + kinds + " at the top level"}};
}

}  // namespace

std::vector<Finding> lint_text(std::string_view json_text, std::string_view file_name, const LintContext& context) {
  std::vector<Finding> findings;
  try {
    const json root = parse_json(json_text, std::string(file_name));
    findings = lint_parsed(root, json_text, file_name, context);
  } catch (const Error& error) {
    const std::string where = error.where().empty() ? std::string() : " at " + error.where();
    return {{"file-form", Severity::reject, error.message() + where}};
  }
  if (findings.size() > k_most_findings) {
    const std::size_t more = findings.size() - k_most_findings;
    findings.resize(k_most_findings);
    findings.push_back({"file-form", Severity::reject, std::to_string(more) + " further findings are not shown"});
  }
  return findings;
}

}  // namespace gpuadvise::catalog
