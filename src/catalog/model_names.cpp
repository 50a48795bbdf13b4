#include "catalog/model_names.hpp"

#include <gpuadvise/units.hpp>

#include "catalog/model_key.hpp"
#include "catalog/model_suffix.hpp"
#include "units/joined.hpp"

#include <algorithm>
#include <array>

namespace gpuadvise::catalog {
namespace {

constexpr std::size_t k_longest_name = 200;

struct RankedName {
  std::string key;
  std::uint32_t model = 0;
  int rank = 0;  // lower wins
};

std::string_view after_last_slash(std::string_view text) {
  const std::size_t slash = text.rfind('/');
  return slash == std::string_view::npos ? text : text.substr(slash + 1);
}

void add_name(std::vector<RankedName>& names, std::string_view text, std::uint32_t model, int rank) {
  for (const bool underscore_is_point : {false, true}) {
    std::string key = model_key(text, underscore_is_point);
    if (!key.empty() && (!underscore_is_point || names.empty() || names.back().key != key)) {
      names.push_back({std::move(key), model, rank});
    }
  }
}

const ModelName* lookup(std::string_view key, std::span<const ModelName> names) {
  const auto found =
      std::lower_bound(names.begin(), names.end(), key, [](const ModelName& row, std::string_view k) { return row.normalised < k; });
  return found != names.end() && found->normalised == key ? &*found : nullptr;
}

std::vector<std::string_view> split_words(std::string_view key) {
  std::vector<std::string_view> words;
  while (!key.empty()) {
    const std::size_t dash = key.find('-');
    words.push_back(key.substr(0, dash));
    key = dash == std::string_view::npos ? std::string_view{} : key.substr(dash + 1);
  }
  return words;
}

bool has_size(std::string_view key) {
  const auto words = split_words(key);
  return std::any_of(words.begin(), words.end(), is_size_word);
}

// One attempt to read a name: what is left of it, and what went.
struct Reading {
  std::string key;
  std::string precision;
  std::vector<std::string> dropped;
};

bool is_sixteen_bit(std::string_view precision) {
  return precision == "fp16" || precision == "bf16" || precision == "fp32";
}

// "Q4_K_M-fp16": the narrower of two formats is that of the weights.
void note_precision(Reading& reading, const std::string& precision) {
  if (!precision.empty() && (reading.precision.empty() || is_sixteen_bit(reading.precision))) {
    reading.precision = precision;
  }
}

// Drops one suffix; false when there is none left. Dates go only where a size tells that this is no picture size.
bool drop_suffix(Reading& reading) {
  const NameSuffix suffix = find_name_suffix(reading.key);
  std::size_t length = suffix.length;
  if (length == 0) {
    const std::size_t dash = reading.key.rfind('-');
    const std::string_view last = dash == std::string::npos ? std::string_view{} : std::string_view(reading.key).substr(dash + 1);
    if (last.empty() || !is_date_word(last) || !has_size(reading.key)) {
      return false;
    }
    length = last.size() + 1;
  }
  note_precision(reading, suffix.precision);
  reading.dropped.push_back(reading.key.substr(reading.key.size() - length + 1));
  reading.key.resize(reading.key.size() - length);
  return true;
}

// Without the words that the test names, the first word excepted.
template <class Test>
Reading without_words(const Reading& reading, Test&& test) {
  Reading rest = reading;
  std::vector<std::string_view> kept;
  const auto words = split_words(reading.key);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0 && test(words, i)) {
      rest.dropped.emplace_back(words[i]);
    } else {
      kept.push_back(words[i]);
    }
  }
  rest.key = joined(kept, "-");
  return rest;
}

bool is_version(std::span<const std::string_view> words, std::size_t i) {
  const auto number = [](std::string_view word) { return word.find_first_not_of("0123456789.") == std::string_view::npos; };
  return (words[i] == "v" && i + 1 < words.size() && number(words[i + 1])) || (i > 0 && words[i - 1] == "v" && number(words[i]));
}

// Ways to read the text as a name, mildest first: as it stands, without organisation, remarks in parentheses, tags behind a point.
std::vector<Reading> readings_of(std::string_view text) {
  std::vector<Reading> readings;
  const auto add = [&](std::string_view part, std::string_view dropped) {
    for (const bool underscore_is_point : {false, true}) {
      Reading reading{model_key(part, underscore_is_point), {}, {}};
      const auto same = [&](const Reading& other) { return other.key == reading.key; };
      if (reading.key.empty() || std::any_of(readings.begin(), readings.end(), same)) {
        continue;
      }
      if (!dropped.empty()) {
        reading.dropped.emplace_back(dropped);
      }
      readings.push_back(std::move(reading));
    }
  };
  add(text, {});
  std::string_view bare = after_last_slash(text);
  add(bare, text.substr(0, text.size() - bare.size()));
  const std::size_t parenthesis = bare.find('(');
  if (parenthesis != std::string_view::npos && parenthesis > 0 && bare.back() == ')') {
    add(bare.substr(0, parenthesis), bare.substr(parenthesis));
    bare = bare.substr(0, parenthesis);
  }
  // "vit_base_patch16_224.augreg_in21k": the tag names the weights, not the network.
  for (std::size_t i = 1; i + 1 < bare.size(); ++i) {
    const char next = bare[i + 1];
    if (bare[i] == '.' && ((next >= 'a' && next <= 'z') || (next >= 'A' && next <= 'Z'))) {
      if (!has_size(model_key(bare.substr(0, i)))) {
        add(bare.substr(0, i), bare.substr(i));
      }
      break;
    }
  }
  // "Organisation_Name-7B": how repositories of converted models write "Organisation/Name-7B".
  const std::size_t underscore = bare.find('_');
  if (underscore != std::string_view::npos && bare.find('-', underscore) != std::string_view::npos &&
      has_size(model_key(bare.substr(underscore + 1)))) {
    add(bare.substr(underscore + 1), bare.substr(0, underscore + 1));
  }
  for (const std::string_view maker : {"meta", "nvidia", "google", "microsoft", "openai", "ibm", "deepseek-ai", "faster"}) {
    const std::string key = model_key(bare);
    if (key.size() > maker.size() + 1 && key.starts_with(maker) && key[maker.size()] == '-') {
      add(std::string_view(key).substr(maker.size() + 1), maker);
      break;
    }
  }
  return readings;
}

ModelLookup found(NameMatch match, const ModelName& row, const Reading& reading) {
  return {match, row.model, std::string(row.normalised), reading.precision, reading.dropped};
}

// The one model whose names begin with the prefix and go on with a word that passes the test; null where there are several.
template <class Test>
const ModelName* only_continuation(const std::string& prefix, std::span<const ModelName> names, Test&& continues) {
  const ModelName* only = nullptr;
  for (auto row = std::lower_bound(names.begin(), names.end(), prefix,
                                   [](const ModelName&name, const std::string&k) { return name.normalised < k; });
       row != names.end() && row->normalised.starts_with(prefix); ++row) {
    const std::string_view rest = row->normalised.substr(prefix.size());
    if ((only != nullptr && only->model != row->model) || !continues(rest.substr(0, rest.find('-')))) {
      return nullptr;
    }
    only = only == nullptr ? &*row : only;
  }
  return only;
}

// "qwen3-30b" where the catalog has one qwen3-30b-a3b: tools that name a model by its size leave out the active part. And
// "llama-3.3" where the catalog has one size of it.
const ModelName* complete(const std::string& key, std::span<const ModelName> names) {
  const std::size_t dash = key.rfind('-');
  if (dash != std::string::npos && is_size_word(std::string_view(key).substr(dash + 1))) {
    return only_continuation(key + "-a-", names, is_size_word);
  }
  return only_continuation(key + "-", names, is_size_word);
}

// The steps between the name as read and the barest form of it.
std::vector<Reading> strip(const Reading& start) {
  std::vector<Reading> steps{start};
  while (drop_suffix(steps.emplace_back(steps.back()))) {
  }
  steps.pop_back();
  const bool sized = has_size(steps.back().key);
  steps.push_back(without_words(
      steps.back(), [&](const auto& words, std::size_t i) { return is_stage_word(words[i]) || (sized && is_date_word(words[i])); }));
  if (sized) {
    steps.push_back(without_words(steps.back(), [](const auto& words, std::size_t i) { return is_version(words, i); }));
  }
  return steps;
}

// The name up to its size, where nothing behind it tells of another shape.
std::optional<Reading> up_to_size(const Reading& reading) {
  const auto words = split_words(reading.key);
  std::size_t last_size = words.size();
  for (std::size_t i = words.size(); i-- > 1;) {
    if (is_size_word(words[i])) {
      last_size = i;
      break;
    }
    if (changes_shape(words[i]) || words[i].size() == 1) {
      return std::nullopt;
    }
  }
  if (last_size + 1 >= words.size()) {
    return std::nullopt;
  }
  Reading rest = reading;
  rest.key = joined(std::span(words).first(last_size + 1), "-");
  rest.dropped.push_back(reading.key.substr(rest.key.size() + 1));
  return rest;
}

}  // namespace

std::vector<ModelName> build_model_names(std::span<const ModelNameSource> sources, TextPool& texts) {
  std::vector<RankedName> all;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const ModelNameSource& source = sources[i];
    const auto model = static_cast<std::uint32_t>(i);
    add_name(all, source.id, model, 0);
    for (const std::string_view alias : source.aliases) {
      add_name(all, alias, model, 1);
    }
    add_name(all, source.name, model, 2);
    add_name(all, source.hf_id, model, 3);
    add_name(all, after_last_slash(source.hf_id), model, 4);
  }
  std::stable_sort(all.begin(), all.end(), [](const RankedName& a, const RankedName& b) {
    if (a.key != b.key) {
      return a.key < b.key;
    }
    return a.rank != b.rank ? a.rank < b.rank : a.model > b.model;
  });
  std::vector<ModelName> names;
  for (RankedName& name : all) {
    if (names.empty() || names.back().normalised != name.key) {
      names.push_back({texts.keep(std::move(name.key)), name.model});
    }
  }
  return names;
}

std::optional<std::uint32_t> find_model(std::string_view text, std::span<const ModelName> names) {
  std::array<char, 2 * k_longest_name> buffer;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before read
  if (text.size() > k_longest_name) {
    return std::nullopt;
  }
  for (const bool underscore_is_point : {false, true}) {
    const std::size_t length = write_model_key(text, buffer.data(), buffer.size(), underscore_is_point);
    if (const ModelName* row = lookup({buffer.data(), length}, names)) {
      return row->model;
    }
  }
  return std::nullopt;
}

ModelLookup resolve_model(std::string_view text, std::span<const ModelName> names) {
  if (text.size() > k_longest_name) {
    return {};
  }
  const std::vector<Reading> readings = readings_of(text);
  for (const Reading& reading : readings) {
    if (const ModelName* row = lookup(reading.key, names)) {
      return found(reading.dropped.empty() ? NameMatch::exact : NameMatch::stripped, *row, reading);
    }
  }
  std::vector<std::vector<Reading>> stripped;
  for (const Reading& reading : readings) {
    for (const Reading& step : stripped.emplace_back(strip(reading))) {
      if (const ModelName* row = lookup(step.key, names)) {
        return found(NameMatch::stripped, *row, step);
      }
    }
  }
  for (const auto& steps : stripped) {
    if (const ModelName* row = complete(steps.back().key, names)) {
      return found(NameMatch::completed, *row, steps.back());
    }
  }
  for (const auto& steps : stripped) {
    if (const auto rest = up_to_size(steps.back())) {
      if (const ModelName* row = lookup(rest->key, names)) {
        return found(NameMatch::fine_tune, *row, *rest);
      }
    }
  }
  return {};
}

std::optional<double> params_in_name(std::string_view text) {
  const std::string key = model_key(after_last_slash(text));
  const auto words = split_words(key);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_size_word(words[i]) && (i == 0 || words[i - 1].back() != 'x')) {
      return parse_count(words[i]);
    }
    if (is_size_word(words[i])) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

}  // namespace gpuadvise::catalog
