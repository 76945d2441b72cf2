// Standard input of a notebook: the user is asked for each line.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace tide::jupyter {

/// Replaces the C library's `stdin` during its lifetime. A Lua state opened during that time reads
/// from it: `io.read`, `io.stdin`, `io.lines`.
class StandardInput {
 public:
  /// Asks for a line; none means end of file.
  using ReadLine = std::function<std::optional<std::string>()>;

  /// Throws std::system_error.
  explicit StandardInput(ReadLine read_line);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  static ssize_t read(void* self, char* bytes, size_t size);

  ReadLine read_line_;
  std::string line_;  ///< the unread part of the last one
  std::FILE* before_;
};

}  // namespace tide::jupyter
