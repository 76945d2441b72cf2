// Runs processes in parallel, each with a time limit, and collects their output.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tide {

/// How a process ended, and its output.
struct ProcessEnd {
  int exit_status = 0;
  int signal = 0;  ///< the signal that ended it, or 0
  bool timed_out = false;
  double seconds = 0;
  std::string output;  ///< standard output and error, in the order written
  std::string report;  ///< written to kReportDescriptor
};

/// A process to start: this program with these arguments.
struct ProcessStart {
  std::vector<std::string> words;
  bool own_output = false;  ///< also print its output immediately
};

/// Runs all processes, at most `at_once` at a time, and calls `ended` as each ends. Kills those
/// that run longer than `time_limit` seconds. All descendants of a process are killed when it ends.
/// Throws std::system_error if a process cannot be started.
void run_processes(const std::vector<ProcessStart>& starts, int at_once, double time_limit,
                   const std::function<void(size_t index, const ProcessEnd&)>& ended);

}  // namespace tide
