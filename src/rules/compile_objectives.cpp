#include <gpuadvise/error.hpp>

#include "catalog/parse_json.hpp"
#include "rules/objectives.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bitset>
#include <cmath>

namespace gpuadvise::rules {
namespace {

using Json = nlohmann::json;

constexpr std::array<Prefer, k_preferences> k_prefer{Prefer::balanced, Prefer::value, Prefer::speed, Prefer::memory, Prefer::efficiency};

class Reader {
 public:
  Reader(const Json& document, const std::string& file) : document_(document), file_(file) {}

  [[nodiscard]] CompiledObjectives read() {
    const Json& objectives = member(document_, "objectives", "");
    if (!objectives.is_array() || objectives.size() != k_objectives) {
      fail("/objectives", "expected a list of the six objectives");
    }
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      objective(objectives[i], "/objectives/" + std::to_string(i));
    }
    out_.table.reference_gpu = keep(text(document_, "reference_gpu", ""));
    const Json& weights = member(document_, "weights", "");
    for (const Prefer prefer : k_prefer) {
      weights_of(prefer, weights);
    }
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& path, const std::string& message) const {
    throw Error(ErrorCode::bad_data, message, {}, file_ + (path.empty() ? "" : " at " + path));
  }

  [[nodiscard]] std::string_view keep(std::string value) { return out_.storage.emplace_back(std::move(value)); }

  [[nodiscard]] const Json& member(const Json& of, const char* key, const std::string& path) const {
    if (!of.is_object() || !of.contains(key)) {
      fail(path, "'" + std::string(key) + "' is missing");
    }
    return of[key];
  }

  [[nodiscard]] std::string text(const Json& of, const char* key, const std::string& path) const {
    const Json& value = member(of, key, path);
    if (!value.is_string()) {
      fail(path + "/" + key, "must be a text");
    }
    return value.get<std::string>();
  }

  [[nodiscard]] double number_of(const Json& of, const char* key, const std::string& path) const {
    const Json& value = member(of, key, path);
    if (!value.is_number() || !std::isfinite(value.get<double>())) {
      fail(path + "/" + key, "must be a number");
    }
    return value.get<double>();
  }

  void objective(const Json& each, const std::string& path) {
    const std::string id = text(each, "id", path);
    const std::optional<Objective> which = parse_objective(id);
    if (!which || seen_[static_cast<std::size_t>(*which)]) {
      fail(path + "/id", "unknown or repeated objective '" + id + "'");
    }
    seen_.set(static_cast<std::size_t>(*which));
    ObjectiveSpec& spec = out_.table.objectives[static_cast<std::size_t>(*which)];
    spec.objective = *which;
    const std::string name = text(each, "fact", path);
    const std::optional<FactIndex> index = find_fact(name);
    if (!index || fact_at(*index).kind != Kind::number) {
      fail(path + "/fact", "'" + name + "' is no fact with a number");
    }
    spec.fact = *index;
    const std::string scale = text(each, "scale", path);
    if (scale != "log" && scale != "linear") {
      fail(path + "/scale", "must be log or linear");
    }
    spec.logarithmic = scale == "log";
    spec.at_zero = number_of(each, "at_zero", path);
    spec.at_one = number_of(each, "at_one", path);
    spec.unknown = number_of(each, "unknown", path);
    if (spec.at_zero == spec.at_one || (spec.logarithmic && (spec.at_zero <= 0.0 || spec.at_one <= 0.0))) {
      fail(path, "at_zero and at_one must differ, and be positive on a log scale");
    }
    spec.title = keep(text(each, "title", path));
    spec.why = keep(text(each, "why", path));
  }

  void weights_of(Prefer prefer, const Json& all) {
    const std::string name(to_string(prefer));
    const std::string path = "/weights/" + name;
    const Json& given = member(all, name.c_str(), "/weights");
    double sum = 0.0;
    for (std::size_t i = 0; i < k_objectives; ++i) {
      const double weight = number_of(given, std::string(to_string(static_cast<Objective>(i))).c_str(), path);
      if (weight < 0.0) {
        fail(path, "weights must not be negative");
      }
      out_.table.weights[static_cast<std::size_t>(prefer)][i] = weight;
      sum += weight;
    }
    if (std::abs(sum - 1.0) > 1e-9) {
      fail(path, "weights must sum to 1");
    }
  }

  const Json& document_;
  const std::string& file_;
  CompiledObjectives out_;
  std::bitset<k_objectives> seen_;
};

}  // namespace

CompiledObjectives compile_objectives(std::string_view text, const std::string& file) {
  const Json document = catalog::parse_json(text, file);
  return Reader(document, file).read();
}

}  // namespace gpuadvise::rules
