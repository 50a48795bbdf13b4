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
  std::string shown;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : '\0');
    const bool second_controls = byte == 0xC2 && next >= 0x80 && next < 0xA0;  // U+0080 to U+009F
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F || second_controls) {
      constexpr std::string_view digits = "0123456789abcdef";
      const unsigned code = second_controls ? next : byte;
      shown += std::string("\\x") + digits[code / 16] + digits[code % 16];
      i += second_controls ? 1 : 0;
    } else {
      shown += text[i];
    }
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
