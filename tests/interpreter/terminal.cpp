// Drives a program through forkpty.
#include "tests/interpreter/terminal.h"

#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <regex>
#include <stdexcept>
#include <utility>

namespace test {
namespace {

/// Number of waits for output, and the seconds of each: far more than needed on a busy
/// machine. Waits are counted, as time also passes while the entire machine is suspended.
constexpr int kPatience = 400;
constexpr double kTurn = 0.1;
constexpr double kSettled =
    0.1;  ///< Seconds without output after a prompt that show that it is the last one.

/// Removes colors, bracketed-paste sequences, bells, carriage returns and echoes of Ctrl-C.
std::string plain(const std::string& shown) {
  static const std::regex kNoise("\x1b\\[[?0-9;]*[A-Za-z]|\r|\a|\x03");
  return std::regex_replace(shown, kNoise, "");
}

}  // namespace

Terminal::Terminal(const std::vector<std::string>& words, const std::string& state_path,
                   const Surroundings& surroundings)
    : state_path_(state_path.empty() ? own_state_.path() : state_path) {
  winsize size = {surroundings.rows, surroundings.columns, 0, 0};
  process_ = forkpty(&terminal_, nullptr, nullptr, &size);
  if (process_ < 0) throw std::runtime_error("cannot open a pseudo-terminal");
  if (process_ > 0) return;
  // Linux discards output and input around a Ctrl-C, also its result if that comes
  // quickly. And it echoes Ctrl-C at any time, even after the result: not as "^C" here, but as the
  // byte, which `plain` removes everywhere.
  termios modes;
  if (tcgetattr(STDIN_FILENO, &modes) == 0) {
    modes.c_lflag |= NOFLSH;
    modes.c_lflag &= ~ECHOCTL;
    tcsetattr(STDIN_FILENO, TCSANOW, &modes);
  }
  setenv("TERM", "xterm", 1);
  setenv("NO_COLOR", "1", 1);
  setenv("INPUTRC", TIDE_TESTS "/repl/inputrc", 1);
  setenv("XDG_STATE_HOME", state_path_.c_str(), 1);
  setenv("VISUAL", "sed -i s/ones/zeros/", 1);
  for (const auto& [name, value] : surroundings.environment) setenv(name.c_str(), value.c_str(), 1);
  if (chdir(state_path_.c_str()) != 0) _exit(127);
  std::vector<char*> arguments = {const_cast<char*>("tide")};
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execv(TIDE_PROGRAM, arguments.data());
  _exit(127);
}

Terminal::~Terminal() {
  if (!ended_) {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  hang_up();
}

void Terminal::hang_up() {
  if (terminal_ >= 0) close(terminal_);
  terminal_ = -1;
}

void Terminal::type(const std::string& keys) {
  for (size_t sent = 0; sent < keys.size();) {
    // The terminal's own buffer is small: the echo has to be read meanwhile.
    read_some(0);
    pollfd ready = {terminal_, POLLOUT, 0};
    if (poll(&ready, 1, 1000) <= 0) throw std::runtime_error("the terminal takes no keys");
    const size_t piece = std::min<size_t>(keys.size() - sent, 512);
    const ssize_t count = write(terminal_, keys.data() + sent, piece);
    if (count <= 0) throw std::runtime_error("the terminal is closed");
    sent += count;
  }
}

bool Terminal::read_some(double seconds) {
  pollfd ready = {terminal_, POLLIN, 0};
  if (poll(&ready, 1, static_cast<int>(seconds * 1000)) <= 0) return false;
  char buffer[1 << 14];
  const ssize_t count = read(terminal_, buffer, sizeof buffer);
  if (count <= 0) return false;
  shown_.append(buffer, count);
  raw_.append(buffer, count);
  return true;
}

std::string Terminal::take() {
  std::string text = plain(shown_);
  shown_.clear();
  return text;
}

std::string Terminal::raw() { return std::exchange(raw_, ""); }

std::string Terminal::read_until(const std::string& text) {
  return read_until(text, [&](const std::string& shown) { return shown.find(text); });
}

std::string Terminal::read_to_prompt() {
  static const std::regex kPrompt("\nIn \\[[0-9]+\\]: ");  // an error has its line: In [1]:1:
  return read_until("a prompt", [](const std::string& shown) {
    std::smatch match;
    return std::regex_search(shown, match, kPrompt) ? match.position() : std::string::npos;
  });
}

std::string Terminal::read_until(const std::string& text, const Finder& find) {
  int turns = 0;
  while (find(plain(shown_)) == std::string::npos) {
    if (!read_some(kTurn)) ++turns;
    if (turns < kPatience) continue;
    ended_ = ended_ || waitpid(process_, nullptr, WNOHANG) == process_;
    throw std::runtime_error("instead of '" + text + "' came: '" + take() + "', and the program " +
                             (ended_ ? "ended" : "goes on"));
  }
  return take();
}

std::string Terminal::read_until_quiet(double seconds) {
  while (read_some(seconds)) {
  }
  return take();
}

std::string Terminal::read_answer(double seconds) {
  static const std::regex kAtPrompt("(In \\[[0-9]+\\]|   \\.\\.\\.): $");
  while (read_some(std::regex_search(plain(shown_), kAtPrompt) ? kSettled : seconds)) {
  }
  return take();
}

int Terminal::wait() {
  int status = 0;
  for (int turn = 0; turn < kPatience; ++turn) {
    while (read_some(0)) {  // A full terminal would keep the program from ending.
    }
    if (waitpid(process_, &status, WNOHANG) == process_) {
      ended_ = true;
      return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    usleep(kTurn * 1e6);
  }
  throw std::runtime_error("the program does not end");
}

}  // namespace test
