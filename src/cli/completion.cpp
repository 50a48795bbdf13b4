// gpuadvise completion SHELL: a script for the shell that completes commands, flags and values. Names of cards and models are
// asked of the program when they are needed, so that an overlay's are offered too.
#include <gpuadvise/error.hpp>

#include "advise/preferences.hpp"
#include "cli/commands.hpp"
#include "cli/flag_table.hpp"
#include "cli/flags.hpp"
#include "cli/terminal.hpp"
#include "workload/keys.hpp"

#include <fmt/format.h>

#include <array>
#include <set>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

// Words of a closed list, separated by spaces; empty where any text may stand.
std::string words_of(std::string_view key) {
  std::string words;
  std::set<std::uint8_t> shown;  // the first word of a value is the one to offer
  if (const workload::KeySpec* spec = workload::find_key(key)) {
    for (const workload::Choice& choice : spec->choices) {
      if (!choice.approximate && shown.insert(choice.value).second) {
        words += std::string(choice.name) + " ";
      }
    }
  } else if (const advise::PreferenceSpec* preference = advise::find_preference(key)) {
    for (const std::string_view word : preference->choices) {
      words += std::string(word) + " ";
    }
  } else if (key == "format") {
    words = "table json jsonl csv tsv markdown html ";
  } else if (key == "color") {
    words = "auto always never ";
  }
  if (!words.empty()) {
    words.pop_back();
  }
  return words;
}

// The command that lists what may stand behind a flag; empty = none.
std::string_view listing_of(std::string_view key) {
  constexpr auto cards = std::to_array<std::string_view>({"candidates", "exclude", "gpu", "have", "why_not"});
  for (const std::string_view name : cards) {
    if (key == name) {
      return "gpus";
    }
  }
  return key == "model" ? "models" : (key == "precision" || key == "weights" ? "precisions" : "");
}

std::string command_names() {
  std::string names;
  for (const Command& command : commands()) {
    names += (names.empty() ? "" : " ") + std::string(command.name);
  }
  return names;
}

std::string bash_values() {
  std::string cases;
  for (const FlagGroup group : k_flag_groups) {
    for (const FlagSpec& flag : flags_of(group)) {
      if (const std::string words = words_of(flag.key); !words.empty()) {
        cases += fmt::format("    --{}) words=\"{}\" ;;\n", flag.name, words);
      } else if (const std::string_view list = listing_of(flag.key); !list.empty()) {
        cases += fmt::format("    --{}) words=\"$(gpuadvise list {} --format id 2>/dev/null)\" ;;\n", flag.name, list);
      } else if (flag.value == "FILE" || flag.value == "DIR" || flag.key == "model_file") {
        cases += fmt::format("    --{}) COMPREPLY=($(compgen -f -- \"$cur\")); return ;;\n", flag.name);
      } else if (!flag.value.empty()) {
        cases += fmt::format("    --{}) return ;;\n", flag.name);
      }
    }
  }
  return cases;
}

// Values of a list are completed behind its last comma. Flags of a command are read off its help, which is never out of date.
std::string bash_script() {
  static constexpr std::string_view script = R"sh(_gpuadvise() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="" command="" words="" head=""
  [ "$COMP_CWORD" -gt 0 ] && prev="${{COMP_WORDS[COMP_CWORD-1]}}"
  case "${{COMP_WORDS[1]}}" in -*|"") ;; *) command="${{COMP_WORDS[1]}}" ;; esac
  COMPREPLY=()
  case "$prev" in
{values}    *)
      if [ "$COMP_CWORD" -eq 1 ] && [ "${{cur#-}}" = "$cur" ]; then
        words="{commands}"
      elif [ "${{cur#-}}" != "$cur" ] || [ -z "$cur" ]; then
        words="$(gpuadvise $command --help 2>/dev/null | grep -oE -- '^ +(-[a-z], )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+')"
      fi ;;
  esac
  case "$cur" in *,*) head="${{cur%,*}},"; cur="${{cur##*,}}" ;; esac
  COMPREPLY=($(compgen -P "$head" -W "$words" -- "$cur"))
}}
complete -o default -F _gpuadvise gpuadvise
)sh";
  return fmt::format(script, fmt::arg("values", bash_values()), fmt::arg("commands", command_names()));
}

std::string zsh_script() {
  return "#compdef gpuadvise\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script();
}

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("\\'") : std::string(1, c);
  }
  return out + "'";
}

std::string fish_script() {
  std::string script = "complete -c gpuadvise -f\n";
  for (const Command& command : commands()) {
    script += fmt::format("complete -c gpuadvise -n __fish_use_subcommand -a {} -d {}\n", command.name, quoted(command.summary));
  }
  for (const FlagGroup group : k_flag_groups) {
    for (const FlagSpec& flag : flags_of(group)) {
      script += fmt::format("complete -c gpuadvise -l {} -d {}", flag.name, quoted(flag.help));
      if (const std::string words = words_of(flag.key); !words.empty()) {
        script += " -x -a " + quoted(words);
      } else if (const std::string_view list = listing_of(flag.key); !list.empty()) {
        script += fmt::format(" -x -a '(gpuadvise list {} --format id)'", list);
      } else if (!flag.is_switch) {
        script += flag.value == "FILE" || flag.value == "DIR" || flag.key == "model_file" ? " -r -F" : " -x";
      }
      script += "\n";
    }
  }
  return script;
}

struct Shell {
  std::string_view name;
  std::string (*script)();
};

constexpr auto k_shells = std::to_array<Shell>({{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}});

}  // namespace

int run_completion(const Arguments& arguments) {
  FlagGroups groups;
  groups.data = false;
  groups.positional_least = 1;
  groups.positional_most = 1;
  groups.positional_name = "SHELL";
  const CommandLine line = read_command_line("completion", "A completion script for bash, zsh or fish.", groups, arguments);
  for (const Shell& shell : k_shells) {
    if (shell.name == line.positional.front()) {
      write_all(STDOUT_FILENO, shell.script());
      return 0;
    }
  }
  throw Error(ErrorCode::usage, "no completion for '" + line.positional.front() + "'", "one of bash, zsh, fish");
}

}  // namespace gpuadvise::cli
