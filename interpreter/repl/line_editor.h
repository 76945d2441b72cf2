// Reads lines at the prompt, with readline if it is installed.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "interpreter/repl/line_painter.h"
#include "interpreter/session/completion.h"

namespace tide {

/// The result of reading a line.
enum class ReadResult {
  kLine,         ///< A line, or a pasted block of several, without the final newline.
  kInterrupted,  ///< Ctrl-C: the current line is discarded.
  kEnd,          ///< Ctrl-D on an empty line, or the end of the input.
};

/// Completes the name that ends at the cursor, given the text before it.
using Completer = std::function<Completion(const std::string& before_cursor)>;

/// The indentation of a block in spaces.
constexpr size_t kIndentation = 2;

/// A source of lines. One per program, because readline keeps its state in globals.
class LineEditor {
 public:
  virtual ~LineEditor() = default;

  /// Shows `prompt` and waits for a line. An editor may start it with `indentation`.
  virtual ReadResult read(const char* prompt, const std::string& indentation,
                          std::string& line) = 0;

  /// Adds an entry to the history of the arrow keys.
  virtual void remember(const std::string& entry) = 0;
};

/// The editor for standard input: readline if that is a terminal and the library can be loaded.
/// Without a decorator, lines have no colors.
std::unique_ptr<LineEditor> make_line_editor(Completer completer, Decorator decorator);

}  // namespace tide
