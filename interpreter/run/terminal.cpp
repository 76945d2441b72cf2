// Asks for the terminal.
#include "interpreter/run/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

namespace tide {

bool on_terminal() { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

bool on_colored_terminal() {
  const char *const terminal = std::getenv("TERM"), *const no_color = std::getenv("NO_COLOR");
  const bool wanted = !no_color || !*no_color;
  return on_terminal() && wanted && terminal && std::string_view(terminal) != "dumb";
}

}  // namespace tide
