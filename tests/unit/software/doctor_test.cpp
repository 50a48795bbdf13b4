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

TEST_CASE("broken error data is refused") {
  CHECK_THROWS_AS(read_errors("[]"), Error);
  CHECK_THROWS_AS(read_errors(R"({"log_errors": [{"id": "x"}], "log_facts": []})"), Error);
  CHECK_THROWS_AS(
      read_errors(
          R"({"log_errors": [{"id": "x", "any": ["a#"], "cause": "", "fact": "", "fix": [], "example": "", "source": ""}], "log_facts": []})"),
      Error);
}
