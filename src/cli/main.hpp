// The program: finds the command, runs it, turns errors into one clear line and an exit status.
#pragma once

namespace gpuadvise::cli {

int run(int argc, char** argv);

}  // namespace gpuadvise::cli
