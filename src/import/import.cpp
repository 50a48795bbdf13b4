#include "import/import.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/precision.hpp>
#include <gpuadvise/units.hpp>

#include "import/byte_source.hpp"
#include "import/fit_shape.hpp"
#include "import/gguf.hpp"
#include "import/gguf_shape.hpp"
#include "import/hf_config.hpp"
#include "import/model_files.hpp"
#include "import/onnx.hpp"
#include "import/printable.hpp"
#include "import/safetensors.hpp"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

namespace gpuadvise::importer {
namespace {

void note(ImportedModel& result, Severity severity, std::string text) {
  result.findings.push_back({"import", severity, std::move(text)});
}

void append(std::vector<Finding>& into, const std::vector<Finding>& more) {
  into.insert(into.end(), more.begin(), more.end());
}

ImportedModel started(const std::string& path, std::string format) {
  ImportedModel result;
  result.texts = std::make_shared<catalog::TextPool>();
  result.format = std::move(format);
  result.model.id = result.texts->keep(id_of_path(path));
  result.model.name = result.model.id;
  result.model.source = result.texts->keep(path);
  return result;
}

HfConfig read_config(const std::string& path) {
  const auto source = open_file(path);
  if (source->size() > k_largest_config) {
    throw Error(ErrorCode::bad_data, "larger than 4 MiB: not a config.json", {}, path);
  }
  return read_hf_config(source->text(0, static_cast<std::size_t>(source->size())), path);
}

// Tensors of all files; a name in two of them would be counted twice.
std::vector<FileTensor> read_tensors(const std::vector<std::string>& paths, ImportedModel& result, bool& whole) {
  std::vector<FileTensor> tensors;
  std::unordered_set<std::string> names;
  for (const std::string& path : paths) {
    const auto source = open_file(path);
    SafetensorsHeader header = read_safetensors(*source);
    result.files.push_back(path);
    if (header.truncated) {
      note(result, Severity::warn, "'" + path + "' ends before its last tensor: an unfinished download? Its header is complete");
    } else if (header.holes) {
      note(result, Severity::note, "'" + path + "' has bytes that belong to no tensor");
    }
    for (FileTensor& tensor : header.tensors) {
      if (!names.insert(tensor.name).second) {
        whole = false;
        note(result, Severity::warn, "tensor '" + tensor.name.substr(0, 100) + "' is in two files: the first counts");
        continue;
      }
      tensors.push_back(std::move(tensor));
    }
  }
  return tensors;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < 5; ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  return names.size() > 5 ? text + " and " + std::to_string(names.size() - 5) + " more" : text;
}

void refuse_adapter(const std::vector<FileTensor>& tensors, const std::string& path) {
  const bool adapter = !tensors.empty() && std::all_of(tensors.begin(), tensors.end(), [](const FileTensor& t) {
    return t.name.find("lora_") != std::string::npos || t.name.find("modules_to_save") != std::string::npos;
  });
  if (adapter) {
    throw Error(ErrorCode::unsupported, "'" + path + "' holds an adapter, not a model",
                "give the base model's file or name; an adapter adds --lora-rank");
  }
}

void take_precision(ImportedModel& result, std::string precision) {
  if (parse_precision(precision)) {
    result.quantization = std::move(precision);
  }
}

ImportedModel from_files(const std::string& path, const ModelFiles& files) {
  ImportedModel result = started(path, files.weights.empty() ? "config.json"
                                       : files.config        ? "config.json and safetensors"
                                                             : "safetensors");
  std::vector<FileTensor> tensors;
  bool whole = files.missing.empty();
  HfConfig config;
  if (files.config) {
    result.files.push_back(*files.config);
    config = read_config(*files.config);
  }
  tensors = read_tensors(files.weights, result, whole);
  refuse_adapter(tensors, path);
  if (!files.missing.empty()) {
    note(result, Severity::warn, "parts are missing, so that weights are counted from config.json: " + joined(files.missing));
  }
  const double bits = config.quantization.bits > 0 ? config.quantization.bits : 4;
  // Layers beyond the model's own are multi-token prediction, where the configuration has any.
  result.tensors = add_up(tensors, {bits, config.shape.mtp_layers > 0 ? config.shape.layers : 0, true});
  if (!files.config) {
    if (!whole) {
      throw Error(ErrorCode::bad_data, "parts are missing and there is no config.json beside them: " + joined(files.missing), {}, path);
    }
    config.shape = shape_of_tensors(result.tensors);
    config.family = "unknown";
    note(result, Severity::warn,
         "no config.json beside it: the shape is read off the tensors' sizes, head size and context are usual ones");
  }
  append(result.findings, config.findings);
  std::string precision =
      result.tensors.params > 0 ? precision_of_tensors(result.tensors, config.quantization) : config.quantization.precision;
  if (precision.empty()) {
    precision = std::string(precision_of_dtype(config.dtype));
  }
  if (!config.quantization.method.empty() && config.quantization.precision.empty()) {
    note(result, Severity::warn,
         "quantisation '" + config.quantization.method.substr(0, 60) + "' has no name here: weights are counted as " +
             (precision.empty() ? "bf16" : precision));
  }
  take_precision(result, precision);
  if (whole && result.tensors.params > 0) {
    fit_to_tensors(config.shape, result.tensors, result.texts->keep(result.quantization), result.findings);
  }
  result.model.shape = config.shape;
  result.model.field = config.field;
  result.model.family = result.texts->keep(config.family);
  result.architecture = config.model_type;
  return result;
}

ImportedModel from_gguf(const std::string& path) {
  ImportedModel result = started(path, "GGUF");
  const std::vector<std::string> parts = gguf_parts(path);
  std::vector<std::string> missing;
  std::vector<FileTensor> tensors;
  std::unordered_set<std::string> names;
  GgufHeader first;
  bool opened = false;
  for (const std::string& part : parts) {
    std::error_code ignored;
    if (parts.size() > 1 && !std::filesystem::is_regular_file(part, ignored)) {
      missing.push_back(std::filesystem::path(part).filename().string());
      continue;
    }
    const auto source = open_file(part);
    GgufHeader header = read_gguf(*source);
    result.files.push_back(part);
    if (header.truncated) {
      note(result, Severity::warn, "'" + part + "' ends before its last tensor: an unfinished download? Its header is complete");
    }
    for (FileTensor& tensor : header.tensors) {
      if (!names.insert(tensor.name).second) {
        throw Error(ErrorCode::bad_data, "tensor '" + tensor.name.substr(0, 100) + "' is in two parts", {}, part);
      }
      tensors.push_back(std::move(tensor));
    }
    // The first part has the metadata.
    if (!opened && part == parts.front()) {
      first = std::move(header);
      opened = true;
    }
  }
  if (!opened) {
    throw Error(ErrorCode::bad_data, "the first part of the model is missing: it has the metadata", {}, path);
  }
  GgufModel model = gguf_model(first, missing.empty() ? std::span<const FileTensor>(tensors) : std::span<const FileTensor>(), path);
  append(result.findings, model.findings);
  take_precision(result, model.precision);
  if (missing.empty()) {
    fit_to_tensors(model.shape, model.facts, result.texts->keep(result.quantization), result.findings);
  } else {
    note(result, Severity::warn, "parts are missing, so that weights are counted from the metadata: " + joined(missing));
  }
  result.tensors = std::move(model.facts);
  result.architecture = model.architecture;
  result.model.shape = model.shape;
  result.model.field = model.field;
  result.model.family = result.texts->keep(model.architecture);
  if (!model.name.empty()) {
    result.model.name = result.texts->keep(model.name.substr(0, 200));
  }
  return result;
}

ImportedModel from_onnx(const std::string& path) {
  ImportedModel result = started(path, "ONNX");
  const auto source = open_file(path);
  OnnxModel model = onnx_model(*source);
  result.files.push_back(path);
  append(result.findings, model.findings);
  result.tensors.params = model.profile.params;
  result.tensors.bytes = model.weight_bytes;
  result.architecture = model.producer.empty() ? "" : model.producer.substr(0, 60);
  if (model.precision != "fp32") {
    take_precision(result, model.precision);
  }
  result.model.shape = model.profile;
  result.model.field = Field::vision;
  result.model.family = "onnx";
  return result;
}

ImportedModel from_folder(const std::string& path) {
  const ModelFiles files = files_in(path);
  if (!files.config && files.weights.empty() && files.gguf) {
    return from_gguf(*files.gguf);
  }
  return from_files(path, files);
}

// A configuration beside weights, or weights beside their configuration.
ImportedModel from_safetensors(const std::string& path, bool index) {
  ModelFiles files;
  if (index) {
    add_shards(path, files);
  } else {
    files.weights = {path};
  }
  const auto beside = std::filesystem::path(path).parent_path() / "config.json";
  std::error_code ignored;
  if (std::filesystem::is_regular_file(beside, ignored)) {
    files.config = beside.string();
  }
  return from_files(path, files);
}

ImportedModel read_model(const std::string& path) {
  switch (kind_of_file(path)) {
    case FileKind::folder:
      return from_folder(path);
    case FileKind::safetensors:
      return from_safetensors(path, false);
    case FileKind::safetensors_index:
      return from_safetensors(path, true);
    case FileKind::gguf:
      return from_gguf(path);
    case FileKind::onnx:
      return from_onnx(path);
    case FileKind::config:
      break;
  }
  ModelFiles files;
  files.config = path;
  return from_files(path, files);
}

}  // namespace

// Names of tensors, architectures and files come from outside: what is said of them is made printable in this one place.
ImportedModel import_model(const std::string& path) {
  try {
    ImportedModel result = read_model(path);
    for (Finding& finding : result.findings) {
      finding.message = printable(finding.message);
    }
    result.architecture = printable(result.architecture);
    result.model.name = result.texts->keep(printable(result.model.name));
    result.model.family = result.texts->keep(printable(result.model.family));
    return result;
  } catch (const Error& error) {
    throw Error(error.code(), printable(error.message()), printable(error.hint()), printable(error.where()));
  }
}

}  // namespace gpuadvise::importer
