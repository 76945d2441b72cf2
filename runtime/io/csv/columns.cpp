// Reads fields as numbers and booleans, column by column.
#include "runtime/io/csv/columns.h"

#include <locale.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <future>
#include <limits>
#include <utility>
#include <variant>

namespace tide {
namespace {

bool is_same_word(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && std::ranges::equal(a, lower, {}, [](char c) {
           return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
         });
}

/// A whole number, or another one, or neither. Returned in registers, unlike a std::variant.
struct Value {
  enum class Is : unsigned char { neither, whole, real };

  Value() : whole(0) {}
  explicit Value(int64_t number) : is(Is::whole), whole(number) {}
  explicit Value(double number) : is(Is::real), real(number) {}

  Is is = Is::neither;
  union {
    int64_t whole;
    double real;
  };
};

/// Digits with a point or without one, of which a float64 holds both the digits and the power of
/// ten: their quotient is rounded once (W. Clinger, "How to Read Floating Point Numbers
/// Accurately", 1990). Of all else nothing.
Value short_number_of(std::string_view text) {
  static constexpr double kPowers[] = {1e0, 1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,
                                       1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17};
  constexpr size_t kMostLetters = 18;  // with the point: the digits fit int64
  constexpr int64_t kExact = int64_t{1} << std::numeric_limits<double>::digits;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text.empty() || text.size() > kMostLetters) return {};
  int64_t number = 0;
  size_t point = text.size();  // its place; there is none yet
  for (size_t i = 0; i < text.size(); ++i) {
    const int digit = text[i] - '0';
    if (digit >= 0 && digit <= 9)
      number = 10 * number + digit;
    else if (text[i] == '.' && point == text.size())
      point = i;
    else
      return {};
  }
  if (point == text.size()) return Value(negative ? -number : number);
  if (text.size() == 1 || number > kExact) return {};
  const double value = static_cast<double>(number) / kPowers[text.size() - 1 - point];
  return Value(std::copysign(value, negative ? -1.0 : 1.0));
}

/// The number that a field is. Spaces around it do not matter.
Value number_of(std::string_view text) {
  if (const Value value = short_number_of(text); value.is != Value::Is::neither) return value;
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, end - begin + 1);
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const char* const last = text.data() + text.size();
  int64_t whole;
  if (const auto read = std::from_chars(text.data(), last, whole);
      read.ec == std::errc() && read.ptr == last)
    return Value(whole);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (is_same_word(digits, "inf") || is_same_word(digits, "infinity"))
    return Value(text.starts_with('-') ? -HUGE_VAL : HUGE_VAL);
  if (digits.empty() || (digits.front() != '.' && (digits.front() < '0' || digits.front() > '9')))
    return {};
  double number;
  const auto read = std::from_chars(text.data(), last, number);
  if (read.ptr != last) return {};
  if (read.ec == std::errc()) return Value(number);
  // Beyond float64: nothing, or infinite. The first digit that is none of zero tells.
  static const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", nullptr);
  return Value(strtod_l(std::string(text).c_str(), nullptr, plain));
}

/// One part of the text: its columns, and what ended it before its end.
struct Part {
  std::vector<CsvColumn> columns;
  size_t rows = 0;
  std::variant<std::monostate, CsvError, CsvWrongField> problem;
};

Part read_part(const CsvReader& reader, const std::vector<CsvKind>& kinds,
               const CsvWords& missing) {
  constexpr size_t kSample = 256;  // rows from whose lengths the number of all is estimated
  Part part;
  for (const CsvKind kind : kinds) part.columns.emplace_back(kind);
  try {
    for_each_record(reader, kinds.size(),
                    [&](const std::vector<CsvField>& fields, const CsvReader& now) {
                      for (size_t c = 0; c < kinds.size(); ++c)
                        if (!part.columns[c].add(fields[c], missing))
                          throw CsvWrongField{fields[c].at, c, fields[c].value()};
                      if (++part.rows != kSample) return;
                      const size_t left = now.size() - now.at(), sampled = now.at() - reader.at();
                      for (CsvColumn& column : part.columns)
                        column.reserve(kSample + left / sampled * kSample * 17 / 16);
                    });
  } catch (const CsvError& error) {
    part.problem = error;
  } catch (const CsvWrongField& wrong) {
    part.problem = wrong;
  }
  return part;
}

}  // namespace

bool CsvColumn::add(const CsvField& field, const CsvWords& missing) {
  switch (kind_) {
    case CsvKind::integer:
      return add_integer(field, missing);
    case CsvKind::number:
      return (!has_reals_ && add_integer(field, missing)) || add_number(field, missing);
    case CsvKind::real:
      return add_number(field, missing);
    case CsvKind::boolean:
      return add_boolean(field);
    case CsvKind::any:
      add_any(field, missing);
      return true;
    default:
      return true;
  }
}

void CsvColumn::reserve(size_t count) {
  switch (kind()) {
    case CsvKind::boolean:
      return booleans_.reserve(count);
    case CsvKind::real:
      return reals_.reserve(count);
    case CsvKind::integer:
      return integers_.reserve(count);
    default:
      return;
  }
}

CsvKind CsvColumn::kind() const {
  if (kind_ != CsvKind::any && kind_ != CsvKind::number) return kind_;
  return is_boolean_ ? CsvKind::boolean : has_reals_ ? CsvKind::real : CsvKind::integer;
}

bool CsvColumn::add_integer(const CsvField& field, const CsvWords& missing) {
  const Value value = missing.contains(field.text) ? Value() : number_of(field.text);
  if (value.is != Value::Is::whole) return false;
  integers_.push_back(value.whole);
  return true;
}

bool CsvColumn::add_number(const CsvField& field, const CsvWords& missing) {
  const bool is_missing = missing.contains(field.text);
  const Value value =
      is_missing ? Value(std::numeric_limits<double>::quiet_NaN()) : number_of(field.text);
  if (value.is == Value::Is::neither) return false;
  if (!has_reals_) reals_.assign(integers_.begin(), integers_.end());
  has_reals_ = true;
  reals_.push_back(value.is == Value::Is::whole ? static_cast<double>(value.whole) : value.real);
  return true;
}

bool CsvColumn::add_boolean(const CsvField& field) {
  const bool yes = field.text == "true" || field.text == "True" || field.text == "TRUE";
  const bool no = field.text == "false" || field.text == "False" || field.text == "FALSE";
  if (yes || no) booleans_.push_back(yes);
  return yes || no;
}

void CsvColumn::add_any(const CsvField& field, const CsvWords& missing) {
  if (!is_boolean_ && ((!has_reals_ && add_integer(field, missing)) || add_number(field, missing)))
    return;
  const bool has_numbers = !integers_.empty() || !reals_.empty();
  is_boolean_ = !has_numbers && add_boolean(field);
  if (!is_boolean_) become_text();
}

void CsvColumn::become_text() {
  kind_ = CsvKind::text;
  integers_ = {};
  reals_ = {};
  booleans_ = {};
}

CsvKind CsvColumns::kind(size_t column) const {
  CsvKind kind = parts[0][column].kind();
  for (const auto& part : parts) {
    const CsvKind own = part[column].kind();
    const bool both_numbers = (own == CsvKind::real && kind == CsvKind::integer) ||
                              (own == CsvKind::integer && kind == CsvKind::real);
    if (own != kind) kind = both_numbers ? CsvKind::real : CsvKind::text;
  }
  return kind;
}

CsvColumns read_csv_columns(const CsvReader& reader, const std::vector<CsvKind>& kinds,
                            const CsvWords& missing, int threads) {
  constexpr size_t kLeastPart = 1 << 20;  // bytes that are worth a thread
  const size_t worth = (reader.size() - reader.at()) / kLeastPart;
  const std::vector<CsvReader> readers =
      reader.divided(std::min(static_cast<size_t>(threads), worth));
  std::vector<std::future<Part>> others;
  // A part that no thread can be had for is read when it is asked for.
  for (size_t i = 1; i < readers.size(); ++i)
    others.push_back(std::async(std::launch::async | std::launch::deferred, read_part,
                                std::cref(readers[i]), std::cref(kinds), std::cref(missing)));
  CsvColumns all;
  const auto take = [&](Part part) {
    if (const auto* error = std::get_if<CsvError>(&part.problem)) throw *error;
    if (const auto* wrong = std::get_if<CsvWrongField>(&part.problem)) throw *wrong;
    // Without rows a part says nothing of the kinds.
    if (all.rows == 0) all.parts.clear();
    if (part.rows == 0 && !all.parts.empty()) return;
    all.rows += part.rows;
    all.parts.push_back(std::move(part.columns));
  };
  take(read_part(readers[0], kinds, missing));
  for (auto& other : others) take(other.get());
  return all;
}

}  // namespace tide
