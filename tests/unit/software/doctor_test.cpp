#include <gpuadvise/error.hpp>

#include "catch.hpp"
#include "software/diagnosis.hpp"

#include <algorithm>
#include <utility>

using namespace gpuadvise;
using namespace gpuadvise::software;

namespace {

std::vector<std::string> fired(std::string_view log, std::size_t piece = 1000000) {
  const ErrorTable& table = known_errors();
  LogScanner scanner(table);
  for (std::size_t at = 0; at < log.size(); at += piece) {
    scanner.feed(log.substr(at, piece));
  }
  scanner.finish();
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < table.errors.size(); ++i) {
    if (scanner.errors()[i].count > 0) {
      ids.push_back(table.errors[i].id);
    }
  }
  return ids;
}

LogReport report_of(std::string_view log, const Question& known = {}) {
  LogScanner scanner(known_errors());
  scanner.feed(log);
  scanner.finish();
  return diagnose(facts(), scanner, known_errors(), known);
}

using Ids = std::vector<std::string>;

}  // namespace

TEST_CASE("34 known errors fire on their own text and on no other's") {
  CHECK(known_errors().errors.size() == 34);
  for (const KnownError& error : known_errors().errors) {
    CHECK(fired(error.example) == Ids{error.id});
  }
}

TEST_CASE("variants of messages") {
  const std::vector<std::pair<std::string, std::string>> variants{
      {"no-kernel-image", "torch.AcceleratorError: CUDA error: no kernel image is available for execution on the device"},
      {"capability-not-in-build", "NVIDIA GB10 with CUDA capability sm_121 is not compatible with the current PyTorch installation."},
      {"card-too-old-for-build", "    Found GPU0 NVIDIA GeForce GTX 1080 Ti which is of compute capability (CC) 6.1."},
      {"card-too-old-for-build", "The minimum cuda capability supported by this library is 3.7."},
      {"driver-too-old", "UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 12020)."},
      {"driver-too-old", "CUDA error: CUDA driver version is insufficient for CUDA runtime version"},
      {"kernel-module-missing", "NVIDIA-SMI has failed because it couldn\xE2\x80\x99t communicate with the NVIDIA driver."},
      {"cudnn-mismatch", "cuDNN version mismatch: PyTorch was compiled against 7005 but linked against 7104"},
      {"cudnn-library-missing", "Unable to load any of {libcudnn_ops.so.9.1.0, libcudnn_ops.so.9.1, libcudnn_ops.so.9}"},
      {"cudnn-library-missing", "Could not locate cudnn_ops_infer64_8.dll. Please make sure it is in your library path!"},
      {"out-of-memory", "RuntimeError: CUDA error: out of memory"},
      {"out-of-memory", "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.00 GiB."},
      {"bf16-missing", "ValueError: Your setup doesn't support bf16/gpu. You need torch>=1.10, using Ampere GPU with cuda>=11.0"},
      {"gfx-not-in-build", "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!"},
      {"ptx-too-new", "ptxas: CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
      {"extension-for-other-torch", "xformers/_C.so: undefined symbol: _ZNK3c107SymBool10guard_boolEPKcl"},
      {"torchvision-pair", "NotImplementedError: Could not run 'torchvision::nms' with arguments from the 'CUDA' backend."},
      {"no-matching-wheel", "ERROR: No matching distribution found for torch==2.5.1+cu128"},
      {"cuda-unknown-error", "Error 802: system not yet initialized"},
      {"windows-dll", "OSError: [WinError 1114] DLL init failed. Error loading \"C:\\torch\\lib\\c10_cuda.dll\" or dependencies."},
      {"nccl-failure", "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE)"},
      {"cuda-library-missing", "OSError: libcublas.so.11: cannot open shared object file: No such file or directory"},
      {"bitsandbytes-setup", "The installed version of bitsandbytes was compiled without GPU support."},
      {"marlin-missing",
       "The quantization method gptq_marlin is not supported for the current GPU. Minimum capability: 80. Current capability: 75."},
      {"glibc-too-old", "/lib/x86_64-linux-gnu/libc.so.6: version `GLIBC_2.28' not found (required by libtorch_cpu.so)"},
  };
  for (const auto& [id, text] : variants) {
    INFO(text);
    CHECK(fired(text) == Ids{id});
  }
}

TEST_CASE("ordinary lines fire nothing") {
  CHECK(fired("").empty());
  CHECK(fired("Epoch 3: loss 0.31, memory 12.3 GiB, CUDA 12.8, sm_120, out of 100\nusing bf16\nlibcudart.so.12 loaded\n").empty());
  CHECK(fired("Successfully installed torch-2.8.0 torchvision-0.23.0 nvidia-nccl-cu12-2.27.3").empty());
  CHECK(fired("RuntimeError: XYZ with CUDA capability sm_x is not compatible with the current PyTorch installation").empty());
}

TEST_CASE("how the log comes in pieces does not matter") {
  std::string log;
  for (const KnownError& error : known_errors().errors) {
    log += "some line before\r\n" + error.example + "\r\n";
  }
  const auto whole = fired(log);
  CHECK(whole.size() == 34);
  for (const std::size_t piece : {1U, 7U, 64U, 4096U}) {
    CHECK(fired(log, piece) == whole);
  }
}

TEST_CASE("a line without end is looked at in parts") {
  const std::string noise(16380, 'x');
  CHECK(fired(noise + " CUDA error: no kernel image is available for execution on the device " + noise) == Ids{"no-kernel-image"});
  CHECK(fired(std::string(3000000, 'a')).empty());
  CHECK(fired(std::string(100000, '\0') + "device-side assert triggered") == Ids{"device-assert"});
}

TEST_CASE("repeated errors are counted, the first is shown") {
  const LogReport report = report_of("x\ndevice-side assert triggered\ny\nDevice-side   Assert triggered\n");
  REQUIRE(report.found.size() == 1);
  CHECK(report.found[0].seen.count == 2);
  CHECK(report.found[0].seen.line == 2);
  CHECK(report.lines == 4);
}

TEST_CASE("numbers in the log decide") {
  const LogReport blackwell = report_of("RTX 5080 with CUDA capability sm_120 is not compatible with the current PyTorch installation.");
  REQUIRE(blackwell.found.size() == 1);
  REQUIRE_FALSE(blackwell.found[0].for_this_case.empty());
  CHECK_THAT(blackwell.found[0].for_this_case[0], ContainsSubstring("cu128: torch 2.7 to 2.11"));
  const LogReport driver = report_of("The NVIDIA driver on your system is too old (found version 11040).");
  REQUIRE(driver.found.size() == 1);
  CHECK_THAT(driver.found[0].for_this_case.at(0), ContainsSubstring("R470"));
  const LogReport facts_told = report_of("PyTorch version: 2.5.1+cu124\nNvidia driver version: 535.104.05\n");
  CHECK(facts_told.found.empty());
  CHECK(facts_told.facts == std::vector<std::pair<std::string, std::string>>{{"torch", "2.5.1"}, {"driver", "535.104.05"}});
}

TEST_CASE("messages of exhausted memory, old and new") {
  constexpr double k_gib = 0x1p30;
  const auto newest = parse_out_of_memory(
      "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.50 GiB is free. Process 1234 has "
      "1.00 GiB memory in use. Including non-PyTorch memory, this process has 21.00 GiB memory in use. Of the allocated memory 18.00 GiB "
      "is "
      "allocated by PyTorch, and 2.50 GiB is reserved by PyTorch but unallocated.");
  REQUIRE(newest);
  CHECK(*newest->asked_bytes == Approx(2 * k_gib));
  CHECK(*newest->total_bytes == Approx(23.69 * k_gib));
  CHECK(*newest->free_bytes == Approx(1.5 * k_gib));
  CHECK(*newest->allocated_bytes == Approx(18 * k_gib));
  CHECK(*newest->reserved_bytes == Approx(20.5 * k_gib));
  CHECK(*newest->idle_bytes() == Approx(2.5 * k_gib));
  CHECK(*newest->others_bytes() == Approx(1.19 * k_gib));
  CHECK(newest->fragmented());
  CHECK(*newest->gpu == 0);
  const auto old = parse_out_of_memory(
      "RuntimeError: CUDA out of memory. Tried to allocate 512.00 MiB (GPU 1; 10.76 GiB total capacity; 9.50 GiB already allocated; 100.44 "
      "MiB free; 9.60 GiB reserved in total by PyTorch)");
  REQUIRE(old);
  CHECK(*old->asked_bytes == Approx(512 * 0x1p20));
  CHECK(*old->total_bytes == Approx(10.76 * k_gib));
  CHECK(*old->free_bytes == Approx(100.44 * 0x1p20));
  CHECK(*old->reserved_bytes == Approx(9.6 * k_gib));
  CHECK(*old->gpu == 1);
  CHECK_FALSE(old->fragmented());
  const auto oldest = parse_out_of_memory(
      "CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 2.00 GiB total capacity; 1.20 GiB already allocated; 10.00 MiB free; 50.00 "
      "MiB "
      "cached)");
  REQUIRE(oldest);
  CHECK(*oldest->reserved_bytes == Approx(50 * 0x1p20));
  const auto apple = parse_out_of_memory(
      "MPS backend out of memory (MPS allocated: 17.00 GB, other allocations: 400.00 MB, max allowed: 18.13 GB). Tried to allocate 1.00 GB "
      "on "
      "private pool.");
  REQUIRE(apple);
  CHECK(*apple->allocated_bytes == Approx(17 * k_gib));
  CHECK(*apple->total_bytes == Approx(18.13 * k_gib));
  CHECK_FALSE(parse_out_of_memory("all is well"));
  const auto bare = parse_out_of_memory("CUDA error: out of memory");
  REQUIRE(bare);
  CHECK_FALSE(bare->asked_bytes);
  CHECK_FALSE(bare->fragmented());
}

TEST_CASE("hostile memory messages") {
  CHECK_FALSE(parse_out_of_memory("out of memory. Tried to allocate 1e999 GiB")->asked_bytes);
  CHECK_FALSE(parse_out_of_memory("out of memory. Tried to allocate ..... GiB")->asked_bytes);
  CHECK_FALSE(parse_out_of_memory("out of memory total capacity")->total_bytes);
  CHECK_FALSE(parse_out_of_memory("out of memory (GPU 99999999999; GiB already allocated; free; ")->gpu);
}

TEST_CASE("broken error data is refused") {
  CHECK_THROWS_AS(read_errors("[]"), Error);
  CHECK_THROWS_AS(read_errors(R"({"log_errors": [{"id": "x"}], "log_facts": []})"), Error);
  CHECK_THROWS_AS(
      read_errors(
          R"({"log_errors": [{"id": "x", "any": ["a#"], "cause": "", "fact": "", "fix": [], "example": "", "source": ""}], "log_facts": []})"),
      Error);
}
