// A pseudo-terminal with the prompt in it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/interpreter/command.h"

namespace test {

/// Properties of a terminal, with defaults.
struct Surroundings {
  unsigned short columns = 200;
  std::map<std::string, std::string> environment = {};  ///< in addition to the test program's
  unsigned short rows = 50;
};

/// Runs tide in a terminal, in its state folder. Output is kept without escape sequences.
/// Its editor changes ones to zeros.
class Terminal {
 public:
  /// With a temporary state folder, if `state_path` is empty.
  explicit Terminal(const std::vector<std::string>& words = {}, const std::string& state_path = "",
                    const Surroundings& surroundings = {});
  ~Terminal();

  /// Sends keys immediately.
  void type(const std::string& keys);

  /// Waits until the output since the last call contains `text` (at most 40 s) and returns all of
  /// it.
  std::string read_until(const std::string& text);

  /// Waits for the prompt after the greeting or a result.
  std::string read_to_prompt();

  /// Waits until there was no output for some time, and returns the output.
  std::string read_until_quiet(double seconds);

  /// The same, but a tenth of a second is enough if a prompt is at the end.
  std::string read_answer(double seconds);

  /// All output up to now that no call has returned, with its escape sequences.
  std::string raw();

  /// Closes the terminal, as when its window is closed or its connection breaks.
  void hang_up();

  /// Waits for the end of the program (at most 40 s) and returns its status as in Outcome.
  int wait();

  /// The state folder.
  const std::string& state_path() const { return state_path_; }
  /// The file with the prompt's history.
  std::string history_path() const { return state_path_ + "/tide/history"; }

 private:
  using Finder = std::function<size_t(const std::string& shown)>;
  std::string read_until(const std::string& text, const Finder& find);
  bool read_some(double seconds);
  std::string take();

  TemporaryFolder own_state_;
  std::string state_path_;
  pid_t process_;
  int terminal_;
  bool ended_ = false;
  std::string shown_;
  std::string raw_;
};

}  // namespace test
