// Which card a log is about.
#include "cli/doctor_remedies.hpp"

#include <gpuadvise/error.hpp>

#include "catch.hpp"

#include <string>

using namespace gpuadvise;

namespace {

const catalog::Catalog& all_cards() {
  static const catalog::Catalog catalog({});
  return catalog;
}

cli::SeenCard card_in(const std::string& log, const std::optional<std::string>& named = std::nullopt) {
  const software::ErrorTable& table = software::known_errors();
  software::LogScanner scanner(table);
  scanner.feed(log);
  scanner.finish();
  return cli::card_of_log(all_cards(), software::diagnose(software::facts(), scanner, table, {}), named);
}

std::string id_in(const std::string& log) {
  const cli::SeenCard card = card_in(log);
  return card.gpu != nullptr ? std::string(card.gpu->id) : "";
}

std::string out_of_memory(const std::string& total) {
  return "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of " + total + " GiB of which 1.00 GiB is free.\n";
}

}  // namespace

TEST_CASE("the card of a log by its name and the memory of the message") {
  CHECK(id_in("  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes\n" + out_of_memory("23.69")) == "rtx-3090");
  CHECK(id_in("name: NVIDIA A100-SXM4-80GB, pci bus id: 0000:01:00.0\n" + out_of_memory("79.15")) == "a100-80gb-sxm");
  CHECK(id_in("using device CUDA0 (NVIDIA GeForce RTX 4090) - 23306 MiB free\n" + out_of_memory("23.6")) == "rtx-4090");
  CHECK(id_in("|   0  Tesla T4            Off  | 00000000:00:04.0 Off |\n" + out_of_memory("14.58")) == "t4");
  // The size decides between variants of a name.
  CHECK(id_in("GPU 0: NVIDIA GeForce RTX 3060\n" + out_of_memory("11.6")) == "rtx-3060-12gb");
}

TEST_CASE("no card is better than a wrong one") {
  CHECK(id_in(out_of_memory("23.69")).empty());
  CHECK_THAT(card_in(out_of_memory("23.69")).how, ContainsSubstring("names no card"));
  // A card that is only spoken of has another memory.
  CHECK(id_in("bf16 runs well on NVIDIA A100 or newer\n" + out_of_memory("23.69")).empty());
  CHECK(id_in("NVIDIA GeForce RTX 3090 and NVIDIA GeForce RTX 4090\nNVIDIA GeForce RTX 4090\n" + out_of_memory("23.6")).empty());
  CHECK(card_in("", "rtx-4090").gpu->id == "rtx-4090");
  CHECK(card_in("", "rtx-3060").gpu == nullptr);  // two sizes are sold
  CHECK(card_in(out_of_memory("11.6"), "rtx-3060").gpu->id == "rtx-3060-12gb");
  CHECK(card_in("", "rtx-3090,rtx-4090").gpu == nullptr);
  CHECK(card_in(out_of_memory("11.6"), "rtx-4090").gpu == nullptr);
  CHECK_THROWS_AS(card_in("", "rtx 4900"), Error);
}
