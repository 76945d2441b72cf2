// Runs the tide program on one command line.
#pragma once

#include <string>
#include <vector>

namespace test {

/// The outcome of a run.
struct Outcome {
  int status = 0;  ///< As the shell's $?: 128 + the signal's number where one ended it.
  std::string out, err;
};

/// The program of the build; where that build is not there, the one beside the running test
/// program.
std::string tide_program();

/// Runs tide in the folder `folder` with the words, and `input` as its standard input.
Outcome run_tide(const std::vector<std::string>& words, const std::string& input = "",
                 const std::string& folder = "/tmp");

/// A folder that is empty at first and gone at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  const std::string& path() const { return path_; }

  /// Writes a file in it and returns the file's path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

std::string read_file(const std::string& path);

}  // namespace test
