// A subreaper: orphaned descendants become its children, even in other sessions, so that it can
// find them.
#include "interpreter/test/supervisor.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace tide {
namespace {

namespace fs = std::filesystem;

/// The parent of a process: the fourth field of its stat file. The second field, a name, ends at
/// the last parenthesis.
pid_t parent_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text, '\0');
  const size_t name_end = text.rfind(')');
  pid_t parent = 0;
  char state;
  if (name_end == std::string::npos ||
      std::sscanf(text.c_str() + name_end + 1, " %c %d", &state, &parent) != 2)
    return 0;
  return parent;
}

void kill_children() {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process > 0 && parent_of(entry.path()) == getpid()) kill(process, SIGKILL);
  }
}

/// Kills children until none are left, including those inherited from killed ones. Gives up after
/// some seconds: another user's process cannot be killed.
void kill_all_below() {
  for (int tries = 0; tries < 5000; ++tries) {
    pid_t ended;
    do ended = waitpid(-1, nullptr, WNOHANG);
    while (ended > 0);
    if (ended < 0) return;
    kill_children();
    usleep(1000);
  }
}

/// Ends this process with the wait status of another.
[[noreturn]] void end_like(int status) {
  if (WIFEXITED(status)) _exit(WEXITSTATUS(status));
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  const int signal_number = WTERMSIG(status);
  signal(signal_number, SIG_DFL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_UNBLOCK, &all, nullptr);
  raise(signal_number);
  _exit(128 + signal_number);
}

}  // namespace

void supervise(const std::function<void()>& work) {
  const pid_t runner = getppid();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  sigset_t awaited, before;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGTERM);
  sigprocmask(SIG_BLOCK, &awaited, &before);
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigprocmask(SIG_SETMASK, &before, nullptr);
    work();
    _exit(127);
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != runner) raise(SIGTERM);
  int status = process < 0 ? SIGKILL : 0;
  while (process > 0) {
    int signal_number = 0;
    if (sigwait(&awaited, &signal_number) == 0 && signal_number == SIGTERM) kill(process, SIGKILL);
    pid_t ended;
    int ended_status;
    while ((ended = waitpid(-1, &ended_status, WNOHANG)) > 0 && ended != process) {
    }
    if (ended != process) continue;
    status = ended_status;
    break;
  }
  kill_all_below();
  end_like(status);
}

}  // namespace tide
