// Records of comma-separated values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tide {

/// An error at a byte position of a text of records.
struct CsvError {
  size_t at;
  std::string text;
};

/// A field as it appears in the text, without its quotes. Each quote inside is doubled.
struct CsvField {
  std::string_view text;
  size_t at = 0;  ///< its start, including its quote

  /// The unescaped text.
  std::string value() const;
};

/// Reads records one after the other. Skips empty lines, lines that start with the comment
/// character, and the remainder of a line after it.
class CsvReader {
 public:
  /// `comment` 0: none. Starts at byte `at` of the text, which must outlive the reader.
  CsvReader(std::string_view text, char delimiter, char comment, size_t at);

  /// The next record; false at the end of the text. Throws CsvError.
  bool next(std::vector<CsvField>& fields);
  /// Readers of at most `count` consecutive parts of the remaining text, each of entire records;
  /// only one if line breaks may be quoted.
  std::vector<CsvReader> divided(size_t count) const;

  /// The start of the next record, or of what precedes it.
  size_t at() const { return at_; }
  /// The end of the text, or of this part.
  size_t size() const { return text_.size(); }

 private:
  void skip_to_record();
  CsvField quoted_field();
  bool is_end(char c) const { return c == '\n' || c == '\r' || (comment_ && c == comment_); }

  const char* field_end(const char* begin) const;

  std::string_view text_;
  char delimiter_, comment_;
  size_t at_;
};

}  // namespace tide
