#include "cli/terminal.hpp"

#include <gpuadvise/error.hpp>
#include <gpuadvise/units.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gpuadvise::cli {
namespace {

bool set_and_not_empty(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

constexpr int k_piped_width = 120;
constexpr int k_narrowest = 40;
constexpr int k_widest = 400;

// Bytes of the first character of UTF-8; 0 = it is ill-formed, or cut.
std::size_t sequence_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const std::size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length > text.size()) {
    return 0;
  }
  for (std::size_t i = 1; i < length; ++i) {
    if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U) {
      return 0;
    }
  }
  return length;
}

}  // namespace

bool wants_colour(ColourWish wish, int stream) {
  if (wish != ColourWish::automatic) {
    return wish == ColourWish::always;
  }
  if (set_and_not_empty("NO_COLOR")) {
    return false;
  }
  if (set_and_not_empty("CLICOLOR_FORCE") || set_and_not_empty("FORCE_COLOR")) {
    return true;
  }
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::string_view(term) == "dumb") {
    return false;
  }
  return isatty(stream) == 1;
}

int terminal_width(int stream) {
  const char* columns = std::getenv("COLUMNS");
  if (const auto wish = parse_number(columns != nullptr ? columns : ""); wish && *wish > 0) {
    return std::clamp(static_cast<int>(std::min(*wish, 1e6)), k_narrowest, k_widest);
  }
  winsize size{};
  if (isatty(stream) == 1 && ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::clamp(static_cast<int>(size.ws_col), k_narrowest, k_widest);
  }
  return k_piped_width;
}

void write_all(int stream, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(stream, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && stream == STDERR_FILENO) {
      return;  // nobody reads complaints: the exit status still tells
    } else if (errno == EPIPE) {
      std::_Exit(0);  // the reader has what it wanted
    } else if (errno != EINTR) {
      throw Error(ErrorCode::unreadable, std::string("cannot write: ") + std::strerror(errno), "give an output that takes the answer");
    }
  }
}

std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    const std::size_t length = sequence_length(text);
    // Controls are C0 without line feed and tab, DEL, and C1, which UTF-8 writes behind 0xC2.
    const bool control = length == 1 ? (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F
                                     : length == 2 && byte == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
    if (length == 0 || control) {
      const auto code = static_cast<unsigned char>(length == 2 ? text[1] : text.front());
      shown += std::string("\\x") + digits[code / 16] + digits[code % 16];
    } else {
      shown += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return shown;
}

void write_output(const std::string& path, std::string_view text) {
  if (path == "-") {
    write_all(STDOUT_FILENO, text);
    return;
  }
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    throw Error(ErrorCode::unreadable, "cannot write '" + path + "': " + std::strerror(errno), "give a path that can be written");
  }
  write_all(file, text);
  ::close(file);
}

}  // namespace gpuadvise::cli
