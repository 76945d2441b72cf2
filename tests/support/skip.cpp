// Which test cases were skipped, and why.
#include "tests/support/skip.h"

#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/support/catch.h"

namespace test {
namespace {

/// Reasons by the names of test cases.
std::map<std::string, std::string> skipped;

}  // namespace

void skip(const std::string& reason, const char* expected) {
  if (expected && std::getenv(expected)) FAIL(reason << ", but " << expected << " is set");
  skipped[Catch::getResultCapture().getCurrentTestName()] = reason;
}

void print_skipped() {
  if (skipped.empty()) return;
  std::printf("skipped: %zu test cases\n", skipped.size());
  for (const auto& [name, reason] : skipped)
    std::printf("  %s: %s\n", name.c_str(), reason.c_str());
}

}  // namespace test
