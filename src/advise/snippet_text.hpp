// Building snippets: fenced blocks of code, line by line.
#pragma once

#include <gpuadvise/advice.hpp>

#include "units/whole_text.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::advise {

// What a snippet is written for.
struct SnippetSubject {
  const Request& request;
  const Remedy& remedy;

  [[nodiscard]] const Workload& workload() const { return remedy.workload; }
  [[nodiscard]] double gpus() const { return remedy.workload.all_gpus(); }
};

class Block {
 public:
  explicit Block(std::string_view language) : text_("```" + std::string(language) + "\n") {}

  Block& add(std::string_view line) {
    text_.append(line).append("\n");
    return *this;
  }
  Block& add_if(bool wanted, std::string_view line) { return wanted ? add(line) : *this; }
  [[nodiscard]] std::string closed() const { return text_ + "```\n"; }

 private:
  std::string text_;
};

// The model as the user named it, safe inside double quotes.
[[nodiscard]] std::string model_name(const Request& request);
// What a library downloads: the Hugging Face id where the user's word means just that entry of the catalog, else the word.
[[nodiscard]] std::string checkpoint_name(const Request& request);

// "bfloat16" or "float16" or "float32": what the job computes in.
[[nodiscard]] std::string compute_dtype(const Workload& workload);

[[nodiscard]] std::string training_snippet(const SnippetSubject& subject);
[[nodiscard]] std::string trainer_snippet(const SnippetSubject& subject);
// Of programs that are steered by their own flags or file; empty for others.
[[nodiscard]] std::string stack_snippet(const SnippetSubject& subject);
[[nodiscard]] std::string inference_snippet(const SnippetSubject& subject);

// A command over several lines, as people paste it.
[[nodiscard]] std::string command_block(std::string_view comment, const std::vector<std::string>& parts);

// The configuration of DeepSpeed; empty where the job needs none.
[[nodiscard]] std::string deepspeed_block(const Workload& workload);
[[nodiscard]] bool uses_deepspeed(const Workload& workload);

// Recomputes all of a block but every other matrix product and its attention; `blocks` is an expression of the model's blocks.
void add_selective_checkpointing(Block& block, std::string_view blocks);

}  // namespace gpuadvise::advise
