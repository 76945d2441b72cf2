// The capabilities of the terminal.
#pragma once

namespace tide {

/// Whether standard input and output are a terminal.
bool on_terminal();

/// Whether to use colors: on a terminal that is not dumb, unless NO_COLOR is set and not empty.
bool on_colored_terminal();

}  // namespace tide
