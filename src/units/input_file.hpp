// A file to read, or standard input, closed when it goes out of scope.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace gpuadvise {

struct FileCloser {
  void operator()(std::FILE* file) const {
    if (file != stdin) {
      std::fclose(file);
    }
  }
};
using InputFile = std::unique_ptr<std::FILE, FileCloser>;

// "-" is standard input. Null when the file cannot be opened; errno tells why.
[[nodiscard]] inline InputFile open_input(const std::string& path) {
  return InputFile(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
}

}  // namespace gpuadvise
