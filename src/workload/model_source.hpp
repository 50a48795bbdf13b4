// Where models come from, as resolve sees it: the catalog and the importers behind one seam, a table in tests.
#pragma once

#include <gpuadvise/model.hpp>
#include <gpuadvise/workload.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::workload {

struct ModelQuery {
  std::string_view text;    // as the user wrote it
  std::string_view config;  // the library's configuration name; may be empty
  // Only what was given is set: composed models (detectors, segmenters) need image, classes and frozen parts.
  const Workload& given;
};

struct FoundModel {
  Model model;
  std::string used_id;
  std::string quantization;            // a precision that the name carried ("-AWQ"), as text; may be empty
  bool inexact = false;                // something of the text was left out to find it
  std::vector<Finding> findings = {};  // of a file
};

class ModelSource {
 public:
  virtual ~ModelSource() = default;
  [[nodiscard]] virtual std::optional<FoundModel> find(const ModelQuery& query) const = 0;
  // Names like the text, best first.
  [[nodiscard]] virtual std::vector<std::string> near(std::string_view text) const = 0;
  // A typical shape of that many parameters, of which `active` work on a token (experts); nullopt where size alone says too
  // little.
  [[nodiscard]] virtual std::optional<Model> infer(double params, std::optional<double> active, Field field) const = 0;
  // Throws Error{unreadable, bad_data, unsupported}.
  [[nodiscard]] virtual FoundModel read_file(std::string_view path) const = 0;
  // Last word once everything is known: networks that are counted for one image size and precision.
  virtual void refine(Request& request) const { static_cast<void>(request); }
};

}  // namespace gpuadvise::workload
