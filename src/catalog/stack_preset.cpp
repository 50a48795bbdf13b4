#include "catalog/stack_preset.hpp"

#include "catalog/json_fields.hpp"
#include "catalog/parse_json.hpp"

namespace gpuadvise::catalog {

template <class V, MaybeConst<StackPreset> T>
void visit_fields(V&& v, T& x) {
  v("stack", x.stack);
  v("field", x.field);
  v("method", x.method);
  v("key", x.key);
  v("value", x.value);
}

std::vector<StackPreset> read_stack_presets(std::string_view text, const std::string& file, TextPool& texts) {
  static constexpr auto provenance = std::to_array<std::string_view>({"source", "note"});
  const nlohmann::json root = parse_json(text, file);
  ReadContext context{texts, file};
  const auto presets = root.find("presets");
  if (!root.is_object() || presets == root.end() || !presets->is_array()) {
    refuse(context, "the top level", "expected an object with a list of presets");
  }
  std::vector<StackPreset> rows;
  for (std::size_t i = 0; i < presets->size(); ++i) {
    StackPreset row;
    const std::string path = "presets[" + std::to_string(i) + "]";
    read_record((*presets)[i], row, context, path, provenance);
    if (row.stack.empty() || row.key.empty() || row.value.empty()) {
      refuse(context, path, "a preset needs stack, key and value");
    }
    rows.push_back(row);
  }
  return rows;
}

}  // namespace gpuadvise::catalog
