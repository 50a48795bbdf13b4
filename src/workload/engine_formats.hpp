// Which number formats an engine can run.
#pragma once

#include <gpuadvise/workload.hpp>

#include <optional>
#include <string_view>

namespace gpuadvise::workload {

[[nodiscard]] bool engine_runs(Engine engine, const Precision& precision);
// The engine's own format for a width that people name loosely ("int4" with llama.cpp is gguf:Q4_K_M).
[[nodiscard]] std::optional<Precision> engine_equivalent(Engine engine, const Precision& precision);
// The format of so many bits, 8 or 4, that is usual with the engine: what the library it comes with writes or loads.
[[nodiscard]] Precision usual_quantised(Engine engine, int bits);
// Stored by bitsandbytes, which is what these libraries take int8 and nf4 from.
[[nodiscard]] bool by_bitsandbytes(Engine engine, const Precision& precision);
// What to use instead, for messages.
[[nodiscard]] std::string_view engine_formats_hint(Engine engine);
[[nodiscard]] bool engine_trains(Engine engine);
// Formats that gradients can be computed in; the others store a frozen base at most.
[[nodiscard]] bool trains_in(const Precision& precision);

}  // namespace gpuadvise::workload
