// The time limit of a script.
#pragma once

namespace tide {

/// The exit status of a program that reached its time limit, as for timeout of GNU coreutils.
constexpr int kTimeLimitStatus = 124;

/// Stops the script `seconds` from now with an error that names its line and the limit. If it does
/// not stop, such as in a C function that Lua cannot interrupt, ends the process two seconds later.
/// Call it once, after catch_interrupts.
void limit_time(double seconds);

}  // namespace tide
