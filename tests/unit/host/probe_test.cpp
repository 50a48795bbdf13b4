#include "host/probe.hpp"

#include <gpuadvise/error.hpp>

#include "catalog/data_reader.hpp"
#include "catch.hpp"

#include <chrono>
#include <map>
#include <string>

namespace gpuadvise::host {
namespace {

std::string recorded(const std::string& name) {
  return catalog::read_text_file(std::string(GPUADVISE_SOURCE_DIR) + "/tests/data/host/" + name);
}

// Answers by the command's first and last word; any other tool is missing.
ToolRunner answering(std::map<std::string, std::string> answers) {
  return [answers = std::move(answers)](const std::vector<std::string>& command) {
    const auto found = answers.find(command.front() + " " + command.back());
    return found == answers.end() ? ToolOutput{} : ToolOutput{ToolOutput::Ending::exited, 0, found->second};
  };
}

TEST_CASE("a machine without any tool names what was tried") {
  try {
    static_cast<void>(probe(answering({})));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::host_unreadable);
    CHECK(exit_status(error.code()) == 4);
    CHECK(error.message() == "no GPU tool answered (nvidia-smi: not found; rocm-smi: not found; amd-smi: not found; xpu-smi: not found)");
  }
}

TEST_CASE("slices get their profiles from the list, links come with two GPUs") {
  const Machine machine = probe(answering({{"nvidia-smi -x", recorded("mig.xml")},
                                           {"nvidia-smi -L", recorded("mig-list.txt")},
                                           {"nvidia-smi -m", recorded("topology.txt")}}))
                              .machine;
  REQUIRE(machine.gpus.size() == 2);
  CHECK(machine.gpus.front().mig.front().profile == "4g.40gb");
  CHECK(machine.links.size() == 1);
}

TEST_CASE("cards of two makers are numbered on") {
  const Machine machine =
      probe(answering({{"nvidia-smi -x", recorded("mig.xml")}, {"rocm-smi --json", recorded("rocm-smi.json")}})).machine;
  REQUIRE(machine.gpus.size() == 4);
  CHECK(machine.gpus[2].index == 2);
  CHECK(machine.gpus[2].pci_device_id == "0x744c");
}

TEST_CASE("a second tool of a maker is asked where the first is missing") {
  const Machine machine = probe(answering({{"amd-smi --json", recorded("amd-smi.json")}})).machine;
  CHECK(machine.gpus.front().name == "AMD Instinct MI300X");
}

TEST_CASE("a tool that fails says so") {
  try {
    static_cast<void>(probe(answering({{"nvidia-smi -x", recorded("failed.txt")}})));
    FAIL("no error");
  } catch (const Error& error) {
    CHECK_THAT(error.message(), ContainsSubstring("NVIDIA-SMI has failed"));
  }
}

TEST_CASE("processes: output, exit status, missing tool") {
  const ToolOutput said = run_tool({"echo", "one  two"});
  CHECK(said.good());
  CHECK(said.text == "one  two\n");
  CHECK(run_tool({"false"}).status == 1);
  CHECK_FALSE(run_tool({"false"}).good());
  CHECK(run_tool({"no-such-tool-anywhere"}).ending == ToolOutput::Ending::missing);
  CHECK(run_tool({}).ending == ToolOutput::Ending::missing);
}

TEST_CASE("processes: no shell reads the arguments") {
  CHECK(run_tool({"echo", "$HOME;`id`|x"}).text == "$HOME;`id`|x\n");
}

TEST_CASE("processes: time and output are limited") {
  const auto start = std::chrono::steady_clock::now();
  const ToolLimits short_time{0.2, 1000};
  CHECK(run_tool({"sleep", "20"}, short_time).ending == ToolOutput::Ending::timed_out);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  const ToolOutput much = run_tool({"yes"}, {5.0, 100000});
  CHECK(much.ending == ToolOutput::Ending::too_long);
  CHECK(much.text.size() < 1000000);
  CHECK(describe(much) == "printed too much");
}

}  // namespace
}  // namespace gpuadvise::host
