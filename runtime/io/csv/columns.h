// The columns of a CSV text, read in several threads.
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

/// Words for missing values. Most fields are excluded by their first letter.
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

/// The requested type of a column: `none`, not read; `number`, int64 if all fields are integers,
/// else float64; `real`, always float64; `any`, numbers, booleans, or text.
enum class CsvKind { none, text, number, real, integer, boolean, any };

/// A field that does not have its column's type.
struct CsvWrongField {
  size_t at;
  size_t column;
  std::string field;
};

/// The values of a column in one part of the text.
class CsvColumn {
 public:
  explicit CsvColumn(CsvKind kind) : kind_(kind), has_reals_(kind == CsvKind::real) {}

  /// Adds a field; false if it does not have the type. Columns of `any` accept all fields, and
  /// become text if necessary.
  bool add(std::string_view field, const CsvWords& missing);
  /// Reserves memory for `count` values of its current type.
  void reserve(size_t count);
  /// Discards its values and becomes a text column. Its texts start with `earlier`.
  void become_text(std::span<const std::string_view> earlier);

  /// The type; for `number` and `any` the one determined by the fields so far.
  CsvKind kind() const;

  /// Its last fields as text, starting from the first one that made it a text column.
  std::span<const std::string_view> texts() const { return texts_; }

  /// Writes its values, which are not text, as T from `to` on; returns the end of the written
  /// values.
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
  CsvReader reader;  ///< at its beginning
  std::vector<CsvColumn> columns;
  size_t rows = 0;
};

/// All columns of a text, in parts. Text columns are complete.
struct CsvColumns {
  std::vector<CsvPart> parts;  ///< at least one
  size_t rows = 0;

  /// The type of a column: never `number` or `any`.
  CsvKind kind(size_t column) const;
};

/// Reads all records from the reader's position on, in at most `threads` threads. Throws CsvError,
/// or CsvWrongField, for the first record with a wrong number of fields or a field of a wrong type.
CsvColumns read_csv_columns(const CsvReader& reader, const std::vector<CsvKind>& kinds,
                            const CsvWords& missing, int threads);

}  // namespace tide
