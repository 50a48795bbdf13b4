// gpuadvise list: what the data holds, searchable.
#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "catalog/enum_names.hpp"
#include "catalog/gpu_price.hpp"
#include "cli/advisor.hpp"
#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "model/named.hpp"
#include "report/grid.hpp"
#include "report/json_writer.hpp"
#include "report/separated.hpp"
#include "units/lower_case.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

// Rows of texts and numbers under keys; the first column is the id.
struct Listing {
  std::vector<std::string> keys;
  std::vector<std::vector<Value>> rows;
};

Value known(const std::optional<double>& value) {
  return value ? Value(*value) : Value{};
}

Value text(std::string_view words) {
  return words.empty() ? Value{} : Value(std::string(words));
}

Listing list_gpus(const Session& session, const Advisor&) {
  Listing list{
      {"id", "name", "architecture", "memory_gib", "bandwidth_gb_s", "tdp_w", "form_factor", "availability", "price_usd", "price_kind"},
      {}};
  for (const Gpu& gpu : session.catalog().gpus()) {
    const auto price = catalog::choose_price(gpu, session.catalog().prices(gpu.id), Condition::any);
    list.rows.push_back({text(gpu.id), text(gpu.name), text(gpu.architecture), gpu.memory_gib, gpu.memory_bandwidth_gb_s, known(gpu.tdp_w),
                         text(catalog::enum_name(gpu.form_factor)), text(catalog::enum_name(gpu.availability)),
                         price ? Value(price->usd) : Value{}, price ? text(catalog::enum_name(price->kind)) : Value{}});
  }
  return list;
}

Listing list_models(const Session& session, const Advisor&) {
  Listing list{{"id", "field", "family", "params", "hf_id"}, {}};
  for (std::size_t i = 0; i < session.catalog().model_count(); ++i) {
    const Model model = session.catalog().model(i);
    list.rows.push_back({text(model.id), text(catalog::enum_name(model.field)), text(model.family), model.params(), text(model.hf_id)});
  }
  for (const std::string_view id : model::named_model_ids()) {
    if (const auto named = model::named_model(id)) {
      list.rows.push_back({text(id), text(catalog::enum_name(named->field)), text(named->family), named->params(), Value{}});
    }
  }
  return list;
}

Listing list_rules(const Session&, const Advisor& advisor) {
  Listing list{{"id", "severity", "why", "source"}, {}};
  for (const rules::RuleEntry& entry : advisor.rules().entries()) {
    list.rows.push_back({text(entry.rule->id), text(to_string(entry.rule->severity)), text(entry.rule->why), text(entry.rule->source)});
  }
  return list;
}

Listing list_precisions(const Session&, const Advisor&) {
  static constexpr auto names = std::to_array<std::string_view>({"fp32",
                                                                 "tf32",
                                                                 "amp-fp16",
                                                                 "amp-bf16",
                                                                 "fp16",
                                                                 "bf16",
                                                                 "fp8",
                                                                 "fp8-dynamic",
                                                                 "fp8-weight-only",
                                                                 "fp6",
                                                                 "fp4",
                                                                 "int8",
                                                                 "int8-dynamic",
                                                                 "int8-weight-only",
                                                                 "int4",
                                                                 "int4-dynamic",
                                                                 "int4-weight-only",
                                                                 "int8-gptq",
                                                                 "int4-gptq",
                                                                 "int3-gptq",
                                                                 "int4-awq",
                                                                 "nf4",
                                                                 "mxfp4",
                                                                 "mxfp8",
                                                                 "nvfp4",
                                                                 "hqq",
                                                                 "gguf:Q8_0",
                                                                 "gguf:Q6_K",
                                                                 "gguf:Q5_K_M",
                                                                 "gguf:Q4_K_M",
                                                                 "gguf:Q3_K_M",
                                                                 "gguf:Q2_K",
                                                                 "gguf:IQ4_XS",
                                                                 "mlx:4g64",
                                                                 "exl2:4.0"});
  Listing list{{"id", "computes_in_bytes"}, {}};
  for (const std::string_view name : names) {
    const auto precision = parse_precision(name);
    list.rows.push_back({text(name), precision ? Value(compute_bytes(*precision)) : Value{}});
  }
  return list;
}

Listing list_offers(const Session& session, const Advisor&) {
  Listing list{{"gpu_id", "provider", "instance", "gpus", "usd_per_gpu_hour", "kind", "as_of"}, {}};
  for (const Gpu& gpu : session.catalog().gpus()) {
    for (const CloudOffer& offer : session.catalog().offers(gpu.id)) {
      list.rows.push_back({text(offer.gpu_id), text(offer.provider), text(offer.instance), offer.gpus, offer.usd_per_gpu_hour,
                           text(offer.kind), text(offer.as_of)});
    }
  }
  return list;
}

Listing list_formats(const Session&, const Advisor&) {
  Listing list{{"id", "for"}, {}};
  list.rows = {{"table", "people; fits the terminal"},
               {"json", "the whole answer"},
               {"jsonl", "one result a line"},
               {"csv", "spreadsheets"},
               {"tsv", "awk and cut"},
               {"markdown", "issues and wikis"},
               {"html", "one file for a browser"}};
  return list;
}

struct Kind {
  std::string_view name;
  Listing (*make)(const Session&, const Advisor&);
};

constexpr std::array<Kind, 6> k_kinds{{{"gpus", list_gpus},
                                       {"models", list_models},
                                       {"rules", list_rules},
                                       {"precisions", list_precisions},
                                       {"offers", list_offers},
                                       {"formats", list_formats}}};

std::string cell_text(const std::string& key, const Value& cell) {
  if (const auto* number = cell.number()) {
    return key == "params" ? format_count(*number) : format_significant(*number, 4);
  }
  return cell.text() != nullptr ? *cell.text() : "-";
}

bool row_holds(const Listing& list, const std::vector<Value>& row, const std::string& word) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (lower_case(cell_text(list.keys[i], row[i])).find(word) != std::string::npos) {
      return true;
    }
  }
  return false;
}

void keep_matching(Listing& list, const std::string& search) {
  std::string rest = lower_case(search);
  while (!rest.empty()) {
    const auto end = std::min(rest.find(' '), rest.size());
    const std::string word = rest.substr(0, end);
    rest.erase(0, end + (end < rest.size() ? 1 : 0));
    if (!word.empty()) {
      std::erase_if(list.rows, [&](const std::vector<Value>& row) { return !row_holds(list, row, word); });
    }
  }
}

std::string as_table(const Listing& list) {
  report::Grid grid;
  for (const std::string& key : list.keys) {
    const bool number =
        std::any_of(list.rows.begin(), list.rows.end(), [&](const auto& row) { return row[grid.columns.size()].number() != nullptr; });
    grid.columns.push_back({key, number ? report::Align::right : report::Align::left});
  }
  for (const auto& row : list.rows) {
    report::GridRow cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
      cells.cells.push_back({cell_text(list.keys[i], row[i]), report::Tone::plain});
    }
    grid.rows.push_back(std::move(cells));
  }
  return render_grid(grid, {});
}

std::string as_json(const Listing& list) {
  std::string out;
  report::JsonWriter json(out, report::JsonWriter::Style::indented);
  json.begin_array();
  for (const auto& row : list.rows) {
    json.begin_object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      json.field(list.keys[i], row[i]);
    }
    json.end_object();
  }
  json.end_array();
  return out + "\n";
}

std::string as_csv(const Listing& list) {
  const std::vector<Value> header(list.keys.begin(), list.keys.end());
  std::string out = report::separated_line(header, ',');
  for (const auto& row : list.rows) {
    out += report::separated_line(row, ',');
  }
  return out;
}

std::string as_ids(const Listing& list) {
  std::string out;
  for (const auto& row : list.rows) {
    out += *row.front().text() + "\n";
  }
  return out;
}

}  // namespace

int run_list(const Arguments& arguments) {
  std::optional<std::string> search;
  std::optional<std::string> format;
  FlagGroups groups;
  groups.positional_least = 1;
  groups.positional_most = 1;
  groups.positional_name = "WHAT";
  groups.own = {{"search", "WORDS", "only rows that hold all the words", false, &search},
                {"format", "FORMAT", "table, json, csv, id", false, &format}};
  const CommandLine line =
      read_command_line("list", "What the data holds: gpus, models, rules, precisions, offers, formats.", groups, arguments);
  const auto kind = std::find_if(k_kinds.begin(), k_kinds.end(), [&](const Kind& k) { return k.name == line.positional.front(); });
  if (kind == k_kinds.end()) {
    throw Error(ErrorCode::usage, "nothing to list under '" + line.positional.front() + "'",
                "one of gpus, models, rules, precisions, offers, formats");
  }
  const Session session(line.data);
  const Advisor advisor(session, line.data);
  Listing list = kind->make(session, advisor);
  keep_matching(list, search.value_or(""));
  const std::string wanted = format.value_or("table");
  if (wanted == "table") {
    write_all(STDOUT_FILENO, as_table(list));
  } else if (wanted == "json") {
    write_all(STDOUT_FILENO, as_json(list));
  } else if (wanted == "csv") {
    write_all(STDOUT_FILENO, as_csv(list));
  } else if (wanted == "id") {
    write_all(STDOUT_FILENO, as_ids(list));
  } else {
    throw Error(ErrorCode::usage, "list does not print '" + wanted + "'", "one of table, json, csv, id");
  }
  return list.rows.empty() ? 1 : 0;
}

}  // namespace gpuadvise::cli
