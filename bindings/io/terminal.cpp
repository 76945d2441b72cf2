// What the library may know about the terminal.
#include <sys/ioctl.h>
#include <unistd.h>

#include "bindings/io/functions.h"

namespace tide::bindings {

int terminal_columns(lua_State* L) {
  constexpr int kColumns = 80;  // of terminals that do not tell
  if (!isatty(STDERR_FILENO)) return 0;
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  lua_pushinteger(L, known ? size.ws_col : kColumns);
  return 1;
}

}  // namespace tide::bindings
