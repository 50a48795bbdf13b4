// A card as the speed law sees it: what rate it can hold inside its power limit, and what a byte of traffic costs.
#pragma once

#include <gpuadvise/gpu.hpp>
#include <gpuadvise/precision.hpp>

#include "estimate/speed/calibration.hpp"

namespace gpuadvise::estimate {

// The arithmetic a kernel uses.
enum class MathPath : std::uint8_t { half, bfloat, tf32, vector, int8, fp8, fp4 };

struct Rate {
  double tflops = 0.0;    // what the silicon can do inside its power limit
  bool tensor = false;    // matrix units, not the vector units
  bool emulated = false;  // the card lacks the format and computes it in another
};

// Dense rate of the path, falling back fp4 -> fp8 -> half and half -> vector where the card lacks the units.
// P = (P_spec^-4 + (kappa TDP / w)^-4)^(-1/4): rated clocks cannot be held at full tensor load inside the board power;
// kappa is one number a silicon family, w the energy of an operation against one on 16-bit tensor cores.
[[nodiscard]] Rate sustained_rate(const Gpu& gpu, MathPath path);

// The same at full accumulate rate: kernels that accumulate in 16 bits or multiply 8-bit integers are not halved on
// GeForce cards (llama.cpp's prefill).
[[nodiscard]] Rate full_accumulate_rate(const Gpu& gpu, bool quantised);

// Convolutions and single-precision training: cuDNN takes TF32 by itself from Ampere on, matrix products do not.
[[nodiscard]] MathPath training_path(const Precision& precision, const Gpu& gpu, bool convolution);
[[nodiscard]] MathPath inference_path(const Precision& precision);

// Seconds to move 1e12 bytes: I = hypot(1 / BW, sigma / U) with U the multiprocessors x GHz / 100. A multiprocessor can
// only keep so many bytes in flight, so a card with much bandwidth for each of them reaches half of it. sigma says how much
// work a byte needs.
[[nodiscard]] double seconds_per_terabyte(const Gpu& gpu, double sigma, bool streaming_weights = false);

// Boost clock, GHz; where the sheet has none, what the fp32 rate and the lanes imply.
[[nodiscard]] double clock_ghz(const Gpu& gpu);

// Drivers and kernels of other makers against the law that NVIDIA cards follow; 1 for those.
struct Maturity {
  double convolution = 1.0;  // matrix units and packed arithmetic
  double vector_convolution = 1.0;
  double diffusion = 1.0;
  double matmul = 1.0;
  double decode = 1.0;
  double prefill = 1.0;
};
[[nodiscard]] Maturity maturity(const Gpu& gpu);

// Superchips and modules that a processor of Arm cores drives: it launches kernels more slowly.
[[nodiscard]] bool arm_host(const Gpu& gpu);

// Kinds of run for which measured rows exist or not.
enum class RunKind : std::uint8_t { vision, encoder, llm_training, decode, prefill, serving, diffusion, recommender };

// How well the measurements cover this kind of card: 0 rows of its family, 1 a neighbouring family, 2 priors only.
[[nodiscard]] int distance(const Gpu& gpu, RunKind kind);

}  // namespace gpuadvise::estimate
