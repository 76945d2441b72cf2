// Computes where readline has drawn the line, and redraws it there in color.
#include "interpreter/repl/line_painter.h"

#include <algorithm>
#include <cwchar>
#include <optional>

namespace tide {
namespace {

constexpr size_t kLongest = 2000;  ///< bytes; longer lines are not drawn
constexpr int kLeastHint = 12;     ///< minimum columns for showing a hint

/// The width of a text in columns; none if it contains characters that readline escapes, or wide
/// ones, which can leave the last column of a row empty.
std::optional<int> columns_of(const std::string& text) {
  std::mbstate_t state = {};
  int columns = 0;
  for (size_t at = 0; at < text.size();) {
    wchar_t character;
    const size_t bytes = std::mbrtowc(&character, text.data() + at, text.size() - at, &state);
    if (bytes == 0 || bytes > text.size() - at || wcwidth(character) != 1) return std::nullopt;
    at += bytes;
    ++columns;
  }
  return columns;
}

}  // namespace

void LinePainter::draw(const ShownLine& shown, std::FILE* out) {
  if (shown.line.empty() || shown.line.size() > kLongest || shown.columns < 2) return;
  const auto prompt = columns_of(shown.prompt), line = columns_of(shown.line);
  const auto before = columns_of(shown.line.substr(0, shown.point));
  if (!prompt || !line || !before || *prompt >= shown.columns) return;
  const int end = *prompt + *line, cursor = *prompt + *before;
  if (end / shown.columns >= shown.rows) return;
  const Decoration decoration = decorator_(shown.line, shown.point);
  std::string text = "\0337\r";
  if (const int above = cursor / shown.columns) text += "\033[" + std::to_string(above) + "A";
  if (*prompt > 0) text += "\033[" + std::to_string(*prompt) + "C";
  text += decoration.painted;
  const int available = shown.columns - end - 3;
  if (!decoration.hint.empty() && cursor == end && available >= kLeastHint) {
    std::string hint = decoration.hint.substr(0, static_cast<size_t>(available));
    if (hint.size() < decoration.hint.size()) hint.replace(hint.size() - 3, 3, "...");
    text += "\033[K\033[2m  " + hint + "\033[0m";
    has_hint_ = true;
  }
  text += "\0338";
  std::fputs(text.c_str(), out);
  std::fflush(out);
}

void LinePainter::clear_hint(std::FILE* out) {
  if (!has_hint_) return;
  std::fputs("\033[K", out);
  has_hint_ = false;
}

}  // namespace tide
