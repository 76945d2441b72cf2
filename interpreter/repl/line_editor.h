// Reads lines at the prompt: with readline where it is installed, plainly where it is not.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "interpreter/repl/line_painter.h"
#include "interpreter/session/completion.h"

namespace tide {

/// What a request for a line brought.
enum class ReadResult {
  kLine,         ///< A line, or a pasted block of several, without the last line end.
  kInterrupted,  ///< Ctrl-C: the line begun is thrown away.
  kEnd,          ///< Ctrl-D on an empty line, or the end of the input.
};

/// Completes the name that ends at the cursor, given the text before it.
using Completer = std::function<Completion(const std::string& before_cursor)>;

/// Spaces that a line of a block stands further in than the line that opens it.
constexpr size_t kIndentation = 2;

/// A source of lines. One per program, for readline keeps its state in globals.
class LineEditor {
 public:
  virtual ~LineEditor() = default;

  /// Shows `prompt` and waits for a line. An editor may begin it with the spaces of `indentation`.
  virtual ReadResult read(const char* prompt, const std::string& indentation,
                          std::string& line) = 0;

  /// Makes an entry reachable with the arrow keys.
  virtual void remember(const std::string& entry) = 0;
};

/// The editor for standard input: readline if that is a terminal and the library opens. Without a
/// decorator lines have no colours.
std::unique_ptr<LineEditor> make_line_editor(Completer completer, Decorator decorator);

}  // namespace tide
