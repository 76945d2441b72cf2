// Runs processes side by side, each with a time limit, and collects what they say.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tide {

/// How a process ended and what it left behind.
struct ProcessEnd {
  int exit_status = 0;
  int signal = 0;  ///< That ended it, or 0.
  bool timed_out = false;
  double seconds = 0;
  std::string output;  ///< Standard output and error, in the order written.
  std::string report;  ///< Written to kReportDescriptor.
};

/// A process to start: this very program with these words.
struct ProcessStart {
  std::vector<std::string> words;
  bool own_output =
      false;  ///< Prints to our standard output as it goes; `output` still collects it.
};

/// Runs all, at most `at_once` at a time, and calls `ended` as each ends. One that runs longer than
/// `time_limit` seconds is killed. What it started, at any depth, ends with it in each case. Throws
/// std::system_error if a process cannot be made.
void run_processes(const std::vector<ProcessStart>& starts, int at_once, double time_limit,
                   const std::function<void(size_t index, const ProcessEnd&)>& ended);

}  // namespace tide
