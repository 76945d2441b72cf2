// What was typed at the prompt, kept between sessions.
#pragma once

#include <string>
#include <vector>

namespace tide {

/// A file of entries, one a line, in the user's state folder: $XDG_STATE_HOME/tide/history or
/// ~/.local/state/tide/history. A history that cannot be read or written is an empty one: the
/// prompt works all the same.
class PromptHistory {
 public:
  PromptHistory();

  /// The entries of earlier sessions, oldest first.
  const std::vector<std::string>& entries() const { return entries_; }

  /// Adds an entry at once, so that a crash or a second prompt loses nothing. A repetition of the
  /// last entry is left out.
  void add(const std::string& entry);

 private:
  std::string path_;
  std::vector<std::string> entries_;
  std::string last_;
};

}  // namespace tide
