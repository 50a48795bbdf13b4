#include "software/releases.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/builtin.hpp"
#include "catalog/parse_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace gpuadvise::software {
namespace {

using nlohmann::json;

// The lowest virtual architecture whose PTX is counted as support.
constexpr int k_lowest_ptx_counted = 120;

[[noreturn]] void bad(const std::string& file, const std::string& why) {
  throw Error(ErrorCode::bad_data, why, "see data/schema", "data/software/" + file);
}

std::string text_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool flag_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

std::optional<Version> maybe_version(const json& object, const char* key) {
  return parse_version(text_of(object, key));
}

Version version_of(const json& object, const char* key, const std::string& file) {
  const auto version = maybe_version(object, key);
  if (!version) {
    bad(file, std::string("'") + key + "' is not a version");
  }
  return *version;
}

int whole_of(const json& object, const char* key, const std::string& file) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) {
    bad(file, std::string("'") + key + "' is not a whole number");
  }
  return found->get<int>();
}

template <class T>
std::vector<T> list_of(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::vector<T>{} : found->get<std::vector<T>>();
}

const json& rows(const json& document, const char* key, const std::string& file) {
  const auto found = document.find(key);
  if (found == document.end() || !found->is_array()) {
    bad(file, std::string("no list '") + key + "'");
  }
  return *found;
}

Build read_build(const json& row, const json& sources, const std::string& file) {
  Build build;
  build.name = text_of(row, "build");
  build.cuda = version_of(row, "cuda", file);
  build.linux = {list_of<int>(row, "linux"), list_of<int>(row, "linux_ptx")};
  build.windows = {list_of<int>(row, "windows"), list_of<int>(row, "windows_ptx")};
  build.aarch64 = {list_of<int>(row, "aarch64"), list_of<int>(row, "aarch64_ptx")};
  build.cudnn = text_of(row, "cudnn");
  build.confidence = text_of(row, "confidence");
  build.note = text_of(row, "note");
  build.source = text_of(sources, text_of(row, "source").c_str());
  return build;
}

}  // namespace

void read_releases(std::string_view text, Facts& facts) {
  const std::string file = "releases.json";
  const json document = catalog::parse_json(text, "data/software/" + file);
  const json sources = document.value("sources", json::object());
  for (const json& row : rows(document, "torch_releases", file)) {
    Release release;
    release.version = text_of(row, "version");
    release.number = version_of(row, "version", file);
    release.released = text_of(row, "released");
    const auto patches = list_of<std::string>(row, "patches");
    release.newest_patch = patches.empty() ? release.version + ".0" : patches.back();
    release.python_from = version_of(row, "python_from", file);
    release.python_to = version_of(row, "python_to", file);
    release.python_note = text_of(row, "python_note");
    release.torchvision = text_of(row, "torchvision");
    release.torchaudio = text_of(row, "torchaudio");
    release.default_build = text_of(row, "default_build");
    release.xpu = flag_of(row, "xpu");
    release.mps = flag_of(row, "mps");
    release.conda = flag_of(row, "conda");
    release.note = text_of(row, "note");
    for (const json& build : rows(row, "builds", file)) {
      release.builds.push_back(read_build(build, sources, file));
    }
    facts.releases.push_back(std::move(release));
  }
}

void read_cuda(std::string_view text, Facts& facts) {
  const std::string file = "cuda.json";
  const json document = catalog::parse_json(text, "data/software/" + file);
  for (const json& row : rows(document, "majors", file)) {
    facts.majors.push_back(
        {whole_of(row, "cuda", file), text_of(row, "driver_linux"), text_of(row, "driver_windows"), text_of(row, "source")});
  }
  for (const json& row : rows(document, "architectures", file)) {
    facts.architectures.push_back({whole_of(row, "from", file), whole_of(row, "to", file), maybe_version(row, "first_driver"),
                                   maybe_version(row, "last_branch"), text_of(row, "last_toolkit")});
  }
  for (const json& row : rows(document, "branches", file)) {
    const auto branch = version_of(row, "branch", file);
    facts.branches.push_back(
        {branch.parts[0], text_of(row, "cuda"), text_of(row, "kind"), text_of(row, "support_ends"), flag_of(row, "ended")});
  }
  for (const json& row : rows(document, "toolkits", file)) {
    facts.toolkits.push_back({version_of(row, "version", file), text_of(row, "driver_linux"), text_of(row, "driver_windows"),
                              whole_of(row, "from", file), whole_of(row, "to", file)});
  }
}

void read_platforms(std::string_view text, Facts& facts) {
  const std::string file = "platforms.json";
  const json document = catalog::parse_json(text, "data/software/" + file);
  for (const json& row : rows(document, "rocm_wheels", file)) {
    facts.rocm.push_back({version_of(row, "torch_from", file), version_of(row, "torch_to", file), version_of(row, "rocm", file),
                          text_of(row, "rocm"), list_of<std::string>(row, "gfx"), text_of(row, "confidence"), text_of(row, "source")});
  }
  for (const json& row : rows(document, "overrides", file)) {
    facts.overrides.push_back({list_of<std::string>(row, "gfx"), text_of(row, "value"), text_of(row, "serves_as"), text_of(row, "note")});
  }
  const json amd = document.value("amd_own_wheels", json::object());
  facts.amd_linux = list_of<std::string>(amd, "linux");
  facts.amd_windows = list_of<std::string>(amd, "windows");
  facts.amd_index = text_of(amd, "index");
  const json conda = document.value("conda_forge", json::object());
  facts.conda_forge = {list_of<int>(conda, "cuda_12"), list_of<int>(conda, "ptx")};
  facts.conda_forge_to = text_of(conda, "torch_to");
  facts.arm_hosts = list_of<std::string>(document, "arm_hosts");
  facts.xpu_from = version_of(document.value("xpu", json::object()), "torch_from", file);
  facts.mps_from = version_of(document.value("mps", json::object()), "torch_from", file);
}

void read_libraries(std::string_view text, Facts& facts) {
  const std::string file = "libraries.json";
  const json document = catalog::parse_json(text, "data/software/" + file);
  for (const json& row : rows(document, "libraries", file)) {
    Library library;
    library.id = text_of(row, "id");
    library.name = text_of(row, "name");
    library.also = list_of<std::string>(row, "also");
    library.capability_from = whole_of(row, "capability_from", file);
    if (row.contains("capability_to")) {
      library.capability_to = whole_of(row, "capability_to", file);
    }
    library.torch_from = maybe_version(row, "torch_from");
    library.os = list_of<std::string>(row, "os");
    library.vendors = list_of<std::string>(row, "vendors");
    library.note = text_of(row, "note");
    library.confidence = text_of(row, "confidence");
    library.source = text_of(row, "source");
    facts.libraries.push_back(std::move(library));
  }
}

Facts read_facts(const FactTexts& texts) {
  Facts facts;
  try {
    read_releases(texts.releases, facts);
    read_cuda(texts.cuda, facts);
    read_platforms(texts.platforms, facts);
    read_libraries(texts.libraries, facts);
  } catch (const json::exception& error) {
    throw Error(ErrorCode::bad_data, catalog::parse_fault(error.what()), "see data/schema", "data/software");
  }
  return facts;
}

std::string_view builtin_software_file(std::string_view name) {
  const std::string path = "software/" + std::string(name);
  const auto files = catalog::builtin_files();
  const auto found = std::find_if(files.begin(), files.end(), [&](const catalog::EmbeddedFile& file) { return file.path == path; });
  if (found == files.end()) {
    throw Error(ErrorCode::internal, "data/" + path + " is not compiled in");
  }
  return found->text;
}

const Facts& facts() {
  static const Facts read = read_facts({builtin_software_file("releases.json"), builtin_software_file("cuda.json"),
                                        builtin_software_file("platforms.json"), builtin_software_file("libraries.json")});
  return read;
}

const Library* find_library(const Facts& facts, std::string_view name) {
  for (const Library& library : facts.libraries) {
    if (library.id == name || std::find(library.also.begin(), library.also.end(), name) != library.also.end()) {
      return &library;
    }
  }
  return nullptr;
}

const ArchitectureSpan* span_of(const Facts& facts, int capability) {
  for (const ArchitectureSpan& span : facts.architectures) {
    if (capability >= span.from && capability <= span.to) {
      return &span;
    }
  }
  return nullptr;
}

bool runs_code(const Kernels& kernels, int capability) {
  return std::any_of(kernels.code.begin(), kernels.code.end(),
                     [&](int code) { return code / 10 == capability / 10 && code % 10 <= capability % 10; });
}

bool runs_ptx(const Kernels& kernels, int capability) {
  return std::any_of(kernels.ptx.begin(), kernels.ptx.end(), [&](int ptx) { return ptx >= k_lowest_ptx_counted && ptx <= capability; });
}

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

}  // namespace gpuadvise::software
