// A word on large work that no library has taken.
#pragma once

#include <string>

namespace tide::cuda {

/// Says once in a process, on standard error, that work of more than 1 GFLOP is done by tide's own
/// kernels, which are slow at it, and why. `text`: what it is. `reason` may be null.
void warn_slow(const std::string& text, double operations, const char* reason);

}  // namespace tide::cuda
