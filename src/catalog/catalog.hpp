// The facts in force: the compiled tables, or a data folder in their place, with the user's files laid over them.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/model.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

struct Sources {
  std::optional<std::string> data_dir;  // replaces the compiled data
  std::vector<std::string> overlays;    // GPU, model, price, offer files in our schema; later ones win; "-" = standard input
  // Another reader of the overlays: says what it took of a text ("2 PyTorch releases"), or nothing. May throw Error.
  std::function<std::string(std::string_view text, const std::string& file)> also;
};

struct FoundModel {
  Model model;
  std::string used_id;       // the entry a text was taken for
  bool exact = true;         // false: something was stripped from the text
  std::string stripped;      // what was left out of the text
  std::string quantization;  // a precision that the name carried, as text; may be empty
};

class Catalog {
 public:
  // Throws Error{bad_data, unreadable} for files that cannot be used.
  explicit Catalog(const Sources& sources);
  ~Catalog();
  Catalog(const Catalog&) = delete;
  Catalog& operator=(const Catalog&) = delete;

  [[nodiscard]] std::span<const Gpu> gpus() const;
  [[nodiscard]] const Gpu* find_gpu_id(std::string_view id) const;
  // Every card the text may mean. Throws Error{unknown_gpu} with near names.
  [[nodiscard]] std::vector<const Gpu*> find_gpus(std::string_view text) const;
  // Exactly one card. Throws Error{ambiguous_gpu} with the list, or Error{unknown_gpu}.
  [[nodiscard]] const Gpu& find_gpu(std::string_view text) const;

  [[nodiscard]] std::span<const Price> prices(std::string_view gpu_id) const;
  [[nodiscard]] std::span<const CloudOffer> offers(std::string_view gpu_id) const;

  [[nodiscard]] std::size_t model_count() const;
  [[nodiscard]] Model model(std::size_t index) const;
  [[nodiscard]] std::optional<FoundModel> find_model(std::string_view text) const;
  [[nodiscard]] std::vector<std::string> near_models(std::string_view text) const;

  // Digest of the data in force.
  [[nodiscard]] std::string_view data_version() const;
  // The user's files in force, for the answer's assumptions.
  [[nodiscard]] const std::vector<std::string>& overlay_notes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpuadvise::catalog
