// The report of a test process to `tide test`, and its encoding on the pipe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tide {

/// The result of one test.
struct TestResult {
  std::string name;
  /// "passed", "failed", "pending", "listed" (with --list) or "loaded" (not a test but a loaded
  /// file).
  std::string status;
  std::string message;
  double seconds = 0;
};

/// The results of one test file.
struct FileResult {
  std::string path;
  std::vector<TestResult> tests;
  std::string output;  ///< printed by the tests
  double seconds = 0;
  std::vector<std::string> loaded;  ///< files that it loaded, if requested

  int count(std::string_view status) const;
};

/// The descriptor to which a test process reports.
inline constexpr int kReportDescriptor = 3;

/// The last line of a complete report; if it is missing, the process ended early.
inline constexpr std::string_view kReportEnd = "end\n";

/// A result as one line: tab-separated fields, with tabs, newlines and backslashes escaped.
std::string encode(const TestResult& result);

/// Decodes a report. Sets `complete` to whether it ends with kReportEnd.
std::vector<TestResult> decode(std::string_view report, bool& complete);

}  // namespace tide
