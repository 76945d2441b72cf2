// Warns about large work that no library supports.
#pragma once

#include <string>

namespace tide::cuda {

/// Warns once per process, on stderr, if work of more than 1 GFLOP runs on tide's own, slower
/// kernels. `text` names the work. `reason` may be null.
void warn_slow(const std::string& text, double operations, const char* reason);

}  // namespace tide::cuda
