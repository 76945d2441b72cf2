// What the program may show where it runs.
#pragma once

#include <string>

namespace tide {

/// Whether a person is there: standard input and output are a terminal.
bool on_terminal();

/// Whether it shows colors: NO_COLOR is empty or not set, and it is not a dumb one.
bool on_colored_terminal();

/// The text with its lines broken between words where the terminal on standard output would break
/// them anywhere. The rest of a line begins below its last column of text ("  name  what it is"),
/// or below its beginning. Unchanged if standard output is not a terminal.
std::string broken_at_words(const std::string& text);

}  // namespace tide
