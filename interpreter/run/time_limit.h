// The time that a script may take.
#pragma once

namespace tide {

/// The exit status of a program that reached its time limit; that of coreutils' timeout.
constexpr int kTimeLimitStatus = 124;

/// In `seconds` from now the script is stopped by an error that names its line and the limit. What
/// does not stop then, as a C function that Lua cannot interrupt, is ended with the process after
/// two seconds more. Behind catch_interrupts, once.
void limit_time(double seconds);

}  // namespace tide
