// Shows long text on a terminal in a pager.
#pragma once

#include <string>

namespace tide {

/// Prints a text and a newline. If standard output is a terminal with fewer lines, uses $PAGER, or
/// less if it is installed. An empty PAGER disables this.
void print_paged(const std::string& text);

}  // namespace tide
