// The memory messages of programs over the years, each figure where that program puts it.
#include "software/oom.hpp"

#include "catch.hpp"
#include "software/diagnosis.hpp"

#include <array>
#include <string>
#include <vector>

using namespace gpuadvise::software;

namespace {

constexpr double k_gib = 0x1p30;
constexpr double k_mib = 0x1p20;
using M = MemoryPicture;
using Field = std::optional<double> MemoryPicture::*;

struct Figure {
  Field field;
  double bytes;
};

struct Message {
  const char* text;
  int gpu;  // -1: not told
  std::vector<Figure> figures;
};

const std::vector<Message>& messages() {
  static const std::vector<Message> all{
      // PyTorch 0.4, 1.0 to 1.3 ("cached" is what is reserved and idle), 1.4 to 2.0, with a limit, 2.1, 2.3 and later.
      {"RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic/THCStorage.cu:58", -1, {}},
      {"RuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 7.93 GiB total capacity; 6.68 GiB already allocated; 11.06 "
       "MiB "
       "free; 400.00 KiB cached)",
       0,
       {{&M::asked_bytes, 20 * k_mib},
        {&M::total_bytes, 7.93 * k_gib},
        {&M::allocated_bytes, 6.68 * k_gib},
        {&M::free_bytes, 11.06 * k_mib},
        {&M::reserved_bytes, 6.68 * k_gib + 400 * 1024}}},
      {"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB (GPU 1; 10.76 GiB total capacity; 9.50 GiB already "
       "allocated; 0 bytes free; 9.60 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting "
       "max_split_size_mb to avoid fragmentation.",
       1,
       {{&M::asked_bytes, 512 * k_mib},
        {&M::total_bytes, 10.76 * k_gib},
        {&M::allocated_bytes, 9.5 * k_gib},
        {&M::free_bytes, 0.0},
        {&M::reserved_bytes, 9.6 * k_gib}}},
      {"CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 8.00 GiB total capacity; 3.20 GiB already allocated; 4.10 GiB free; 4.00 "
       "GiB "
       "allowed; 3.30 GiB reserved in total by PyTorch)",
       0,
       {{&M::allowed_bytes, 4 * k_gib}, {&M::free_bytes, 4.1 * k_gib}, {&M::reserved_bytes, 3.3 * k_gib}}},
      {"OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacty of 23.69 GiB of which 13.88 MiB is "
       "free. Process 4711 has 23.67 GiB memory in use. Of the allocated memory 21.00 GiB is allocated by PyTorch, and 512.00 MiB is "
       "reserved by PyTorch but unallocated.",
       0,
       {{&M::asked_bytes, 20 * k_mib},
        {&M::total_bytes, 23.69 * k_gib},
        {&M::free_bytes, 13.88 * k_mib},
        {&M::allocated_bytes, 21 * k_gib},
        {&M::reserved_bytes, 21.5 * k_gib}}},
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 3 has a total capacity of 79.15 GiB of which 1.20 GiB "
       "is "
       "free. Including non-PyTorch memory, this process has 77.90 GiB memory in use. 70.00 GiB allowed; Of the allocated memory 72.00 GiB "
       "is allocated by PyTorch, with 3.00 GiB allocated in private pools (e.g., CUDA Graphs), and 4.10 GiB is reserved by PyTorch but "
       "unallocated.",
       3,
       {{&M::asked_bytes, 2 * k_gib},
        {&M::process_bytes, 77.9 * k_gib},
        {&M::allowed_bytes, 70 * k_gib},
        {&M::pools_bytes, 3 * k_gib},
        {&M::allocated_bytes, 72 * k_gib},
        {&M::reserved_bytes, 76.1 * k_gib}}},
      {"torch.OutOfMemoryError: HIP out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 15.98 GiB of which 196.00 MiB "
       "is "
       "free. Of the allocated memory 15.00 GiB is allocated by PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated.",
       0,
       {{&M::asked_bytes, 1.5 * k_gib}, {&M::free_bytes, 196 * k_mib}, {&M::reserved_bytes, 15 * k_gib + 300 * k_mib}}},
      {"torch.OutOfMemoryError: XPU out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 15.11 GiB. Of the allocated "
       "memory 13.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.",
       0,
       {{&M::total_bytes, 15.11 * k_gib}, {&M::reserved_bytes, 14 * k_gib}}},
      {"RuntimeError: MPS backend out of memory (MPS allocated: 17.00 GB, other allocations: 400.00 MB, max allowed: 18.13 GB). Tried to "
       "allocate 1.00 GB on private pool.",
       -1,
       {{&M::asked_bytes, k_gib}, {&M::allocated_bytes, 17 * k_gib}, {&M::total_bytes, 18.13 * k_gib}}},
      // vLLM.
      {"model weights take 5.20GiB; non_torch_memory takes 0.03GiB; PyTorch activation peak memory takes 1.42GiB; the rest of the memory "
       "reserved for KV Cache is -1.05GiB.",
       -1,
       {{&M::weights_bytes, 5.2 * k_gib}, {&M::activation_bytes, 1.42 * k_gib}, {&M::cache_bytes, -1.05 * k_gib}}},
      {"ValueError: To serve at least one request with the models's max seq len (32768), (8.00 GiB KV cache is needed, which is larger "
       "than "
       "the available KV cache memory (5.27 GiB).",
       -1,
       {{&M::asked_bytes, 8 * k_gib}, {&M::cache_bytes, 5.27 * k_gib}}},
      {"ValueError: Free memory on device cuda:0 (4.08/23.65 GiB) on startup is less than desired GPU memory utilization (0.9, 21.28 GiB).",
       0,
       {{&M::free_bytes, 4.08 * k_gib}, {&M::total_bytes, 23.65 * k_gib}, {&M::asked_bytes, 21.28 * k_gib}}},
      {"ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.",
       -1,
       {}},
      // llama.cpp.
      {"ggml_backend_cuda_buffer_type_alloc_buffer: allocating 13365.59 MiB on device 1: cudaMalloc failed: out of memory",
       1,
       {{&M::asked_bytes, 13365.59 * k_mib}}},
      {"alloc_tensor_range: failed to allocate CUDA0 buffer of size 7123456000", -1, {{&M::asked_bytes, 7123456000.0}}},
      {"ggml_vulkan: Device memory allocation of size 1073741824 failed.", -1, {{&M::asked_bytes, k_gib}}},
      // TensorFlow, JAX.
      {"ResourceExhaustedError: OOM when allocating tensor with shape[64,224,224,64] and type float on "
       "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc",
       0,
       {{&M::asked_bytes, 64.0 * 224 * 224 * 64 * 4}}},
      {"failed to allocate 3.91G (4197842944 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory",
       -1,
       {{&M::asked_bytes, 3.91 * k_gib}}},
      {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4294967296 bytes.",
       -1,
       {{&M::asked_bytes, 4 * k_gib}}},
      // ROCm.
      {"RuntimeError: HIP error: out of memory", -1, {}},
      {"hipErrorOutOfMemory: out of memory", -1, {}},
  };
  return all;
}

constexpr auto k_fields =
    std::to_array<Field>({&M::asked_bytes, &M::total_bytes, &M::free_bytes, &M::process_bytes, &M::allocated_bytes, &M::reserved_bytes,
                          &M::allowed_bytes, &M::pools_bytes, &M::weights_bytes, &M::activation_bytes, &M::cache_bytes});

std::vector<std::string> found_in(const std::string& log, std::optional<MemoryPicture>& memory) {
  LogScanner scanner(known_errors());
  scanner.feed(log);
  scanner.finish();
  const LogReport report = diagnose(facts(), scanner, known_errors(), {});
  memory = report.memory;
  std::vector<std::string> ids;
  for (const Diagnosis& diagnosis : report.found) {
    ids.push_back(diagnosis.error->id);
  }
  return ids;
}

}  // namespace

TEST_CASE("each program's memory message gives its figures") {
  for (const Message& message : messages()) {
    INFO(message.text);
    const auto picture = parse_out_of_memory(message.text);
    REQUIRE(picture);
    CHECK(picture->gpu.value_or(-1) == message.gpu);
    for (const Figure& figure : message.figures) {
      REQUIRE((*picture.*figure.field).has_value());
      CHECK(*(*picture.*figure.field) == Approx(figure.bytes).margin(1.0));
    }
    if (message.figures.empty()) {
      CHECK(picture->empty());
    }
    for (const Field field : k_fields) {
      const auto value = *picture.*field;
      CHECK((!value || std::abs(*value) < 100 * k_gib));
    }
  }
}

TEST_CASE("a log with any of the messages is found to be out of memory, once") {
  for (const Message& message : messages()) {
    INFO(message.text);
    std::optional<MemoryPicture> memory;
    const auto ids = found_in("step 1\n" + std::string(message.text) + "\nstep 2\n", memory);
    const bool apple = std::string_view(message.text).find("MPS") != std::string_view::npos;
    CHECK(ids == std::vector<std::string>{apple ? "mps-out-of-memory" : "out-of-memory"});
    CHECK(memory);
  }
}

TEST_CASE("lines that speak of memory and tell of no fault") {
  for (const char* line : {"the current vLLM instance can use total_gpu_memory (8.00GiB) x gpu_memory_utilization (0.70) = 5.60GiB",
                           "model weights take 5.20GiB; the rest of the memory reserved for KV Cache is 1.05GiB.",
                           "Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.20GiB with freed_by_count=0. The caller indicates "
                           "that this is not a failure",
                           "GPU KV cache size: 120,000 tokens", "llama_model_load: CUDA0 buffer size = 4095.05 MiB"}) {
    std::optional<MemoryPicture> memory;
    INFO(line);
    CHECK(found_in(line, memory).empty());
    CHECK_FALSE(memory);
  }
}

TEST_CASE("an account over several lines is one picture, and the last fault decides") {
  std::optional<MemoryPicture> memory;
  found_in(
      "the current vLLM instance can use total_gpu_memory (8.00GiB) x gpu_memory_utilization (0.70) = 5.60GiB\n"
      "model weights take 5.20GiB; PyTorch activation peak memory takes 1.42GiB; the rest of the memory reserved for KV Cache is "
      "-1.05GiB.\n",
      memory);
  REQUIRE(memory);
  CHECK(*memory->total_bytes == Approx(8 * k_gib));
  CHECK(*memory->cache_bytes == Approx(-1.05 * k_gib));
  found_in(
      "CUDA out of memory. Tried to allocate 2.00 GiB.\nretry\nCUDA out of memory. Tried to allocate 4.00 GiB.\nCUDA error: out of "
      "memory\n",
      memory);
  REQUIRE(memory);
  CHECK(*memory->asked_bytes == Approx(4 * k_gib));
}

TEST_CASE("idle, others' and outside memory") {
  const auto newest = parse_out_of_memory(
      "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 1.50 GiB is free. Process 1234 has "
      "1.00 GiB memory in use. Including non-PyTorch memory, this process has 21.00 GiB memory in use. Of the allocated memory 18.00 GiB "
      "is allocated by PyTorch, and 2.50 GiB is reserved by PyTorch but unallocated.");
  REQUIRE(newest);
  CHECK(*newest->idle_bytes() == Approx(2.5 * k_gib));
  CHECK(*newest->others_bytes() == Approx(1.19 * k_gib));
  CHECK_FALSE(newest->outside_bytes());
  CHECK(newest->fragmented());
  const auto old = parse_out_of_memory(
      "CUDA out of memory. Tried to allocate 512.00 MiB (GPU 1; 10.76 GiB total capacity; 9.50 GiB already allocated; 100.44 MiB free; "
      "9.60 "
      "GiB reserved in total by PyTorch)");
  REQUIRE(old);
  CHECK_FALSE(old->fragmented());
  CHECK_FALSE(old->others_bytes());
  CHECK(*old->outside_bytes() == Approx(10.76 * k_gib - 100.44 * k_mib - 9.6 * k_gib));
  CHECK_FALSE(parse_out_of_memory("all is well"));
}

TEST_CASE("hostile memory messages") {
  CHECK_FALSE(parse_out_of_memory("out of memory. Tried to allocate 1e999 GiB")->asked_bytes);
  CHECK_FALSE(parse_out_of_memory("out of memory. Tried to allocate ..... GiB")->asked_bytes);
  CHECK_FALSE(parse_out_of_memory("out of memory total capacity")->total_bytes);
  CHECK_FALSE(parse_out_of_memory("out of memory (GPU 99999999999; GiB already allocated; free; ")->gpu);
  CHECK_FALSE(parse_out_of_memory("OOM when allocating tensor with shape[1,,2] and type float")->asked_bytes);
  CHECK_FALSE(parse_out_of_memory("OOM when allocating tensor with shape[99999999,99999999,99999999] and type float")->asked_bytes);
  CHECK_FALSE(parse_out_of_memory("OOM when allocating tensor with shape[")->asked_bytes);
  CHECK_FALSE(parse_out_of_memory("failed to allocate CUDA0 buffer of size 99999999999999999999999")->asked_bytes);
  CHECK_FALSE(parse_out_of_memory("Free memory on device (/ GiB) on startup, out of memory")->free_bytes);
}

TEST_CASE("cards are named in many ways") {
  const auto names = card_names(
      {"  Device 0: NVIDIA GeForce RTX 3090, compute capability 8.6, VMM: yes", "using device CUDA0 (NVIDIA RTX A6000) - 48000 MiB free",
       "|   0  Tesla T4            Off  | 00000000:00:04.0 Off |", "Found GPU0 GeForce GTX 770 which is of cuda capability 3.0.",
       "name: NVIDIA H100 80GB HBM3, pci bus id: 0000:01:00.0", "Intel(R) Arc(TM) A770 Graphics", "AMD Radeon RX 7900 XTX (gfx1100)"});
  for (const char* name : {"NVIDIA GeForce RTX 3090", "NVIDIA RTX A6000", "GeForce GTX 770", "NVIDIA H100 80GB HBM3",
                           "Intel Arc A770 Graphics", "AMD Radeon RX 7900 XTX"}) {
    INFO(name);
    CHECK(std::find(names.begin(), names.end(), name) != names.end());
  }
  CHECK(std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.starts_with("Tesla T4"); }));
  CHECK(card_names({"nvidia", "tesla ", ""}).empty());
}
