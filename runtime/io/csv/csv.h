// Records of comma-separated values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tide {

/// What is wrong at a byte of a text of records.
struct CsvError {
  size_t at;
  std::string text;
};

/// A field as it stands in the text, without its quotes. Each quote in it is doubled.
struct CsvField {
  std::string_view text;
  size_t at = 0;  ///< where it begins, its quote included

  /// What it says.
  std::string value() const;
};

/// Reads records one after the other. Empty lines are none, and neither are lines that begin with
/// the comment; the rest of a line after a comment is left out.
class CsvReader {
 public:
  /// `comment` 0: there are none. Begins at byte `at` of the text, which must stay.
  CsvReader(std::string_view text, char delimiter, char comment, size_t at);

  /// The next record; false at the end of the text. Throws CsvError.
  bool next(std::vector<CsvField>& fields);
  /// Readers of at most `count` parts of what is left, one after the other, each of whole records;
  /// one alone where quotes may hold the ends of lines.
  std::vector<CsvReader> divided(size_t count) const;

  /// Where the next record begins, or what stands before it.
  size_t at() const { return at_; }
  /// Where the text ends, or its part.
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
