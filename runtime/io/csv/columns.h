// The columns of a text of comma-separated values, read in several threads.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "runtime/io/csv/csv.h"

namespace tide {

/// Words that stand for a missing value. Most fields are known by their first letter to be none of
/// them.
class CsvWords {
 public:
  void insert(std::string_view word) {
    words_.insert(word);
    begins_[first_of(word)] = true;
  }
  bool contains(std::string_view word) const {
    return begins_[first_of(word)] && words_.contains(word);
  }

 private:
  static size_t first_of(std::string_view word) {
    return word.empty() ? 0 : static_cast<unsigned char>(word[0]);
  }
  std::unordered_set<std::string_view> words_;
  std::array<bool, 256> begins_{};
};

/// What the fields of a column are asked to be: `none`, not read; `number`, int64 where all are
/// whole, else float64; `real`, always float64; `any`, numbers, or booleans, or text.
enum class CsvKind { none, text, number, real, integer, boolean, any };

/// A field that is not of its column's kind.
struct CsvWrongField {
  size_t at;
  size_t column;
  std::string field;
};

/// The values of a column in one part of the text.
class CsvColumn {
 public:
  explicit CsvColumn(CsvKind kind) : kind_(kind), has_reals_(kind == CsvKind::real) {}

  /// Takes a field; false if it is not of the kind. Columns of any kind take all: they turn out to
  /// be text.
  bool add(std::string_view field, const CsvWords& missing);
  /// Makes room for `count` values of the kind that it has had so far.
  void reserve(size_t count);
  /// Drops its values. Its texts begin with `earlier`.
  void become_text(std::span<const std::string_view> earlier);

  /// The kind, of `number` and `any` as its fields so far have it.
  CsvKind kind() const;

  /// What its last fields are in the text, from the first one on that made it a column of text.
  std::span<const std::string_view> texts() const { return texts_; }

  /// Writes its values, which are not text, as T from `to` on; the end of what it has written.
  template <class T>
  T* copy(T* to) const {
    const auto as_value = [](auto value) { return static_cast<T>(value); };
    if (!booleans_.empty()) return std::ranges::transform(booleans_, to, as_value).out;
    if (has_reals_) return std::ranges::transform(reals_, to, as_value).out;
    return std::ranges::transform(integers_, to, as_value).out;
  }

 private:
  bool add_number(std::string_view field, const CsvWords& missing);
  bool add_boolean(std::string_view field);

  CsvKind kind_;
  bool has_reals_, is_boolean_ = false;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::vector<unsigned char> booleans_;
  std::vector<std::string_view> texts_;
};

/// A part of the text.
struct CsvPart {
  CsvReader reader;  ///< where it begins
  std::vector<CsvColumn> columns;
  size_t rows = 0;
};

/// All columns of a text, part after part. Texts are complete.
struct CsvColumns {
  std::vector<CsvPart> parts;  ///< at least one
  size_t rows = 0;

  /// What the fields of a column are: never `number` or `any`.
  CsvKind kind(size_t column) const;
};

/// Reads all records from where the reader is, in at most `threads` threads. Throws CsvError, or
/// CsvWrongField, for the first record that has not a field for each kind, or a field of another
/// kind.
CsvColumns read_csv_columns(const CsvReader& reader, const std::vector<CsvKind>& kinds,
                            const CsvWords& missing, int threads);

}  // namespace tide
