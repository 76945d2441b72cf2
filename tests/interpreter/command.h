// Runs the tide program on one command line.
#pragma once

#include <string>
#include <vector>

namespace test {

/// The outcome of a run.
struct Outcome {
  int status = 0;  ///< Like the shell's $?: 128 + the signal's number if a signal ended it.
  std::string out, err;
};

/// The program of the build; if it does not exist, the one in the folder of the running test
/// program.
std::string tide_program();

/// Runs tide in the folder `folder` with these arguments, and `input` as its standard input.
Outcome run_tide(const std::vector<std::string>& words, const std::string& input = "",
                 const std::string& folder = "/tmp");

/// A temporary folder, empty at first and removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

  /// Writes a file in the folder and returns the file's path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace test
