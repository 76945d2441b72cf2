// Test results as JUnit XML, which build servers read.
#pragma once

#include <string>
#include <vector>

#include "interpreter/test/test_result.h"

namespace tide {

/// Writes the results to the file at `path`. Throws a std::exception that names the file on
/// failure.
void write_junit(const std::string& path, const std::vector<FileResult>& files);

}  // namespace tide
