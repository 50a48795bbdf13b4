// In words: what each term of an estimate is computed from, and which published measurements the kind of job is held to.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpuadvise::advise {

// A class of the accuracy tests. median_error is the largest median error that the tests allow; nullopt: nothing of the kind was
// measured, the figures rest on counting and priors.
struct Basis {
  std::string_view class_name;
  std::string_view words;
  std::optional<double> median_error;
};

[[nodiscard]] const Basis& memory_basis(const Workload& workload, const Model& model);
[[nodiscard]] const Basis& speed_basis(const Workload& workload, const Model& model);
// Every row, for the test that holds them to the gates.
[[nodiscard]] std::span<const Basis> basis_rows();

// How a part of the memory is computed for this kind of job.
[[nodiscard]] std::string_view formula_of(double MemoryComponents::*part, const Workload& workload, const Model& model);
// How sure a part is by itself. counted: follows from the model and the settings; fitted: to measurements, whose median error it is;
// prior: bounded by few or none.
enum class Certainty : std::uint8_t { counted, fitted, prior };
[[nodiscard]] std::string_view to_string(Certainty certainty);
struct TermSource {
  Certainty certainty = Certainty::prior;
  std::string_view words;
  std::optional<double> median_error;  // of the fit; counted and prior have none
};
[[nodiscard]] const TermSource& source_of(double MemoryComponents::*part, const Workload& workload, const Model& model);
[[nodiscard]] const TermSource& source_of(double SpeedShares::*part);

// The numbers that go into it: "25.6M parameters, fp32"; may be empty.
[[nodiscard]] std::string inputs_of(double MemoryComponents::*part, const Request& request);

struct MemoryTerm {
  std::string_view name;
  double bytes = 0.0;
  std::string_view formula;
  std::string inputs;
  TermSource source;
};

// The row of a server's cache: the pool that it takes, and what the requests need of it; nullopt where nothing is pooled.
[[nodiscard]] std::optional<MemoryTerm> pool_term(const Request& request, const Figures& figures);

}  // namespace gpuadvise::advise
