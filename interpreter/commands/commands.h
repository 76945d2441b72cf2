// The subcommands of `tide`: each takes the arguments after its name and returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace tide {

using Words = std::vector<std::string>;

/// Thrown for a wrong use of an option; main prints it with the command's name.
struct UsageError {
  std::string message;
};

int run_command(const Words& words);
int test_command(const Words& words);
int lesson_command(const Words& words);
int bench_command(const Words& words);
int info_command(const Words& words);
int smi_command(const Words& words);
int help_command(const Words& words);
int manual_command(const Words& words);
int jupyter_command(const Words& words);

/// `tide` without a subcommand: has the options and the behavior of `lua`.
int lua_command(const Words& words);

/// A process of tide.process: runs the function it receives.
int process_command(const Words& words);
inline constexpr char kProcessCommand[] = "--process";

/// A process for a lesson's page: runs the lesson and marks in its output where each cell begins.
int lesson_recorder_command(const Words& words);

/// A process of `tide test`: runs one file and reports to the descriptor in its first argument.
int test_worker_command(const Words& words);

}  // namespace tide
