// The subcommands of `tide`: each takes the words behind its name and returns the exit status.
#pragma once

#include <string>
#include <vector>

namespace tide {

using Words = std::vector<std::string>;

/// What a wrong use of an option raises; main prints it with the command's name.
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

/// `tide` without a subcommand: the options and the manners of `lua`.
int lua_command(const Words& words);

/// A process of tide.process: runs the function that it is sent.
int process_command(const Words& words);
inline constexpr char kProcessCommand[] = "--process";

/// A process of a lesson's page: runs a lesson and marks in its output what belongs to which cell.
int lesson_recorder_command(const Words& words);

/// A process of `tide test`: runs one file and reports to the descriptor named first.
int test_worker_command(const Words& words);

}  // namespace tide
