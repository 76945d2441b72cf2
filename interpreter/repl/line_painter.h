// Colors and a hint after the line, drawn over readline's output.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace tide {

/// A line in color, and the hint shown after it.
struct Decoration {
  std::string painted;
  std::string hint;
};
using Decorator = std::function<Decoration(const std::string& line, size_t point)>;

/// The state of readline's display: a prompt without escape sequences, the line, the cursor as a
/// byte offset `point`, and the size of the screen.
struct ShownLine {
  std::string prompt, line;
  size_t point = 0;
  int rows = 0, columns = 0;
};

/// Redraws the same characters, so readline's record of the screen stays valid.
class LinePainter {
 public:
  explicit LinePainter(Decorator decorator) : decorator_(std::move(decorator)) {}

  /// Redraws the line in color, with the hint if it fits in the row.
  void draw(const ShownLine& shown, std::FILE* out);

  /// Erases the hint. Must be called before readline draws again.
  void clear_hint(std::FILE* out);

 private:
  Decorator decorator_;
  bool has_hint_ = false;
};

}  // namespace tide
