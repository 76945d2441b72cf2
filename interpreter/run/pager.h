// Long texts on a terminal go through a pager.
#pragma once

#include <string>

namespace tide {

/// Prints a text and ends the line. If standard output is a terminal with fewer lines, the text
/// goes through $PAGER, else through less where it is installed. An empty PAGER means none.
void print_paged(const std::string& text);

}  // namespace tide
