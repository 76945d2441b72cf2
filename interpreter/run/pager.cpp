// Shows text that does not fit on the terminal in a pager.
#include "interpreter/run/pager.h"

#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "runtime/os/environment.h"

namespace tide {
namespace {

constexpr char kUsualPager[] = "less";
constexpr int kNotFound = 127;  ///< the shell's exit status for an unknown command

/// Whether standard output is a terminal too small for the text and the next prompt.
bool is_too_long(const std::string& text) {
  winsize size = {};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return false;
  if (size.ws_row == 0 || size.ws_col == 0) return false;
  size_t rows = 1;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    rows += std::max<size_t>(1, (line.size() + size.ws_col - 1) / size.ws_col);
  return rows > size.ws_row;
}

bool is_installed(const std::string& program) {
  for (const std::string& folder : environment_paths(Variable::search_path))
    if (access((std::filesystem::path(folder) / program).c_str(), X_OK) == 0) return true;
  return false;
}

std::string pager_command() {
  if (const char* pager = environment_text(Variable::pager)) return pager;
  return is_installed(kUsualPager) ? std::string(kUsualPager) + " -R" : "";
}

/// Ignores a signal while the pager runs: Ctrl-C, and SIGPIPE if it exits before reading
/// everything.
class Ignored {
 public:
  explicit Ignored(int number) : number_(number), before_(std::signal(number, SIG_IGN)) {}
  ~Ignored() { std::signal(number_, before_); }
  Ignored(const Ignored&) = delete;
  Ignored& operator=(const Ignored&) = delete;

 private:
  int number_;
  void (*before_)(int);
};

/// False if the pager could not be started.
bool show_in_pager(const std::string& command, const std::string& text) {
  const Ignored interrupt(SIGINT), pipe(SIGPIPE);
  std::fflush(stdout);
  std::FILE* pager = popen(command.c_str(), "w");
  if (!pager) return false;
  std::fputs(text.c_str(), pager);
  std::fputc('\n', pager);
  const int status = pclose(pager);
  return !(WIFEXITED(status) && WEXITSTATUS(status) == kNotFound);
}

}  // namespace

void print_paged(const std::string& text) {
  if (is_too_long(text)) {
    const std::string command = pager_command();
    if (!command.empty() && show_in_pager(command, text)) return;
  }
  std::puts(text.c_str());
}

}  // namespace tide
