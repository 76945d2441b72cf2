#include "runtime/cuda/libraries/slow_path.h"

#include <atomic>
#include <cstdio>

namespace tide::cuda {

void warn_slow(const std::string& text, double operations, const char* reason) {
  constexpr double kLarge = 1e9;
  static std::atomic<bool> said = false;
  if (operations <= kLarge || said.exchange(true)) return;
  std::fprintf(stderr,
               "tide: cuda: %s is slow: %s. tide's own kernel is used; `tide info` lists the "
               "libraries.\n",
               text.c_str(), reason ? reason : "no library supports it");
}

}  // namespace tide::cuda
