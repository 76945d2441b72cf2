// Test results as JUnit XML, which build servers read.
#pragma once

#include <string>
#include <vector>

#include "interpreter/test/test_result.h"

namespace tide {

/// Replaces the file at `path` by the results. Throws an std::exception naming the file if it
/// cannot be written.
void write_junit(const std::string& path, const std::vector<FileResult>& files);

}  // namespace tide
