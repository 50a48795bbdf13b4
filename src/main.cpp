#include "cli/main.hpp"

int main(int argc, char** argv) {
  return gpuadvise::cli::run(argc, argv);
}
