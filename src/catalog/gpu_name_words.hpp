// The words that card names are made of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpuadvise::catalog {

[[nodiscard]] std::vector<std::string> words_of(std::string_view normalised);
[[nodiscard]] bool contains_word(std::string_view normalised, std::string_view word);

[[nodiscard]] bool is_maker_word(std::string_view word);  // nvidia, amd ...
[[nodiscard]] bool is_brand_word(std::string_view word);  // geforce, quadro, tesla, rtx ...
// Brands that never stand for one another: a text that names one means no other.
[[nodiscard]] bool is_series_word(std::string_view word);  // rtx, gtx, rx

// "24gb" -> 24.
[[nodiscard]] std::optional<double> memory_word(std::string_view word);

// "0x2684", "10de:2684", "10DE-2684" -> "0x2684"; nullopt for anything else.
[[nodiscard]] std::optional<std::string> pci_device_id(std::string_view text);

}  // namespace gpuadvise::catalog
