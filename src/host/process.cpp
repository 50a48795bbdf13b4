#include "host/process.hpp"

#include <gpuadvise/units.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

extern char** environ;

namespace gpuadvise::host {
namespace {

using Clock = std::chrono::steady_clock;

// The child gets a group of its own, so that what it starts itself ends with it.
pid_t start(const std::vector<std::string>& arguments, int write_end) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, write_end, STDOUT_FILENO);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers;
  pointers.reserve(copies.size() + 1);
  for (std::string& copy : copies) {
    pointers.push_back(copy.data());
  }
  pointers.push_back(nullptr);
  pid_t child = -1;
  const int failed = posix_spawnp(&child, pointers.front(), &actions, &attributes, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed != 0 ? -1 : child;
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return left > 0 ? static_cast<int>(left) + 1 : 0;
}

// Reads to the end of the child's output; false when a limit is reached first.
bool read_all(int read_end, Clock::time_point end, std::size_t most, ToolOutput& output) {
  std::array<char, 65536> buffer{};
  for (;;) {
    pollfd wait{read_end, POLLIN, 0};
    const int ready = poll(&wait, 1, milliseconds_until(end));
    if (ready < 0 && errno == EINTR) {
      continue;
    }
    if (ready <= 0) {
      output.ending = ToolOutput::Ending::timed_out;
      return false;
    }
    const ssize_t count = read(read_end, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return true;
    }
    output.text.append(buffer.data(), static_cast<std::size_t>(count));
    if (output.text.size() > most) {
      output.ending = ToolOutput::Ending::too_long;
      return false;
    }
  }
}

// A tool may close its output and run on: the time limit holds for its end too.
bool wait_for(pid_t child, Clock::time_point end, int& status) {
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child || (ended < 0 && errno != EINTR)) {
      return true;
    }
    if (Clock::now() >= end) {
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

ToolOutput run_tool(const std::vector<std::string>& arguments, ToolLimits limits) {
  ToolOutput output;
  std::array<int, 2> ends{};
  if (arguments.empty() || pipe2(ends.data(), O_CLOEXEC) != 0) {
    return output;
  }
  const auto end = Clock::now() + std::chrono::milliseconds(static_cast<long>(limits.seconds * 1000.0));
  const pid_t child = start(arguments, ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return output;
  }
  bool whole = read_all(ends[0], end, limits.bytes, output);
  close(ends[0]);
  int status = 0;
  if (whole && !wait_for(child, end, status)) {
    output.ending = ToolOutput::Ending::timed_out;
    whole = false;
  }
  if (!whole) {
    kill(-child, SIGKILL);
    // A tool stuck inside the driver cannot be killed; it is left behind after a moment.
    static_cast<void>(wait_for(child, Clock::now() + std::chrono::milliseconds(200), status));
    return output;
  }
  if (WIFEXITED(status)) {
    output.status = WEXITSTATUS(status);
    // What posix_spawn cannot execute may be reported by the child.
    output.ending = output.status == 127 && output.text.empty() ? ToolOutput::Ending::missing : ToolOutput::Ending::exited;
  } else {
    output.ending = ToolOutput::Ending::killed;
  }
  return output;
}

std::string describe(const ToolOutput& output, ToolLimits limits) {
  switch (output.ending) {
    case ToolOutput::Ending::exited:
      return output.good() ? "answered" : output.status == 0 ? "printed nothing" : "ended with status " + std::to_string(output.status);
    case ToolOutput::Ending::missing:
      return "not found";
    case ToolOutput::Ending::timed_out:
      return "no answer within " + format_significant(limits.seconds) + " s";
    case ToolOutput::Ending::too_long:
      return "printed too much";
    case ToolOutput::Ending::killed:
      break;
  }
  return "ended by a signal";
}

}  // namespace gpuadvise::host
