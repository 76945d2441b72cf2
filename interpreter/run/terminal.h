// What the program may show where it runs.
#pragma once

namespace tide {

/// Whether a person is there: standard input and output are a terminal.
bool on_terminal();

/// Whether it shows colors: NO_COLOR is empty or not set, and it is not a dumb one.
bool on_colored_terminal();

}  // namespace tide
