#include "cli/own_machine.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include "catch.hpp"

#include <string>

namespace gpuadvise::cli {
namespace {

const catalog::Catalog& all_cards() {
  static const catalog::Catalog catalog({});
  return catalog;
}

OwnMachine recorded(const std::string& name) {
  return own_cards(own_machine({std::string(GPUADVISE_SOURCE_DIR) + "/tests/data/host/" + name}, all_cards()));
}

double usable_gib(const Gpu& gpu) {
  return estimate::usable_bytes(gpu, estimate::default_use(gpu, false)) / k_gib;
}

TEST_CASE("cards of one kind stand together, and several of them offer what the fullest has free") {
  const OwnMachine machine = recorded("mixed.csv");
  REQUIRE(machine.kinds.size() == 2);
  const OwnCards& kind = machine.kinds.front();
  CHECK(kind.card.id == "rtx-3090");
  CHECK(kind.count == 2);
  CHECK(usable_gib(kind.seen_by(1)) > usable_gib(kind.seen_by(2)));
  CHECK(usable_gib(kind.seen_by(2)) == Approx(22.57).epsilon(0.001));
}

TEST_CASE("free memory never exceeds what the tool calls free") {
  const OwnMachine machine = recorded("mixed.csv");
  CHECK(usable_gib(machine.kinds.front().seen_by(1)) <= 24290.0 / 1024.0 + 1e-9);
  CHECK(usable_gib(machine.kinds.back().seen_by(1)) <= 22270.0 / 1024.0 + 1e-9);
}

TEST_CASE("a modded card has the memory that was seen") {
  const OwnMachine machine = recorded("mixed.csv");
  CHECK(machine.kinds.back().card.id == "rtx-2080-ti");
  CHECK(machine.kinds.back().card.memory_gib == Approx(22.0));
}

TEST_CASE("MIG slices are cards of their own with their part of the rates, and work alone") {
  const OwnMachine machine = recorded("mig.xml");
  REQUIRE(machine.kinds.size() == 2);
  const OwnCards& slices = machine.kinds.front();
  const Gpu& whole = all_cards().find_gpu("a100-80gb-sxm");
  CHECK(slices.card.id == "a100-80gb-sxm/mig-39.3gib");
  CHECK(slices.count == 2);
  CHECK_FALSE(slices.joins_others);
  CHECK(slices.card.memory_bandwidth_gb_s == Approx(whole.memory_bandwidth_gb_s * 40192.0 / 81920.0));
  CHECK(*slices.card.sm_count < *whole.sm_count);
  CHECK(*slices.card.tflops.fp32 == Approx(*whole.tflops.fp32 * 56.0 / 108.0));
}

TEST_CASE("slices without a printed size hold less than their profile's name") {
  const OwnMachine machine = recorded("mig-list.txt");
  CHECK(machine.kinds.front().card.memory_gib < 40.0);
  CHECK(machine.kinds.front().card.memory_gib > 30.0);
}

TEST_CASE("an uncertain card is judged as the least of those it may be") {
  const OwnMachine machine = recorded("windows-laptop.txt");
  for (const OwnCards& kind : machine.kinds) {
    CHECK(kind.card.memory_gib < 16.5);
  }
  REQUIRE(machine.findings.size() == 1);
  CHECK(machine.findings.front().rule == "own-card-presumed");
}

TEST_CASE("graphics of the processor are left out") {
  const OwnMachine machine = recorded("rocm-smi.json");
  REQUIRE(machine.kinds.size() == 1);
  CHECK(machine.findings.front().rule == "own-card-integrated");
}

TEST_CASE("cards at hand take the place of host among the cards the user has") {
  const host::Machine machine = own_machine({std::string(GPUADVISE_SOURCE_DIR) + "/tests/data/host/mixed.csv"}, all_cards());
  CHECK(names_host({"rtx-4090", " Host"}));
  CHECK_FALSE(names_host({"rtx-4090"}));
  CHECK(with_host_cards({"rtx-4090", "host"}, machine) == std::vector<std::string>{"rtx-4090", "rtx-3090", "rtx-2080-ti", "rtx-3090"});
  CHECK_THROWS_AS(own_machine({"-", "-"}, all_cards()), Error);
}

TEST_CASE("the machine's own PyTorch judges its cards unless the user says otherwise") {
  const Session session(DataWishes{});
  host::Machine machine;
  machine.torch = "2.5.1+cu124";
  machine.driver = "570.124.06";
  Preferences wants;
  CHECK_FALSE(use_versions_of(machine, session, wants).empty());
  CHECK(wants.torch == "2.5.1+cu124");
  CHECK(wants.driver == "570.124.06");
  Preferences own;
  own.torch = "2.8";
  CHECK(use_versions_of(machine, session, own).empty());
  CHECK(own.torch == "2.8");
  CHECK(own.driver.empty());
  machine.torch = "99.0";  // not known here: it decides nothing
  Preferences newer;
  CHECK(use_versions_of(machine, session, newer).empty());
  CHECK(newer.torch.empty());
}

TEST_CASE("a machine whose cards are not named cannot be judged") {
  try {
    static_cast<void>(recorded("topology.txt"));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(exit_status(error.code()) == 4);
  }
}

}  // namespace
}  // namespace gpuadvise::cli
