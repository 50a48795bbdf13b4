#include "workload/field_job.hpp"

#include "workload/defaults.hpp"
#include "workload/keys.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace gpuadvise::workload {
namespace {

using K = WorkloadKey;

enum class When : std::uint8_t { always, training, inference };

// One setting of a field's usual job.
struct JobSetting {
  Field field = Field::vision;
  When when = When::always;
  K key = K::model;
  std::string_view value;
};

// What most people run who say no more than the field: the models that guides and benchmarks of each field measure cards by.
constexpr auto k_jobs = std::to_array<JobSetting>({
    {Field::vision, When::always, K::model, "resnet50"},
    {Field::vision, When::training, K::precision, "amp-fp16"},
    {Field::vision, When::training, K::batch, "64"},
    {Field::detection, When::always, K::model, "faster-rcnn-r50-fpn"},
    {Field::detection, When::training, K::precision, "amp-fp16"},
    {Field::detection, When::training, K::batch, "2"},
    {Field::language, When::always, K::model, "llama-3.1-8b"},
    {Field::language, When::training, K::method, "qlora"},
    {Field::language, When::inference, K::engine, "llama.cpp"},  // at home in 4 bits; whoever serves many says how many, or with what
    {Field::encoder, When::always, K::model, "bert-base"},
    {Field::encoder, When::training, K::precision, "amp-fp16"},
    {Field::encoder, When::training, K::batch, "16"},
    {Field::speech, When::always, K::model, "whisper-large-v3"},
    {Field::diffusion, When::always, K::model, "sdxl"},
    {Field::diffusion, When::training, K::method, "lora"},
});

// Networks over images are one family, and so are those that write text: a wider word than the model's own does not contradict it.
Field family_of(Field field) {
  switch (field) {
    case Field::detection:
    case Field::segmentation:
    case Field::video:
      return Field::vision;
    case Field::vision_language:
      return Field::language;
    default:
      return field;
  }
}

// A format or a server's load says more about the program than the field does.
bool implies_an_engine(const Draft& draft) {
  return draft.given(K::precision) || draft.given(K::concurrency) || draft.given(K::max_num_seqs) || draft.given(K::batch);
}

bool names_a_model(const Draft& draft) {
  return draft.given(K::model) || draft.given(K::model_file) || draft.given(K::params) || draft.given(K::embedding_rows) ||
         draft.given(K::embedding_dim);
}

}  // namespace

void place_field_job(Draft& draft) {
  if (!draft.given(K::field)) {
    return;
  }
  const Field field = draft.request.workload.field;
  draft.asked_field = field;
  if (names_a_model(draft) || !draft.faults.empty()) {
    return;
  }
  const bool trains =
      asks_for_training(draft) || (!draft.stated(K::task) && (family_of(field) == Field::vision || field == Field::encoder));
  const std::string word(name_of(K::field, field));
  bool found = false;
  for (const JobSetting& job : k_jobs) {
    const bool meant = job.field == field && (job.when == When::always || (job.when == When::training) == trains);
    if (meant && !draft.given(job.key) && (job.key != K::engine || !implies_an_engine(draft))) {
      apply_value(draft, spec_of(job.key), Value(std::string(job.value)), Origin::preset);
      found = true;
    }
  }
  if (!found) {
    draft.fault(ErrorCode::usage, "model", "field " + word + " alone says too little", "name a model with model");
    return;
  }
  draft.note("field-usual-job", Severity::note,
             "no model is named: " + draft.request.model_text + " stands for what is usually run in the field " + word);
}

void check_field(Draft& draft) {
  if (!draft.asked_field || draft.request.model.id.empty()) {
    return;
  }
  const Field asked = *draft.asked_field;
  const Field actual = draft.request.model.field;
  // The wider word of a family covers its members; between two members it is a contradiction.
  if (asked == actual || asked == family_of(actual)) {
    if (draft.given(K::model) && draft.request.origins[K::model] != Origin::preset) {
      draft.note("field-only-checks", Severity::note,
                 "beside a model the field is a check: batch, precision and method are the model's defaults or your own, not those of " +
                     std::string("the field's usual job (leave model away for it)"));
    }
    return;
  }
  const std::string name = draft.request.model_text.empty() ? std::string(draft.request.model.id) : draft.request.model_text;
  draft.fault(ErrorCode::conflict, "field",
              "field " + std::string(name_of(K::field, asked)) + " and model " + name + " exclude each other: it is of the field " +
                  std::string(name_of(K::field, actual)),
              "leave field away, or name another model");
}

}  // namespace gpuadvise::workload
