// Queries the terminal, and breaks text to its width.
#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "bindings/io/functions.h"
#include "bindings/module.h"
#include "bindings/ops/typed_function.h"

namespace tide::bindings {
namespace {

constexpr winsize kUnknown = {25, 80, 0, 0};  ///< if the terminal does not report its size

/// The size of the terminal at a descriptor; none if it is not a terminal.
std::optional<winsize> size_of(int descriptor) {
  if (!isatty(descriptor)) return std::nullopt;
  winsize size = {};
  const bool known =
      ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
  return known ? size : kUnknown;
}

/// Whether the terminal can be queried: this process is in the foreground, and no input is pending
/// that would be lost.
bool takes_questions() {
  int typed = 0;
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && tcgetpgrp(STDIN_FILENO) == getpgrp() &&
         ioctl(STDIN_FILENO, FIONREAD, &typed) == 0 && typed == 0;
}

/// Disables echo and line buffering while it exists.
class RawTerminal {
 public:
  RawTerminal() {
    changed_ = tcgetattr(STDIN_FILENO, &before_) == 0;
    if (!changed_) return;
    termios raw = before_;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    changed_ = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
  }
  ~RawTerminal() {
    if (changed_) tcsetattr(STDIN_FILENO, TCSANOW, &before_);
  }
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;
  bool works() const { return changed_; }

 private:
  termios before_{};
  bool changed_;
};

/// The terminal's reply up to a last character; none on timeout.
std::optional<std::string> answer_to(std::string_view question, char last, double seconds) {
  constexpr size_t kLongest = 256;
  const RawTerminal raw;
  if (!raw.works()) return std::nullopt;
  if (write(STDOUT_FILENO, question.data(), question.size()) !=
      static_cast<ssize_t>(question.size()))
    return std::nullopt;
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  std::string answer;
  while (answer.size() < kLongest) {
    const double remaining = std::chrono::duration<double>(end - Clock::now()).count();
    pollfd ready = {STDIN_FILENO, POLLIN, 0};
    if (remaining <= 0 || poll(&ready, 1, static_cast<int>(remaining * 1000) + 1) <= 0)
      return std::nullopt;
    char letter;
    if (read(STDIN_FILENO, &letter, 1) != 1) return std::nullopt;
    answer += letter;
    if (letter == last) return answer;
  }
  return std::nullopt;
}

/// The byte of a line at which `columns` characters end, or its size if it has fewer.
size_t end_of_columns(std::string_view line, size_t columns) {
  size_t at = 0;
  for (size_t taken = 0; at < line.size(); ++at) {
    const bool begins = (static_cast<unsigned char>(line[at]) & 0xC0) != 0x80;
    if (begins && taken++ == columns) break;
  }
  return at;
}

/// The indentation of continuation lines: the last column of text, which begins after two spaces,
/// else the first character; at most two thirds of the terminal.
size_t hanging_indentation(std::string_view line, size_t columns) {
  const size_t most = 2 * columns / 3;
  size_t indentation = std::min(line.find_first_not_of(' '), line.size());
  for (size_t at = indentation; (at = line.find("  ", at)) != std::string_view::npos;) {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    if (at <= most) indentation = at;
  }
  return std::min(indentation, most);
}

int terminal_columns(lua_State* L) {
  const auto size = size_of(STDERR_FILENO);
  if (!size) return 0;
  lua_pushinteger(L, size->ws_col);
  return 1;
}

int terminal_size(lua_State* L) {
  const auto size = size_of(STDOUT_FILENO);
  if (!size) return 0;
  for (const int count : {size->ws_col, size->ws_row, size->ws_xpixel}) lua_pushinteger(L, count);
  return 3;
}

std::optional<std::string> ask_terminal(std::string_view question, std::string_view last,
                                        double seconds) {
  if (!takes_questions()) return std::nullopt;
  return answer_to(question, last.front(), seconds);
}

}  // namespace

std::span<const luaL_Reg> terminal_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<terminal_columns, "terminal_columns", "">,
      kNative<terminal_size, "terminal_size", "">,
      kNative<tide_break_lines, "break_lines", "text">,
      kNative<ask_terminal, "ask_terminal", "question, last, seconds">,
  };
  return functions;
}

}  // namespace tide::bindings

std::string tide_break_lines(const std::string& text) {
  using namespace tide::bindings;
  const auto terminal = size_of(STDOUT_FILENO);
  if (!terminal) return text;
  const size_t columns = terminal->ws_col;
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::string indentation(hanging_indentation(line, columns), ' ');
    while (end_of_columns(line, columns) < line.size()) {
      line.erase(line.find_last_not_of(' ') + 1);
      const size_t limit = end_of_columns(line, columns);
      if (limit == line.size()) break;
      size_t end = line.rfind(' ', limit);
      // A word that does not fit gets its own line.
      if (end == std::string::npos || end <= indentation.size()) end = line.find(' ', limit);
      if (end == std::string::npos) break;
      result += line.substr(0, line.find_last_not_of(' ', end) + 1) + "\n";
      line = indentation + line.substr(line.find_first_not_of(' ', end));
    }
    result += line + "\n";
  }
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}
