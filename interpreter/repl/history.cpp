// Keeps the history file: one entry per line, newlines inside an entry written as \n.
#include "interpreter/repl/history.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

#include "bindings/support/text_file.h"
#include "runtime/os/environment.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

constexpr size_t kEntriesKept = 2000;

std::string history_path() {
  if (const char* state = environment_text(Variable::state_home); state && state[0] == '/') {
    return std::string(state) + "/tide/history";
  }
  const char* home = environment_text(Variable::home);
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

}  // namespace

PromptHistory::PromptHistory() : path_(history_path()) {
  if (path_.empty()) return;
  std::error_code error;
  const fs::path folder = fs::path(path_).parent_path();
  if (fs::create_directories(folder, error)) {
    fs::permissions(folder, fs::perms::owner_all, error);
  }
  std::ifstream file;
  if (fs::is_regular_file(path_, error)) file.open(path_);
  for (std::string line; std::getline(file, line);) entries_.push_back(unescape(line));
  if (entries_.size() > 2 * kEntriesKept) {
    entries_.erase(entries_.begin(), entries_.end() - kEntriesKept);
    std::string text;
    for (const std::string& entry : entries_) text += escape(entry);
    // The new file inherits the mode of the old one, which another program may have created.
    fs::permissions(path_, fs::perms::owner_read | fs::perms::owner_write, error);
    try {
      write_text_file(path_, text);
    } catch (const std::exception&) {
      // The file is not shortened.
    }
  }
  if (!entries_.empty()) last_ = entries_.back();
}

void PromptHistory::add(const std::string& entry) {
  if (entry == last_ || path_.empty()) return;
  last_ = entry;
  // Readable only by the user; nonblocking, as the file may be a pipe.
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC;
  const int file = open(path_.c_str(), kFlags, 0600);
  if (file < 0) return;
  // A single write with O_APPEND does not mix with entries of another prompt.
  const std::string line = escape(entry);
  [[maybe_unused]] const ssize_t written = write(file, line.data(), line.size());
  close(file);
}

}  // namespace tide
