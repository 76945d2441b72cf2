// A pseudo-terminal with the prompt in it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/interpreter/command.h"

namespace test {

/// What a terminal is like where nothing else is asked for.
struct Surroundings {
  unsigned short columns = 200;
  std::map<std::string, std::string> environment = {};  ///< beside what the test program has
  unsigned short rows = 50;
};

/// Runs tide as at a terminal, in its state folder. What it shows is kept without escape sequences.
/// Its editor changes ones to zeros.
class Terminal {
 public:
  /// With a state folder of its own, if `state_path` names none.
  explicit Terminal(const std::vector<std::string>& words = {}, const std::string& state_path = "",
                    const Surroundings& surroundings = {});
  ~Terminal();

  /// Sends keys at once.
  void type(const std::string& keys);

  /// Waits until what is shown since the last call has `text` in it (at most 40 s) and returns all.
  std::string read_until(const std::string& text);

  /// Waits for the prompt after the greeting or an answer.
  std::string read_to_prompt();

  /// Waits until nothing was shown for so long, and returns what was.
  std::string read_until_quiet(double seconds);

  /// As that, but where a prompt stands at the end, a tenth of a second is enough.
  std::string read_answer(double seconds);

  /// All that was shown by now and not asked for here before, with its escape sequences.
  std::string raw();

  /// Closes the terminal, as when its window is closed or its connection breaks.
  void hang_up();

  /// Waits for the end of the program (at most 40 s) and returns its status as Outcome has it.
  int wait();

  /// The state folder.
  const std::string& state_path() const { return state_path_; }
  /// Where the prompt keeps its history.
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
