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
  throw Error(ErrorCode::bad_data, why, "see data/schema", file);
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

// A file need not hold every list: a user's adds to those that are compiled in.
const json& rows(const json& document, const char* key, const std::string& file) {
  static const json none = json::array();
  const auto found = document.find(key);
  if (found == document.end()) {
    return none;
  }
  if (!found->is_array() || !std::all_of(found->begin(), found->end(), [](const json& row) { return row.is_object(); })) {
    bad(file, std::string("'") + key + "' is not a list of objects");
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

void read_releases(const json& document, const std::string& file, Facts& facts) {
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

void read_cuda(const json& document, const std::string& file, Facts& facts) {
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

void read_platforms(const json& document, const std::string& file, Facts& facts) {
  for (const json& row : rows(document, "rocm_wheels", file)) {
    facts.rocm.push_back({version_of(row, "torch_from", file), version_of(row, "torch_to", file), version_of(row, "rocm", file),
                          text_of(row, "rocm"), list_of<std::string>(row, "gfx"), text_of(row, "confidence"), text_of(row, "source")});
  }
  for (const json& row : rows(document, "overrides", file)) {
    facts.overrides.push_back({list_of<std::string>(row, "gfx"), text_of(row, "value"), text_of(row, "serves_as"), text_of(row, "note")});
  }
  if (const auto amd = document.find("amd_own_wheels"); amd != document.end()) {
    facts.amd_linux = list_of<std::string>(*amd, "linux");
    facts.amd_windows = list_of<std::string>(*amd, "windows");
    facts.amd_index = text_of(*amd, "index");
  }
  if (const auto conda = document.find("conda_forge"); conda != document.end()) {
    facts.conda_forge = {list_of<int>(*conda, "cuda_12"), list_of<int>(*conda, "ptx")};
    facts.conda_forge_to = text_of(*conda, "torch_to");
  }
  facts.arm_hosts = list_of<std::string>(document, "arm_hosts");
}

void read_libraries(const json& document, const std::string& file, Facts& facts) {
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

// Rows of the same key replace, others join; the result is in the order of the keys.
template <class Row, class Key>
std::size_t lay_rows(std::vector<Row>& base, std::vector<Row>&& extra, Key key) {
  for (Row& row : extra) {
    const auto same = std::find_if(base.begin(), base.end(), [&](const Row& old) { return key(old) == key(row); });
    if (same != base.end()) {
      *same = std::move(row);
    } else {
      base.push_back(std::move(row));
    }
  }
  std::stable_sort(base.begin(), base.end(), [&](const Row& a, const Row& b) { return key(a) < key(b); });
  return extra.size();
}

void lay_list(std::vector<std::string>& base, std::vector<std::string>&& extra) {
  if (!extra.empty()) {
    base = std::move(extra);
  }
}

}  // namespace

Facts read_rows(std::string_view text, const std::string& file) {
  Facts facts;
  const json document = catalog::parse_json(text, file);
  if (!document.is_object()) {
    bad(file, "expected an object at the top level");
  }
  try {
    read_releases(document, file, facts);
    read_cuda(document, file, facts);
    read_platforms(document, file, facts);
    read_libraries(document, file, facts);
  } catch (const json::exception& error) {
    bad(file, catalog::parse_fault(error.what()));
  }
  return facts;
}

std::string lay_over(Facts& base, Facts&& extra) {
  std::string laid;
  const auto count = [&](std::size_t rows, std::string_view what) {
    if (rows > 0) {
      laid += (laid.empty() ? "" : ", ") + std::to_string(rows) + " " + std::string(what) + (rows > 1 ? "s" : "");
    }
  };
  count(lay_rows(base.releases, std::move(extra.releases), [](const Release& row) { return row.number; }), "PyTorch release");
  count(lay_rows(base.majors, std::move(extra.majors), [](const CudaMajor& row) { return row.major; }), "CUDA major");
  count(lay_rows(base.architectures, std::move(extra.architectures), [](const ArchitectureSpan& row) { return row.from; }), "architecture");
  count(lay_rows(base.branches, std::move(extra.branches), [](const DriverBranch& row) { return row.branch; }), "driver branch row");
  count(lay_rows(base.toolkits, std::move(extra.toolkits), [](const Toolkit& row) { return row.version; }), "CUDA toolkit");
  count(lay_rows(base.rocm, std::move(extra.rocm), [](const RocmWheel& row) { return std::make_pair(row.torch_from, row.rocm); }),
        "ROCm wheel");
  count(lay_rows(base.overrides, std::move(extra.overrides), [](const GfxOverride& row) { return row.gfx; }), "gfx override");
  count(lay_rows(base.libraries, std::move(extra.libraries), [](const Library& row) { return row.id; }), "library row");
  lay_list(base.amd_linux, std::move(extra.amd_linux));
  lay_list(base.amd_windows, std::move(extra.amd_windows));
  lay_list(base.arm_hosts, std::move(extra.arm_hosts));
  base.amd_index = extra.amd_index.empty() ? base.amd_index : extra.amd_index;
  if (!extra.conda_forge.code.empty()) {
    base.conda_forge = std::move(extra.conda_forge);
    base.conda_forge_to = std::move(extra.conda_forge_to);
  }
  return laid;
}

Facts read_facts(const FactTexts& texts) {
  Facts facts;
  const std::string folder = "data/software/";
  const std::array<std::string_view, k_fact_files.size()> in_order{texts.releases, texts.cuda, texts.platforms, texts.libraries};
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    static_cast<void>(lay_over(facts, read_rows(in_order[i], folder + std::string(k_fact_files[i]))));
  }
  if (facts.releases.empty() || facts.majors.empty() || facts.architectures.empty() || facts.branches.empty() || facts.toolkits.empty() ||
      facts.rocm.empty() || facts.libraries.empty()) {
    bad(folder, "a list is missing or empty");
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
  static const Facts read = read_facts({builtin_software_file(k_fact_files[0]), builtin_software_file(k_fact_files[1]),
                                        builtin_software_file(k_fact_files[2]), builtin_software_file(k_fact_files[3])});
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
