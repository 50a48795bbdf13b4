#include "host/nvidia_xml.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "host/lines.hpp"
#include "host/xml.hpp"

#include <algorithm>

namespace gpuadvise::host {
namespace {

void read_slices(const XmlElement& gpu, HostGpu& into) {
  const XmlElement* devices = gpu.child("mig_devices");
  if (devices == nullptr) {
    return;
  }
  for (const XmlElement& device : devices->children) {
    if (device.name != "mig_device" || into.mig.size() >= k_most_slices) {
      continue;
    }
    const int instance = parse_index(device.at("gpu_instance_id")).value_or(-1);
    const auto same =
        std::find_if(into.mig.begin(), into.mig.end(), [&](const MigSlice& slice) { return instance >= 0 && slice.instance == instance; });
    const std::optional<double> sm_count = parse_number(device.at("device_attributes/shared/multiprocessor_count"));
    if (same != into.mig.end()) {  // another compute instance of the same memory
      if (same->sm_count && sm_count) {
        *same->sm_count += *sm_count;
      }
      continue;
    }
    into.mig.push_back({instance,
                        {},
                        parse_amount(device.at("fb_memory_usage/total"), k_mib),
                        parse_amount(device.at("fb_memory_usage/used"), k_mib),
                        sm_count});
  }
}

void read_gpu(const XmlElement& gpu, HostGpu& into) {
  into.name = known(gpu.at("product_name"));
  into.bus_id = known(gpu.attribute("id"));
  into.pci_device_id = device_id(gpu.at("pci/pci_device_id"));
  const std::string_view total = gpu.at("fb_memory_usage/total");
  into.total_bytes = parse_amount(total, k_mib);
  into.used_bytes = parse_amount(gpu.at("fb_memory_usage/used"), k_mib);
  into.free_bytes = parse_amount(gpu.at("fb_memory_usage/free"), k_mib);
  into.memory_refused = !into.total_bytes && !total.empty() && is_unknown(total);
  const std::string_view display = gpu.at("display_active");
  if (!is_unknown(display)) {
    into.drives_display = lower_case(display) == "enabled";
  }
  into.mig_enabled = lower_case(gpu.at("mig_mode/current_mig")) == "enabled";
  read_slices(gpu, into);
}

}  // namespace

Machine read_nvidia_xml(std::string_view text, const std::string& file) {
  const XmlElement root = read_xml(text, file);
  if (root.name != "nvidia_smi_log") {
    throw Error(ErrorCode::bad_data, "an XML file with the root <" + printable(root.name) + ">, not nvidia-smi's",
                "save the output of nvidia-smi -q -x", file);
  }
  Machine machine;
  machine.source = "nvidia-smi -q -x";
  machine.driver = known(root.at("driver_version"));
  machine.cuda = known(root.at("cuda_version"));
  int index = 0;
  for (const XmlElement& each : root.children) {
    if (each.name == "gpu") {
      read_gpu(each, gpu_at(machine, index++));
    }
  }
  return machine;
}

}  // namespace gpuadvise::host
