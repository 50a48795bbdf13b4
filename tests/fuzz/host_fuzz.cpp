// Any text as a saved output of a vendor's tool: every reader of src/host, the resolution to cards, and what is shown of it.
#include <gpuadvise/error.hpp>

#include "catalog/catalog.hpp"
#include "host/resolve.hpp"
#include "host/xml.hpp"
#include "report/host.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const gpuadvise::catalog::Catalog catalog({});
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    gpuadvise::host::Machine machine = gpuadvise::host::read_machine(text, "fuzz");
    gpuadvise::host::resolve(machine, catalog);
    gpuadvise::host::Machine twice = machine;
    gpuadvise::host::merge(twice, machine);
    gpuadvise::host::Machine two = machine;
    gpuadvise::host::add_output(two, machine, "fuzz");
    static_cast<void>(gpuadvise::report::host_text(machine, {}));
    static_cast<void>(gpuadvise::report::host_json(machine, "fuzz"));
  } catch (const gpuadvise::Error&) {
  }
  try {
    static_cast<void>(gpuadvise::host::read_xml(text, "fuzz"));
  } catch (const gpuadvise::Error&) {
  }
  return 0;
}
