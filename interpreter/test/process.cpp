// Forks test processes and reads their pipes.
#include "interpreter/test/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <list>
#include <system_error>

#include "interpreter/test/supervisor.h"
#include "interpreter/test/test_result.h"

namespace tide {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kTickMilliseconds = 10;  ///< interval of checks for ended processes

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void check(bool succeeded, const char* what) {
  if (!succeeded) throw std::system_error(errno, std::generic_category(), what);
}

/// A running process, and our ends of its pipes.
struct Child {
  size_t index;
  pid_t process;
  int output, report;
  bool own_output;
  Clock::time_point start;
  ProcessEnd end;
};

/// In the child process: sets up the descriptors and executes `tide` with the arguments.
[[noreturn]] void become(const std::vector<std::string>& words, int output, int report) {
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  // If `report` already is descriptor 3, dup2 does not clear close-on-exec.
  if (dup2(report, kReportDescriptor) == report) fcntl(kReportDescriptor, F_SETFD, 0);
  std::vector<char*> arguments = {const_cast<char*>("tide")};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv("/proc/self/exe", arguments.data());
  _exit(127);
}

Child start_child(size_t index, const ProcessStart& start) {
  int output[2], report[2];
  check(pipe2(output, O_CLOEXEC) == 0, "pipe");
  check(pipe2(report, O_CLOEXEC) == 0, "pipe");
  const pid_t process = fork();
  check(process >= 0, "fork");
  if (process == 0) {
    setpgid(0, 0);  // Ctrl-C goes only to the runner
    close(output[0]);
    close(report[0]);
    supervise([&] { become(start.words, output[1], report[1]); });
  }
  close(output[1]);
  close(report[1]);
  fcntl(output[0], F_SETFL, O_NONBLOCK);
  fcntl(report[0], F_SETFL, O_NONBLOCK);
  return {index, process, output[0], report[0], start.own_output, Clock::now(), {}};
}

/// Appends the available bytes to `text`, and prints them if `show`.
void read_available(int descriptor, std::string& text, bool show) {
  char buffer[1 << 14];
  ssize_t count;
  while ((count = read(descriptor, buffer, sizeof buffer)) > 0) {
    text.append(buffer, count);
    if (show) std::fwrite(buffer, 1, count, stdout);
  }
  if (show) std::fflush(stdout);
}

void read_pipes(Child& child) {
  read_available(child.output, child.end.output, child.own_output);
  read_available(child.report, child.end.report, false);
}

/// Whether the process has ended; if so, sets `child.end` and closes its pipes.
bool has_ended(Child& child, double time_limit) {
  child.end.seconds = seconds_since(child.start);
  if (child.end.seconds > time_limit && !child.end.timed_out) {
    child.end.timed_out = true;
    kill(child.process, SIGTERM);
  }
  int status;
  if (waitpid(child.process, &status, WNOHANG) != child.process) return false;
  read_pipes(child);
  close(child.output);
  close(child.report);
  child.end.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  child.end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return true;
}

void wait_for_output(const std::list<Child>& children) {
  std::vector<pollfd> pipes;
  for (const Child& child : children) {
    pipes.push_back({child.output, POLLIN, 0});
    pipes.push_back({child.report, POLLIN, 0});
  }
  const int ready = poll(pipes.data(), pipes.size(), kTickMilliseconds);
  // A closed pipe is always ready: without a pause the loop would spin until the process is gone.
  bool data = false;
  for (const pollfd& pipe : pipes) data |= (pipe.revents & POLLIN) != 0;
  if (ready > 0 && !data) usleep(1000);
}

}  // namespace

void run_processes(const std::vector<ProcessStart>& starts, int at_once, double time_limit,
                   const std::function<void(size_t index, const ProcessEnd&)>& ended) {
  std::list<Child> children;
  size_t next = 0;
  while (next < starts.size() || !children.empty()) {
    while (next < starts.size() && std::ssize(children) < at_once) {
      children.push_back(start_child(next, starts[next]));
      ++next;
    }
    wait_for_output(children);
    for (auto child = children.begin(); child != children.end();) {
      read_pipes(*child);
      if (has_ended(*child, time_limit)) {
        ended(child->index, child->end);
        child = children.erase(child);
      } else {
        ++child;
      }
    }
  }
}

}  // namespace tide
