// Polls the files: that detects changes on every file system and in new folders, and takes a
// millisecond for a thousand files.
#include "interpreter/test/watch.h"

#include <chrono>
#include <system_error>
#include <thread>

namespace tide {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kPollInterval{200};

bool is_ignored(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with('.') || name.ends_with('~');
}

void add(const fs::path& path, FileStates& states) {
  std::error_code error;
  const auto time = fs::last_write_time(path, error);
  if (error) return;
  const auto size = fs::file_size(path, error);
  if (!error) states[path.string()] = {time, size};
}

void add_folder(const std::string& folder, FileStates& states) {
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, error), end;
  for (; !error && entry != end; entry.increment(error)) {
    if (is_ignored(entry->path()))
      entry.disable_recursion_pending();
    else if (std::error_code ignored; entry->is_regular_file(ignored))
      add(entry->path(), states);
  }
}

/// A path whose state differs or that only one of the two has; empty if none.
std::string difference(const FileStates& a, const FileStates& b) {
  for (const auto& [path, state] : a)
    if (const auto other = b.find(path); other == b.end() || other->second != state) return path;
  for (const auto& [path, state] : b)
    if (!a.contains(path)) return path;
  return "";
}

}  // namespace

FileStates look_at(const std::vector<std::string>& paths) {
  FileStates states;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error))
      add_folder(path, states);
    else
      add(path, states);
  }
  return states;
}

std::string wait_for_change(const std::vector<std::string>& paths, const FileStates& known) {
  for (FileStates last = known;;) {
    const FileStates now = look_at(paths);
    const std::string changed = difference(known, now);
    // An editor may write a file in several steps.
    if (!changed.empty() && now == last) return changed;
    last = now;
    std::this_thread::sleep_for(kPollInterval);
  }
}

}  // namespace tide
