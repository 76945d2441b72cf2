// A C library stream whose bytes come from a function.
#include "interpreter/jupyter/standard_input.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace tide::jupyter {

StandardInput::StandardInput(ReadLine read_line)
    : read_line_(std::move(read_line)), before_(stdin) {
  cookie_io_functions_t functions = {};
  functions.read = read;
  std::FILE* const stream = fopencookie(this, "r", functions);
  if (!stream) throw std::system_error(errno, std::generic_category(), "standard input");
  stdin = stream;
}

StandardInput::~StandardInput() { std::fclose(std::exchange(stdin, before_)); }

ssize_t StandardInput::read(void* self, char* bytes, size_t size) {
  std::string& line = static_cast<StandardInput*>(self)->line_;
  if (line.empty()) {
    const std::optional<std::string> answer = static_cast<StandardInput*>(self)->read_line_();
    if (!answer) return 0;
    line = *answer + "\n";
  }
  const size_t count = std::min(size, line.size());
  std::memcpy(bytes, line.data(), count);
  line.erase(0, count);
  return static_cast<ssize_t>(count);
}

}  // namespace tide::jupyter
