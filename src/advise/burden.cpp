#include "advise/burden.hpp"

#include <algorithm>
#include <cmath>

namespace gpuadvise::advise {
namespace {

// Weights of the order, not of nature: a job half as fast is as bad as a 4-bit base; money comes after whatever works without it.
constexpr double k_of_halving = 0.5;
constexpr double k_of_change = 0.05;
constexpr double k_of_host_memory = 0.2;
constexpr double k_of_more_host_memory = 0.15;  // each doubling of what most machines have
constexpr double k_usual_host_gib = 64.0;
constexpr double k_of_rebuilding = 0.9;
constexpr double k_of_tight = 0.5;
constexpr double k_of_money = 3.0;
constexpr double k_dear_usd = 10000.0;

constexpr double k_noticeable = 1.1;   // of speeds
constexpr double k_much_memory = 1.4;  // of needs

}  // namespace

double total(const Burden& burden) {
  double sum = burden.risk + k_of_halving * std::max(0.0, std::log2(burden.slowness));
  sum += k_of_change * static_cast<double>(burden.changes - 1);
  if (burden.host_gib > 0.0) {
    sum += k_of_host_memory + k_of_more_host_memory * std::max(0.0, std::log2(burden.host_gib / k_usual_host_gib));
  }
  sum += burden.rebuilt ? k_of_rebuilding : 0.0;
  sum += burden.tight ? k_of_tight : 0.0;
  return burden.money_usd > 0.0 ? sum + k_of_money + burden.money_usd / k_dear_usd : sum;
}

bool beats(const Burden& a, const Burden& b) {
  const bool as_good = a.money_usd <= b.money_usd && a.risk <= b.risk && a.slowness <= b.slowness * k_noticeable &&
                       a.host_gib <= b.host_gib && a.changes <= b.changes && a.tight <= b.tight && a.rebuilt <= b.rebuilt &&
                       a.need <= b.need * k_much_memory;
  const bool better = a.money_usd < b.money_usd || a.risk < b.risk || a.slowness * k_noticeable < b.slowness || a.changes < b.changes ||
                      a.tight < b.tight || a.rebuilt < b.rebuilt || a.host_gib < b.host_gib;
  return as_good && better;
}

}  // namespace gpuadvise::advise
