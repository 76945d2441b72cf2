// Standard input of a notebook: the user is asked for each line.
#pragma once

#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace tide::jupyter {

/// Takes the place of the C library's `stdin` for as long as it lives. A Lua state that is opened
/// meanwhile reads from it: `io.read`, `io.stdin`, `io.lines`.
class StandardInput {
 public:
  /// Asks for a line; none ends the reading that needs it.
  using ReadLine = std::function<std::optional<std::string>()>;

  /// Throws std::system_error.
  explicit StandardInput(ReadLine read_line);
  ~StandardInput();
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;

 private:
  static ssize_t read(void* self, char* bytes, size_t size);

  ReadLine read_line_;
  std::string line_;  ///< what is left of the last one
  std::FILE* before_;
};

}  // namespace tide::jupyter
