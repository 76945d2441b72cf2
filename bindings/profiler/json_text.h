// Writes JSON to a file incrementally, in large blocks.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

#include "runtime/os/file_replacement.h"

namespace tide::bindings {

/// JSON text written to a file. The caller writes the commas.
class JsonText {
 public:
  explicit JsonText(FileReplacement& file) : file_(file) {}

  JsonText& raw(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() > kPiece) flush();
    return *this;
  }
  JsonText& number(int64_t value) {
    char text[24];
    const auto end = std::to_chars(text, text + sizeof text, value).ptr;
    return raw({text, static_cast<size_t>(end - text)});
  }
  /// A fraction of 1, with three digits.
  JsonText& share(double value) {
    char text[16];
    const int size = std::snprintf(text, sizeof text, "%.3f", value);
    return raw({text, static_cast<size_t>(size)});
  }
  /// Nanoseconds as microseconds.
  JsonText& microseconds(int64_t nanoseconds) {
    char text[32];
    const int size =
        std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(nanoseconds / 1000),
                      static_cast<int>(nanoseconds % 1000));
    return raw({text, static_cast<size_t>(size)});
  }
  /// A quoted string. "<" is escaped, so that the text can be embedded in HTML.
  JsonText& string(std::string_view text) {
    raw("\"");
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        raw("\\").raw({&c, 1});
      } else if (byte < 0x20 || c == '<') {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", byte);
        raw(escape);
      } else {
        raw({&c, 1});
      }
    }
    return raw("\"");
  }
  void flush() {
    file_.write(buffer_);
    buffer_.clear();
  }

 private:
  static constexpr size_t kPiece = size_t{1} << 18;
  FileReplacement& file_;
  std::string buffer_;
};

}  // namespace tide::bindings
