// Queries the terminal.
#include "interpreter/run/terminal.h"

#include <unistd.h>

#include <cstdlib>
#include <string_view>

#include "runtime/os/environment.h"

namespace tide {

bool on_terminal() { return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO); }

bool on_colored_terminal() {
  const char *const terminal = environment_text(Variable::terminal), *const no_color =
                                                                         environment_text(
                                                                             Variable::no_color);
  const bool wanted = !no_color || !*no_color;
  return on_terminal() && wanted && terminal && std::string_view(terminal) != "dumb";
}

}  // namespace tide
