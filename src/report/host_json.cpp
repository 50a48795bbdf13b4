#include "report/answer_json.hpp"
#include "report/host.hpp"
#include "report/json_writer.hpp"

namespace gpuadvise::report {
namespace {

void text_field(JsonWriter& json, std::string_view name, std::string_view text) {
  json.key(name);
  if (text.empty()) {
    json.null();
  } else {
    json.value(text);
  }
}

void texts_field(JsonWriter& json, std::string_view name, const std::vector<std::string>& texts) {
  json.key(name);
  json.begin_array();
  for (const std::string& text : texts) {
    json.value(text);
  }
  json.end_array();
}

void write_slices(JsonWriter& json, const host::HostGpu& gpu) {
  json.key("mig_slices");
  json.begin_array();
  for (const host::MigSlice& slice : gpu.mig) {
    json.begin_object();
    text_field(json, "profile", slice.profile);
    json.field("total_bytes", slice.total_bytes);
    json.field("used_bytes", slice.used_bytes);
    json.field("sm_count", slice.sm_count);
    json.end_object();
  }
  json.end_array();
}

void write_gpu(JsonWriter& json, const host::HostGpu& gpu) {
  json.begin_object();
  json.field("index", gpu.index);
  text_field(json, "name", gpu.name);
  text_field(json, "gpu", gpu.card != nullptr ? gpu.card->id : std::string_view{});
  json.key("possible_gpus");
  json.begin_array();
  for (const Gpu* card : gpu.possible) {
    json.value(card->id);
  }
  json.end_array();
  json.field("total_bytes", gpu.total_bytes);
  json.field("used_bytes", gpu.used_bytes);
  json.field("free_bytes", gpu.free_bytes);
  text_field(json, "bus_id", gpu.bus_id);
  text_field(json, "pci_device_id", gpu.pci_device_id);
  text_field(json, "gfx_target", gpu.gfx_target);
  json.field("drives_display", gpu.drives_display);
  json.field("integrated", gpu.integrated);
  text_field(json, "vgpu_profile", gpu.vgpu_profile);
  json.field("mig_enabled", gpu.mig_enabled);
  write_slices(json, gpu);
  texts_field(json, "notes", gpu.notes);
  json.end_object();
}

}  // namespace

std::string host_json(const host::Machine& machine, std::string_view data_version) {
  std::string out;
  JsonWriter json(out, JsonWriter::Style::indented);
  begin_answer(json, data_version);
  text_field(json, "read_from", machine.source);
  text_field(json, "driver", machine.driver);
  text_field(json, "cuda", machine.cuda);
  text_field(json, "rocm", machine.rocm);
  text_field(json, "torch", machine.torch);
  text_field(json, "python", machine.python);
  text_field(json, "os", machine.os);
  json.key("gpus");
  json.begin_array();
  for (const host::HostGpu& gpu : machine.gpus) {
    write_gpu(json, gpu);
  }
  json.end_array();
  json.key("links");
  json.begin_array();
  for (const host::Link& link : machine.links) {
    json.begin_object();
    json.field("from", link.from);
    json.field("to", link.to);
    json.field("kind", link.kind);
    json.end_object();
  }
  json.end_array();
  texts_field(json, "notes", machine.notes);
  json.end_object();
  out += '\n';
  return out;
}

}  // namespace gpuadvise::report
