#include "software/install.hpp"

#include <algorithm>

namespace gpuadvise::software {
namespace {

constexpr std::string_view k_index = "https://download.pytorch.org/whl/";

Version version(int major, int minor) {
  return Version{{major, minor}, 2};
}

bool has_digit(std::string_view text) {
  return text.find_first_of("0123456789") != std::string_view::npos;
}

// From 2.1 to 2.9 torch 2.x.p goes with torchvision 0.y.p and torchaudio 2.x.p; elsewhere only the first of a release is sure.
void set_versions(const Question& question, const Release& release, InstallPlan& plan) {
  const bool paired = release.number >= version(2, 1) && release.number <= version(2, 9);
  int patch = 0;
  if (question.torch && question.torch->count > 2) {
    patch = question.torch->parts[2];
  } else if (paired) {
    patch = parse_version(release.newest_patch).value_or(Version{}).parts[2];
  }
  plan.torch = release.version + "." + std::to_string(patch);
  plan.torchvision = release.torchvision;
  plan.torchaudio = release.torchaudio;
  if (patch == 0) {
    return;
  }
  if (!paired) {
    // The package manager finds the pair: torchvision asks for its torch exactly.
    plan.torchvision.clear();
    plan.torchaudio.clear();
    return;
  }
  plan.torchvision = release.torchvision.substr(0, release.torchvision.rfind('.') + 1) + std::to_string(patch);
  plan.torchaudio = plan.torch;
}

// 3.12 where it is served: what most packages have wheels for; else the newest of the release.
std::string python_for(const Question& question, const Release& release) {
  if (question.python) {
    return std::to_string(question.python->parts[0]) + "." + std::to_string(question.python->parts[1]);
  }
  const Version usual = version(3, 12);
  return usual >= release.python_from && usual <= release.python_to ? "3.12" : release.python_to.text();
}

std::string package(std::string_view name, const std::string& exact, const std::string& suffix) {
  return std::string(name) + (exact.empty() ? "" : "==" + exact + suffix);
}

// The three packages and the index, in the form that was used at the time of the release.
std::string wheel_arguments(const InstallPlan& plan, const Choice& choice, bool uv) {
  const Version& release = choice.release->number;
  const bool local_versions = release < version(2, 0);
  const std::string suffix = local_versions && has_digit(choice.build) ? "+" + choice.build : "";
  std::string out = package("torch", plan.torch, suffix) + " " + package("torchvision", plan.torchvision, suffix);
  if (!choice.release->torchaudio.empty()) {
    out += " " + package("torchaudio", plan.torchaudio, release >= version(1, 12) ? suffix : "");
  }
  if (choice.build == "mps") {
    return out;
  }
  if (release >= version(2, 0)) {
    return out + " --index-url " + std::string(k_index) + choice.build;
  }
  if (release >= version(1, 12)) {
    return out + " --extra-index-url " + std::string(k_index) + choice.build;
  }
  return out + (uv ? " --find-links " : " -f ") + std::string(k_index) + "torch_stable.html";
}

void make_environment(const Question& question, Manager manager, InstallPlan& plan) {
  const bool windows = question.os == Os::windows;
  const std::string activate = windows ? "torch-env\\Scripts\\activate" : ". torch-env/bin/activate";
  switch (manager) {
    case Manager::pip:
      plan.environment = {(windows ? "py -" : "python") + plan.python + " -m venv torch-env", activate,
                          "python -m pip install --upgrade pip"};
      return;
    case Manager::uv:
      plan.environment = {"uv venv --python " + plan.python + " torch-env", activate};
      return;
    case Manager::conda:
      plan.environment = {"conda create -n torch-env python=" + plan.python, "conda activate torch-env"};
      return;
  }
}

// conda's pytorch channel ended with 2.5; before 1.13 it named the toolkit, after that a package of its own.
std::string conda_channel_command(const InstallPlan& plan, const Choice& choice, const Build& build) {
  const std::string packages = "conda install pytorch==" + plan.torch + " torchvision==" + plan.torchvision +
                               (plan.torchaudio.empty() ? "" : " torchaudio==" + plan.torchaudio);
  if (choice.release->number >= version(1, 13)) {
    return packages + " pytorch-cuda=" + build.cuda.text() + " -c pytorch -c nvidia";
  }
  const bool forge = build.name == "cu111" || build.name == "cu113" || build.name == "cu116";
  return packages + " cudatoolkit=" + build.cuda.text() + " -c pytorch" + (forge ? " -c conda-forge" : "");
}

const Build* build_of(const Choice& choice) {
  for (const Build& build : choice.release->builds) {
    if (build.name == choice.build) {
      return &build;
    }
  }
  return nullptr;
}

void install_conda(const Facts& facts, const Question& question, const Choice& choice, InstallPlan& plan) {
  const Build* build = build_of(choice);
  if (build == nullptr) {
    plan.install = {"python -m pip install " + wheel_arguments(plan, choice, false)};
    plan.notes.emplace_back("conda has no package of this build: pip inside the environment");
    return;
  }
  if (choice.release->conda && !plan.torchvision.empty()) {
    plan.install = {conda_channel_command(plan, choice, *build)};
    return;
  }
  const bool thirteen = build->cuda.parts[0] >= 13;
  const std::string toolkit = thirteen ? "13.0" : (question.os == Os::windows ? "12.8" : "12.9");
  plan.install = {"conda install -c conda-forge pytorch-gpu torchvision cuda-version=" + toolkit};
  plan.notes.push_back("conda's pytorch channel ended with 2.5.1; conda-forge's CUDA " + toolkit + " package goes up to " +
                       facts.conda_forge_to + " (its names are known from memory)");
}

std::string newest_driver_branch(const Facts& facts, const Question& question, const Choice& choice) {
  const auto least = parse_version(choice.driver);
  int branch = least ? std::max(580, least->parts[0]) : 580;  // R580 is the long-term branch that serves CUDA 11 to 13
  for (const Card& card : question.cards) {
    const ArchitectureSpan* span = card.capability ? span_of(facts, *card.capability) : nullptr;
    if (span != nullptr && span->last_branch) {
      branch = std::min(branch, span->last_branch->parts[0]);
    }
  }
  return std::to_string(branch);
}

void driver_steps(const Facts& facts, const Question& question, const Choice& choice, InstallPlan& plan) {
  if (choice.driver.empty()) {
    return;
  }
  const auto least = parse_version(choice.driver);
  const bool dropped = question.driver && std::any_of(question.cards.begin(), question.cards.end(),
                                                      [&](const Card& card) { return driver_drops(facts, card, *question.driver); });
  if (question.driver && least && reaches(*question.driver, *least) && !dropped) {
    plan.driver.push_back("# driver " + question.driver->text() + " is right (needed: " + choice.driver + " or newer)");
    return;
  }
  const std::string branch = newest_driver_branch(facts, question, choice);
  plan.driver.push_back("# needed: driver " + choice.driver + " or newer; branch R" + branch + " is the one to take");
  if (question.os == Os::windows || question.os == Os::wsl2) {
    plan.driver.emplace_back("# install it in Windows, from nvidia.com/drivers" +
                             std::string(question.os == Os::wsl2 ? "; install none inside WSL 2" : ""));
  } else {
    const bool open_only = std::any_of(question.cards.begin(), question.cards.end(),
                                       [](const Card& card) { return card.capability && *card.capability >= 100; });
    plan.driver.push_back("sudo apt install nvidia-driver-" + branch + (open_only ? "-open" : "") + "   # Ubuntu; then reboot");
  }
  plan.driver.emplace_back("nvidia-smi");
}

void vendor_settings(const Question& question, const Choice& choice, InstallPlan& plan) {
  const Vendor vendor = question.cards.front().vendor;
  if (vendor == Vendor::amd) {
    plan.driver.emplace_back("sudo usermod -aG render,video $USER   # then log in anew; /dev/kfd must be readable");
    if (!choice.gfx_override.empty()) {
      plan.settings.push_back("export HSA_OVERRIDE_GFX_VERSION=" + choice.gfx_override);
    }
  } else if (vendor == Vendor::intel) {
    plan.driver.emplace_back("# install Intel's GPU driver with Level Zero first");
  } else if (vendor == Vendor::apple) {
    plan.settings.emplace_back("export PYTORCH_ENABLE_MPS_FALLBACK=1   # what MPS lacks runs on the CPU");
  }
}

// One line of tuning serves all cards: the oldest decides.
void tune_nvidia(const Question& question, InstallPlan& plan) {
  int lowest = 1000;
  bool no_tensor_cores = false;
  bool without_p2p = false;
  for (const Card& card : question.cards) {
    lowest = std::min(lowest, card.capability.value_or(0));
    no_tensor_cores = no_tensor_cores || card.name.find("GTX 16") != std::string::npos;
    without_p2p =
        without_p2p || card.name.find("GeForce RTX 40") != std::string::npos || card.name.find("GeForce RTX 50") != std::string::npos;
  }
  auto& tuning = plan.tuning;
  if (lowest >= 80) {
    tuning.emplace_back("torch.autocast(\"cuda\", dtype=torch.bfloat16)   # needs no loss scaling");
    tuning.emplace_back("torch.set_float32_matmul_precision(\"high\")   # TF32 for what stays in fp32");
  } else if (lowest >= 70) {
    tuning.emplace_back("torch.autocast(\"cuda\", dtype=torch.float16) with torch.amp.GradScaler   # bf16 would be emulated");
  } else if (lowest == 60) {
    tuning.emplace_back("fp16 runs at twice the fp32 rate, without tensor cores: use it where memory is short");
  } else {
    tuning.emplace_back("compute in fp32: fp16 arithmetic is very slow on this card; fp16 storage saves memory only");
  }
  if (no_tensor_cores) {
    tuning.emplace_back("no tensor cores: fp16 saves memory more than time, and may give NaN in diffusion models");
  }
  if (lowest < 70) {
    tuning.emplace_back("leave torch.compile out: Triton starts at 7.0");
  } else if (question.os != Os::windows) {  // Triton has no official package for Windows
    tuning.emplace_back("torch.compile(model)   # Triton serves 7.0 and newer");
  }
  if (lowest >= 70) {
    tuning.emplace_back("model.to(memory_format=torch.channels_last)   # convolutions on tensor cores");
  }
  tuning.emplace_back("torch.backends.cudnn.benchmark = True   # when image sizes do not change");
  if (question.os != Os::windows) {
    tuning.emplace_back("export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True   # less fragmentation (torch 2.1 and later)");
  }
  if (lowest < 80) {
    tuning.emplace_back("attn_implementation=\"sdpa\"   # FlashAttention-2 starts at 8.0");
  }
  if (without_p2p) {
    tuning.emplace_back("several cards that hang in NCCL: export NCCL_P2P_DISABLE=1   # no direct access between GeForce 40 and 50");
  }
}

void tune(const Question& question, InstallPlan& plan) {
  switch (question.cards.front().vendor) {
    case Vendor::nvidia:
      tune_nvidia(question, plan);
      return;
    case Vendor::amd:
      plan.tuning.emplace_back("the device is \"cuda\" in code: ROCm answers to that name");
      plan.tuning.emplace_back("export PYTORCH_TUNABLEOP_ENABLED=1   # tries matrix kernels once and keeps the fastest");
      return;
    case Vendor::intel:
      plan.tuning.emplace_back("device = \"xpu\"; torch.autocast(\"xpu\", dtype=torch.bfloat16)");
      return;
    case Vendor::apple:
      plan.tuning.emplace_back("device = \"mps\"; float32, float16 or bfloat16: there is no float64");
      return;
    case Vendor::moore_threads:
    case Vendor::huawei:
      return;
  }
}

}  // namespace

std::optional<Manager> parse_manager(std::string_view text) {
  if (text == "pip") {
    return Manager::pip;
  }
  if (text == "uv") {
    return Manager::uv;
  }
  return text == "conda" || text == "mamba" ? std::optional(Manager::conda) : std::nullopt;
}

InstallPlan plan_install(const Facts& facts, const Question& question, const Choice& choice, Manager manager) {
  InstallPlan plan;
  set_versions(question, *choice.release, plan);
  plan.python = python_for(question, *choice.release);
  driver_steps(facts, question, choice, plan);
  vendor_settings(question, choice, plan);
  make_environment(question, manager, plan);
  if (manager == Manager::conda) {
    install_conda(facts, question, choice, plan);
  } else {
    const bool uv = manager == Manager::uv;
    plan.install = {(uv ? "uv pip install " : "python -m pip install ") + wheel_arguments(plan, choice, uv)};
  }
  if (choice.release->number < version(2, 3)) {
    plan.install.emplace_back((manager == Manager::uv ? "uv pip install \"numpy<2\"" : "python -m pip install \"numpy<2\""));
  }
  tune(question, plan);
  plan.notes.emplace_back("the wheel brings CUDA, cuDNN and NCCL: no toolkit of the system is needed");
  if (question.cards.front().vendor != Vendor::nvidia || manager == Manager::conda) {
    plan.notes.pop_back();
  }
  return plan;
}

}  // namespace gpuadvise::software
