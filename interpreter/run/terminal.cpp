// Asks for the terminal, and breaks lines at its width.
#include "interpreter/run/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

namespace tide {
namespace {

/// Columns of the terminal on standard output; 0 if it is none or does not know.
size_t terminal_columns() {
  winsize size = {};
  return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
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

/// Where the rest of a line begins if it is broken: below its last column of text, which two spaces
/// part from the one before, else below its first letter.
size_t hanging_indentation(std::string_view line, size_t columns) {
  size_t indentation = std::min(line.find_first_not_of(' '), line.size());
  for (size_t at = indentation; (at = line.find("  ", at)) != std::string_view::npos;) {
    at = std::min(line.find_first_not_of(' ', at), line.size());
    if (at <= 2 * columns / 3) indentation = at;
  }
  return indentation;
}

}  // namespace

bool on_terminal() { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

bool on_colored_terminal() {
  const char *const terminal = std::getenv("TERM"), *const no_color = std::getenv("NO_COLOR");
  const bool wanted = !no_color || !*no_color;
  return on_terminal() && wanted && terminal && std::string_view(terminal) != "dumb";
}

std::string broken_at_words(const std::string& text) {
  const size_t columns = terminal_columns();
  if (columns == 0) return text;
  std::istringstream lines(text);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::string indentation(hanging_indentation(line, columns), ' ');
    while (end_of_columns(line, columns) < line.size()) {
      const size_t end = line.rfind(' ', end_of_columns(line, columns));
      if (end == std::string::npos || end <= indentation.size()) break;
      result += line.substr(0, line.find_last_not_of(' ', end) + 1) + "\n";
      line = indentation + line.substr(std::min(line.find_first_not_of(' ', end), line.size()));
    }
    result += line + "\n";
  }
  if (!text.ends_with('\n') && !result.empty()) result.pop_back();
  return result;
}

}  // namespace tide
