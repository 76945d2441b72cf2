// The prompt's input history, kept between sessions.
#pragma once

#include <string>
#include <vector>

namespace tide {

/// A file of entries, one per line, in the user's state folder: $XDG_STATE_HOME/tide/history or
/// ~/.local/state/tide/history. If it cannot be read or written, the history is empty and the
/// prompt works as usual.
class PromptHistory {
 public:
  PromptHistory();

  /// The entries of earlier sessions, oldest first.
  const std::vector<std::string>& entries() const { return entries_; }

  /// Writes an entry immediately, so that a crash or a second prompt loses nothing. Skips an entry
  /// equal to the last one.
  void add(const std::string& entry);

 private:
  std::string path_;
  std::vector<std::string> entries_;
  std::string last_;
};

}  // namespace tide
