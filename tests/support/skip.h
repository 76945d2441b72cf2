// Tests that need what a machine may lack.
#pragma once

#include <string>

namespace test {

/// Counts the running test case as skipped, for `reason`; the caller leaves out what cannot run
/// here. Where the environment variable `expected` is set, if one is named, that is a failure
/// instead and ends the test case.
void skip(const std::string& reason, const char* expected = nullptr);

/// Prints "skipped: N test cases" and the reasons. tests/run reads the number.
void print_skipped();

}  // namespace test
