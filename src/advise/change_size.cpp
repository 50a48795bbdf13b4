// Changes of the input: shorter texts, smaller images. They change the job, so only where the user allows it, or left the length open.
#include "advise/change_apply.hpp"
#include "advise/smallest_change.hpp"
#include "units/whole_text.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gpuadvise::advise {
namespace {

constexpr double k_seq_step = 256.0;
constexpr double k_least_share_of_sequence = 0.125;  // an eighth of the text is another job
constexpr double k_image_step = 32.0;                // the stride of most backbones
constexpr double k_pipeline_step = 64.0;             // latents of 8 pixels, in blocks of 8
constexpr double k_least_share_of_image = 0.5;

// The largest whole number in [least, below) that fits, given that what is smaller than a fitting one fits too.
template <class Fits>
std::optional<double> largest_between(double least, double below, Fits fits) {
  const auto found = largest_below(below - least + 1.0, [&](double count) { return fits(count + least - 1.0); });
  return found ? std::optional<double>(*found + least - 1.0) : std::nullopt;
}

double to_step(double pixels, double step) {
  return std::max(step, std::round(pixels / step) * step);
}

Setting image_setting(const Changed& c, const ImageSize& image) {
  const bool pipeline = c.request->model.diffusion() != nullptr;
  if (c.given(WorkloadKey::resolution) || (pipeline && !c.given(WorkloadKey::image))) {
    const std::string frames = image.frames > 1.0 ? "x" + whole_text(image.frames) + "f" : std::string();
    return {"resolution", Value(whole_text(image.width) + "x" + whole_text(image.height) + frames), Origin::user};
  }
  Value::List sides;
  if (image.frames > 1.0) {
    sides.emplace_back(image.frames);
  }
  sides.emplace_back(image.height);
  sides.emplace_back(image.width);
  return {"image", Value(std::move(sides)), Origin::user};
}

}  // namespace

bool shorten_sequence(Changed& c) {
  Workload& w = c.workload;
  // A length that nobody named may be shortened unasked; text of an encoder-only network is padded to what was said.
  const bool open = c.options->shorter_input || (!c.given(WorkloadKey::seq) && !c.given(WorkloadKey::prompt_len));
  if (!open || c.request->model.transformer() == nullptr || w.seq <= 2.0 * k_seq_step || (!w.training() && w.gen_len >= w.seq)) {
    return false;
  }
  Workload candidate = w;
  // Not so short that it is another job, nor too short for the answer.
  const double least = std::max(std::ceil(k_least_share_of_sequence * w.seq / k_seq_step), std::floor(w.gen_len / k_seq_step) + 1.0);
  const auto steps = largest_between(least, std::ceil(w.seq / k_seq_step), [&](double count) {
    candidate.seq = count * k_seq_step;
    candidate.prompt_len = std::max(1.0, candidate.seq - w.gen_len);
    return c.holds(candidate);
  });
  if (!steps) {
    return false;
  }
  w.seq = *steps * k_seq_step;
  set(c, "seq", w.seq);
  if (!w.training()) {
    w.prompt_len = w.seq - w.gen_len;
    if (c.given(WorkloadKey::prompt_len)) {
      set(c, "prompt_len", w.prompt_len);
    }
  }
  return true;
}

bool shrink_image(Changed& c) {
  Workload& w = c.workload;
  const ImageProfile* profile = c.request->model.image();
  const bool pipeline = c.request->model.diffusion() != nullptr;
  const bool fixed = profile == nullptr ? !pipeline : profile->fixed_image;
  const double step = pipeline ? k_pipeline_step : k_image_step;
  // Networks counted for one image size are counted anew for another.
  const bool counted = profile != nullptr && profile->source != ProfileSource::traced;
  if (!c.options->shorter_input || fixed || w.image.height <= 2.0 * step || (counted && !c.options->with_settings)) {
    return false;
  }
  Workload candidate = w;
  const auto resized = [&](double count) {
    candidate.image.height = count * step;
    candidate.image.width = to_step(w.image.width * candidate.image.height / w.image.height, step);
  };
  const double least = std::ceil(k_least_share_of_image * w.image.height / step);
  const auto steps = largest_between(least, std::ceil(w.image.height / step), [&](double count) {
    resized(count);
    return counted ? c.holds_with(image_setting(c, candidate.image)).has_value() : c.holds(candidate);
  });
  if (!steps) {
    return false;
  }
  resized(*steps);
  w.image = candidate.image;
  const Setting setting = image_setting(c, w.image);
  set(c, setting.key, setting.value);
  return true;
}

}  // namespace gpuadvise::advise
