// How long an epoch and the whole run take, from the speed and the amount of work.
#pragma once

#include <gpuadvise/figures.hpp>
#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>

namespace gpuadvise::estimate {

struct RunTime {
  std::optional<Interval> epoch_seconds;  // once over dataset_size
  std::optional<Interval> run_seconds;    // all epochs, steps or tokens
  std::optional<double> run_steps;        // optimizer steps in the run, a last batch that is not full counted as one
};

// Uses steps_total, else tokens_total, else epochs x dataset_size; a request states one of them. A sample of a language model is one
// sequence of `seq` tokens, of a diffusion model one denoiser step (training) or one picture of `steps` steps (inference).
[[nodiscard]] RunTime run_time(const Workload& workload, const SpeedFigures& speed);

}  // namespace gpuadvise::estimate
