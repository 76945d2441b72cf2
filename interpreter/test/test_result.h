// What a test process reports to `tide test`, and how it is written on the pipe between them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tide {

/// One test's end.
struct TestResult {
  std::string name;
  /// "passed", "failed", "pending" or, when names are asked for, "listed"; "loaded": not a test,
  /// but a file that was loaded.
  std::string status;
  std::string message;
  double seconds = 0;
};

/// All that one file of tests came to.
struct FileResult {
  std::string path;
  std::vector<TestResult> tests;
  std::string output;  ///< What the tests printed.
  double seconds = 0;
  std::vector<std::string> loaded;  ///< Files that it loaded, if they were asked for.

  int count(std::string_view status) const;
};

/// The descriptor on which a test process reports.
inline constexpr int kReportDescriptor = 3;

/// The line that ends a complete report; without it the process ended before its tests did.
inline constexpr std::string_view kReportEnd = "end\n";

/// A result as one line: tab-separated fields with \t, \n and \\ written as such.
std::string encode(const TestResult& result);

/// Reads a report's lines. `complete` is set to whether kReportEnd was among them.
std::vector<TestResult> decode(std::string_view report, bool& complete);

}  // namespace tide
