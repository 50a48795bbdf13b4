// The commands by name. Each reads its own arguments and returns the exit status.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::cli {

using Arguments = std::vector<std::string>;

struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const Arguments&) = nullptr;
};

[[nodiscard]] std::span<const Command> commands();

int run_recommend(const Arguments& arguments);
int run_estimate(const Arguments& arguments);
int run_check(const Arguments& arguments);
int run_solve(const Arguments& arguments);
int run_matrix(const Arguments& arguments);
int run_explain(const Arguments& arguments);
int run_compare(const Arguments& arguments);
int run_list(const Arguments& arguments);
int run_show(const Arguments& arguments);
int run_import(const Arguments& arguments);
int run_lint(const Arguments& arguments);
int run_compat(const Arguments& arguments);
int run_setup(const Arguments& arguments);
int run_doctor(const Arguments& arguments);
int run_host(const Arguments& arguments);
int run_export(const Arguments& arguments);
int run_config(const Arguments& arguments);
int run_completion(const Arguments& arguments);
int run_help(const Arguments& arguments);

}  // namespace gpuadvise::cli
