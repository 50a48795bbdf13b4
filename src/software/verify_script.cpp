// The program that checks an installation on the user's machine. It needs nothing but Python and what it checks.
#include "software/install.hpp"

namespace gpuadvise::software {
namespace {

constexpr std::string_view k_body = R"PY(

def fail(number, text):
    print(f"FAIL {number:2d}  {text}")
    FAILED.append(number)


def good(number, text):
    print(f"ok   {number:2d}  {text}")


def skip(number, text):
    print(f"skip {number:2d}  {text}")


def numbers(text):
    return tuple(int(part) for part in re.findall(r"\d+", text or "")[:3])


def check_python():
    have = sys.version_info[:2]
    low, high = numbers(EXPECT["python_from"]), numbers(EXPECT["python_to"])
    if not low <= have <= high:
        return fail(1, f"Python {have[0]}.{have[1]}: torch {EXPECT['torch']} has wheels for {EXPECT['python_from']} to {EXPECT['python_to']}")
    found = {(d.metadata["Name"], d.version, str(d.locate_file(""))) for d in metadata.distributions()}
    torches = [name for name, _, _ in found if name == "torch"]
    if len(torches) != 1:
        return fail(1, f"{len(torches)} packages named torch are installed, one is wanted")
    good(1, f"Python {have[0]}.{have[1]}, torch {metadata.version('torch')}")


def check_build(torch):
    built = torch.version.cuda or getattr(torch.version, "hip", None) or getattr(torch.version, "xpu", None)
    if DEVICE != "mps" and not built:
        return fail(2, "this is a CPU build: install from the index " + EXPECT["build"])
    good(2, f"torch {torch.__version__}, built for {built or 'this system'}")


def check_driver():
    if DEVICE != "cuda" or EXPECT["build"].startswith("rocm"):
        return skip(3, "no NVIDIA driver to look at")
    try:
        done = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired) as error:
        return fail(3, f"nvidia-smi does not answer: {error}")
    driver = done.stdout.strip().splitlines()[0] if done.stdout.strip() else ""
    if done.returncode or not driver:
        return fail(3, f"nvidia-smi ended with {done.returncode}: {done.stdout.strip() or done.stderr.strip()}")
    if EXPECT["driver"] and numbers(driver) < numbers(EXPECT["driver"]):
        return fail(3, f"driver {driver} is too old: {EXPECT['driver']} or newer")
    good(3, f"driver {driver}")


def check_available(torch):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        module = getattr(torch, DEVICE, None) if DEVICE != "mps" else torch.backends.mps
        there = module is not None and module.is_available()
    words = "; ".join(str(w.message).splitlines()[0] for w in seen if str(w.message))
    if not there:
        fail(4, f"no {DEVICE} device is available. {words}")
        return 0
    count = torch.mps.device_count() if DEVICE == "mps" else module.device_count()
    good(4, f"{count} device(s)")
    return count


def check_code(torch, count):
    if DEVICE != "cuda" or EXPECT["build"].startswith("rocm"):
        return skip(5, "capabilities are CUDA's")
    held = [numbers(a.split("_")[1])[0] for a in torch.cuda.get_arch_list() if a.startswith("sm_")]
    virtual = [numbers(a.split("_")[1])[0] for a in torch.cuda.get_arch_list() if a.startswith("compute_")]
    for index in range(count):
        major, minor = torch.cuda.get_device_capability(index)
        mine = major * 10 + minor
        if not any(h // 10 == major and h % 10 <= minor for h in held) and not any(120 <= v <= mine for v in virtual):
            return fail(5, f"{torch.cuda.get_device_name(index)} is {major}.{minor}; the build holds {sorted(held)}")
    good(5, f"the build holds code for every card: {sorted(held)}")


def check_kernel(torch, count):
    for index in range(max(count, 1)):
        device = torch.device(DEVICE, index) if DEVICE != "mps" else torch.device("mps")
        kinds = [torch.float32, torch.float16]
        if DEVICE != "cuda" or torch.cuda.get_device_capability(index)[0] >= 8:
            kinds.append(torch.bfloat16)
        for kind in kinds:
            try:
                a = torch.ones(64, 64, device=device, dtype=kind)
                if abs(float((a @ a).sum().item()) - 64.0**3) > 1.0:
                    return fail(6, f"a product of matrices in {kind} on {device} is wrong")
                layer = torch.nn.Conv2d(8, 8, 3).to(device=device, dtype=kind)
                layer(torch.ones(1, 8, 16, 16, device=device, dtype=kind)).float().sum().backward()
            except Exception as error:  # whatever the driver or the library throws is the finding
                return fail(6, f"{kind} on {device}: {type(error).__name__}: {error}")
    good(6, "products and convolutions, forward and backward")


def check_bf16(torch):
    if DEVICE != "cuda":
        return skip(7, "asked of CUDA and ROCm only")
    try:
        native = torch.cuda.is_bf16_supported(including_emulation=False)
    except TypeError:  # before the argument existed
        native = torch.cuda.get_device_capability(0)[0] >= 8
    good(7, "bfloat16 is native" if native else "no native bfloat16: use float16 or float32")


def check_libraries(torch):
    if DEVICE != "cuda":
        return skip(8, "no cuDNN")
    try:
        cudnn = torch.backends.cudnn.version()
    except RuntimeError as error:
        return fail(8, f"cuDNN: {error}")
    nccl = torch.cuda.nccl.version() if hasattr(torch.cuda, "nccl") and sys.platform == "linux" else "not on this system"
    good(8, f"cuDNN {cudnn}, NCCL {nccl}")


def check_memory(torch, count):
    if DEVICE != "cuda":
        return skip(9, "asked of CUDA and ROCm only")
    for index in range(count):
        free, total = torch.cuda.mem_get_info(index)
        if free < 0.5 * total:
            return fail(9, f"card {index}: only {free / 2**30:.1f} of {total / 2**30:.1f} GiB are free: another process?")
    good(9, f"{free / 2**30:.1f} of {total / 2**30:.1f} GiB are free on the last card")


def check_compile(torch):
    if DEVICE != "cuda" or not hasattr(torch, "compile") or torch.cuda.get_device_capability(0) < (7, 0):
        return skip(10, "torch.compile is not for this card or release")
    if sys.platform == "win32":
        return skip(10, "torch.compile on Windows needs a Triton of its own")
    try:
        torch.compile(lambda x: (x * 2 + 1).sum())(torch.ones(1024, device=DEVICE)).item()
    except Exception as error:  # compilers fail in many ways
        return fail(10, f"torch.compile: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
    good(10, "torch.compile")


def check_peers(torch, count):
    if DEVICE != "cuda" or count < 2:
        return skip(11, "one card")
    pairs = [(i, j) for i in range(count) for j in range(count) if i != j]
    reach = sum(torch.cuda.can_device_access_peer(i, j) for i, j in pairs)
    total = sum(torch.ones(1, device=f"{DEVICE}:{i}").cpu() for i in range(count))
    if float(total) != count:
        return fail(11, "copying from every card gives a wrong sum")
    good(11, f"{reach} of {len(pairs)} pairs reach each other directly" + ("" if reach else " (usual for GeForce 40 and 50)"))


def check_extensions(torch):
    seen = []
    for name in ("torchvision", "flash_attn", "bitsandbytes", "xformers", "deepspeed"):
        try:
            package = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name:
                return fail(12, f"{name}: {error}")
            continue
        except Exception as error:  # a wrong binary may throw anything
            return fail(12, f"{name}: {type(error).__name__}: {error}")
        seen.append(f"{name} {getattr(package, '__version__', '?')}")
    vision = next((s.split()[1] for s in seen if s.startswith("torchvision ")), None)
    wanted = EXPECT["torchvision"]
    if vision and wanted and metadata.version("torch").startswith(EXPECT["torch"]) and numbers(vision)[:2] != numbers(wanted)[:2]:
        return fail(12, f"torchvision {vision} is not the pair of torch {EXPECT['torch']}: {wanted}")
    good(12, ", ".join(seen) or "none installed")


def check_environment():
    path = os.environ.get("LD_LIBRARY_PATH", "")
    if any(part for part in path.split(":") if re.search("cudnn|nccl|cuda", part)):
        return fail(13, f"LD_LIBRARY_PATH names other CUDA libraries: {path}")
    if os.environ.get("CUDA_VISIBLE_DEVICES") in ("", "-1"):
        return fail(13, "CUDA_VISIBLE_DEVICES hides every card")
    names = {(d.metadata["Name"] or "").lower() for d in metadata.distributions()}
    majors = sorted({n[-2:] for n in names if re.fullmatch(r"nvidia-[a-z-]+-cu1[1-9]", n)})
    if len(majors) > 1:
        return fail(13, f"NVIDIA packages of several CUDA majors are installed: {majors}")
    good(13, "nothing in the environment stands in the way")


def main():
    check_python()
    try:
        import torch
    except Exception as error:  # a missing library throws OSError, a missing package ImportError
        fail(2, f"torch cannot be imported: {error}")
        return FAILED[0]
    check_build(torch)
    check_driver()
    count = check_available(torch)
    if count:
        check_code(torch, count)
        check_kernel(torch, count)
        check_bf16(torch)
        check_libraries(torch)
        check_memory(torch, count)
        check_compile(torch)
        check_peers(torch, count)
    check_extensions(torch)
    check_environment()
    return FAILED[0] if FAILED else 0


sys.exit(main())
)PY";

std::string field(std::string_view name, const std::string& text) {
  // Everything here is a version or a build name: nothing needs to be escaped.
  return "    \"" + std::string(name) + "\": \"" + text + "\",\n";
}

}  // namespace

std::string verify_script(const Question& question, const Choice& choice, const InstallPlan& plan) {
  const Vendor vendor = question.cards.front().vendor;
  const std::string device = vendor == Vendor::apple ? "mps" : (vendor == Vendor::intel ? "xpu" : "cuda");
  std::string out =
      "#!/usr/bin/env python3\n"
      "\"\"\"Checks a PyTorch installation. The exit status is the number of the first check that fails, 0 when none does.\"\"\"\n"
      "import importlib\nimport os\nimport re\nimport subprocess\nimport sys\nimport warnings\nfrom importlib import metadata\n\n"
      "EXPECT = {\n";
  out += field("torch", plan.torch) + field("torchvision", plan.torchvision) + field("build", choice.build) +
         field("driver", choice.driver) + field("python_from", choice.python_from) + field("python_to", choice.python_to);
  return out + "}\nDEVICE = \"" + device + "\"\nFAILED = []\n" + std::string(k_body.substr(1));
}

}  // namespace gpuadvise::software
