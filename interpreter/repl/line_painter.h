// Colours, and a hint behind the line: drawn over what readline has drawn.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace tide {

/// A line with its colours, and what is said behind it.
struct Decoration {
  std::string painted;
  std::string hint;
};
using Decorator = std::function<Decoration(const std::string& line, size_t point)>;

/// What readline shows: a prompt without escape sequences, the line, the cursor behind byte
/// `point`, and the size of the screen.
struct ShownLine {
  std::string prompt, line;
  size_t point = 0;
  int rows = 0, columns = 0;
};

/// Draws over lines that are shown as they are: readline's own idea of the screen stays true.
class LinePainter {
 public:
  explicit LinePainter(Decorator decorator) : decorator_(std::move(decorator)) {}

  /// Draws the line anew in its colours, with the hint if there is room in the row.
  void draw(const ShownLine& shown, std::FILE* out);

  /// Takes the hint away. To be called before readline draws again.
  void clear_hint(std::FILE* out);

 private:
  Decorator decorator_;
  bool has_hint_ = false;
};

}  // namespace tide
