// Keeps the history file: one entry a line, line ends inside an entry written as \n.
#include "interpreter/repl/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace tide {
namespace {

namespace fs = std::filesystem;

constexpr size_t kEntriesKept = 2000;

std::string history_path() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && state[0] == '/') {
    return std::string(state) + "/tide/history";
  }
  const char* home = std::getenv("HOME");
  return home && home[0] ? std::string(home) + "/.local/state/tide/history" : "";
}

std::string escape(const std::string& entry) {
  std::string line;
  for (char c : entry) {
    if (c == '\\')
      line += "\\\\";
    else if (c == '\n')
      line += "\\n";
    else
      line += c;
  }
  return line += '\n';
}

std::string unescape(const std::string& line) {
  std::string entry;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\' || i + 1 == line.size())
      entry += line[i];
    else
      entry += line[++i] == 'n' ? '\n' : line[i];
  }
  return entry;
}

/// Writes all of `text` to `path`, opened with `flags`, readable by the user alone.
bool write_file(const std::string& path, int flags, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
  if (file < 0) return false;
  // One call: O_APPEND then keeps entries of two prompts apart.
  const bool written = write(file, text.data(), text.size()) == std::ssize(text);
  return close(file) == 0 && written;
}

}  // namespace

PromptHistory::PromptHistory() : path_(history_path()) {
  if (path_.empty()) return;
  std::error_code error;
  const fs::path folder = fs::path(path_).parent_path();
  if (fs::create_directories(folder, error)) {
    fs::permissions(folder, fs::perms::owner_all, error);
  }
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) entries_.push_back(unescape(line));
  if (entries_.size() > 2 * kEntriesKept) {
    entries_.erase(entries_.begin(), entries_.end() - kEntriesKept);
    std::string text;
    for (const std::string& entry : entries_) text += escape(entry);
    // Written beside and renamed: a full disk leaves the old file.
    const std::string beside = path_ + "." + std::to_string(getpid());
    if (write_file(beside, O_TRUNC, text))
      fs::rename(beside, path_, error);
    else
      fs::remove(beside, error);
  }
  if (!entries_.empty()) last_ = entries_.back();
}

void PromptHistory::add(const std::string& entry) {
  if (entry == last_ || path_.empty()) return;
  last_ = entry;
  write_file(path_, O_APPEND, escape(entry));
}

}  // namespace tide
