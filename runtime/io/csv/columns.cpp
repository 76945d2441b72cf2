// Parses fields as numbers and booleans, column by column.
#include "runtime/io/csv/columns.h"

#include <locale.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <limits>
#include <span>
#include <utility>
#include <variant>

namespace tide {
namespace {

bool is_same_word(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && std::ranges::equal(a, lower, {}, [](char c) {
           return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
         });
}

/// An integer, a real number, or neither. Returned in registers, unlike a std::variant.
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

/// Eight or sixteen characters, the first one in the lowest byte.
using Eight = uint64_t;
using Sixteen = unsigned __int128;

template <class Letters>
constexpr Letters all_letters(char letter) {
  return ~Letters{0} / 255 * static_cast<unsigned char>(letter);
}

template <class Letters>
Letters letters_at(const char* text) {
  Letters letters;
  std::memcpy(&letters, text, sizeof letters);
  return letters;
}

/// Up to eight characters, right-aligned in eight, zero-padded, by two overlapping reads.
Eight last_of_eight(std::string_view text) {
  const size_t size = text.size();
  const char *const begin = text.data(), *const end = begin + size;
  const auto at = [](Eight letters, size_t place) { return letters << (8 * place); };
  if (size == sizeof(Eight)) return letters_at<Eight>(begin);
  const size_t in_front = sizeof(Eight) - size;
  if (size >= 4)
    return at(letters_at<uint32_t>(begin), in_front) | at(letters_at<uint32_t>(end - 4), 4);
  return at(letters_at<uint8_t>(begin), in_front) |
         at(letters_at<uint8_t>(begin + size / 2), in_front + size / 2) |
         at(letters_at<uint8_t>(end - 1), 7);
}

/// Nine to sixteen characters, right-aligned in sixteen.
Sixteen last_of_sixteen(std::string_view text) {
  const Eight low = letters_at<Eight>(text.data()) << (8 * (sizeof(Sixteen) - text.size()));
  return Sixteen{letters_at<Eight>(text.data() + text.size() - sizeof(Eight))} << 64 | low;
}

int64_t number_of_digits(Eight digits) {
  digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FF;
  digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFF;
  return static_cast<int64_t>((digits * 10000 + (digits >> 32)) & 0xFFFFFFFF);
}

int64_t number_of_digits(Sixteen digits) {
  return number_of_digits(static_cast<Eight>(digits)) * 100'000'000 +
         number_of_digits(static_cast<Eight>(digits >> 64));
}

int lowest_bit(Eight bits) { return std::countr_zero(bits); }
int lowest_bit(Sixteen bits) {
  const auto low = static_cast<Eight>(bits), high = static_cast<Eight>(bits >> 64);
  return low ? std::countr_zero(low) : 64 + std::countr_zero(high);
}

/// Parses the last `size` letters in parallel: digits with an optional decimal point, if a float64
/// represents both the digits and the power of ten exactly: their quotient is rounded once (W.
/// Clinger, "How to Read Floating Point Numbers Accurately", 1990).
template <class Letters>
Value number_of_letters(Letters letters, size_t size, bool negative) {
  static constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr int64_t kExact = int64_t{1} << std::numeric_limits<double>::digits;
  constexpr Letters kHighBits = all_letters<Letters>('\x80');
  const Letters given = ~Letters{0} << (8 * (sizeof(Letters) - size));
  Letters digits = (letters ^ all_letters<Letters>('0')) & given;
  // The decimal point is the lowest zero byte of the difference to it.
  const Letters others = digits ^ all_letters<Letters>('0' ^ '.');
  const Letters points = (others - all_letters<Letters>(1)) & ~others & kHighBits;
  size_t decimals = 0;
  if (points) {
    if (size == 1) return {};
    const int place = lowest_bit(points) / 8 * 8;
    const Letters in_front = digits & ((Letters{1} << place) - 1);
    digits = (digits >> place >> 8 << place << 8) | in_front << 8;
    decimals = sizeof(Letters) - 1 - place / 8;
  }
  if ((digits | (digits + all_letters<Letters>(0x80 - 10))) & kHighBits) return {};
  const int64_t number = number_of_digits(digits);
  if (!points) return Value(negative ? -number : number);
  if (number > kExact) return {};
  const double value = static_cast<double>(number) / kPowers[decimals];
  return Value(std::copysign(value, negative ? -1.0 : 1.0));
}

/// Parses numbers in the most common forms; nothing for all others.
Value short_number_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  text.remove_prefix(negative);
  if (text.empty() || text.size() > sizeof(Sixteen)) return {};
  if (text.size() <= sizeof(Eight))
    return number_of_letters(last_of_eight(text), text.size(), negative);
  return number_of_letters(last_of_sixteen(text), text.size(), negative);
}

/// Parses a field as a number, ignoring spaces around it.
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
  // Out of the range of float64: zero or infinite, which strtod distinguishes.
  static const locale_t plain = newlocale(LC_NUMERIC_MASK, "C", nullptr);
  return Value(strtod_l(std::string(text).c_str(), nullptr, plain));
}

/// Calls visit(fields) for all records from the reader's position on. Throws CsvError for a record
/// that does not have `count` fields.
template <class Visit>
void for_each_record(CsvReader reader, size_t count, const Visit& visit) {
  std::vector<CsvField> fields;
  while (reader.next(fields)) {
    if (fields.size() != count)
      throw CsvError{fields[0].at,
                     std::to_string(fields.size()) + " fields, expected " + std::to_string(count)};
    visit(fields, reader);
  }
}

/// The result of reading a part, and the error that stopped it, if any.
struct ReadPart {
  CsvPart part;
  std::variant<std::monostate, CsvError, CsvWrongField> problem;
};

ReadPart read_part(const CsvReader& reader, const std::vector<CsvKind>& kinds,
                   const CsvWords& missing) {
  constexpr size_t kSample = 256;  // rows whose lengths are used to estimate the total number
  ReadPart result{{reader, {}}, {}};
  CsvPart& part = result.part;
  for (const CsvKind kind : kinds) part.columns.emplace_back(kind);
  try {
    for_each_record(reader, kinds.size(),
                    [&](const std::vector<CsvField>& fields, const CsvReader& now) {
                      for (size_t c = 0; c < kinds.size(); ++c)
                        if (!part.columns[c].add(fields[c].text, missing))
                          throw CsvWrongField{fields[c].at, c, fields[c].value()};
                      if (++part.rows != kSample) return;
                      const size_t left = now.size() - now.at(), sampled = now.at() - reader.at();
                      for (CsvColumn& column : part.columns)
                        column.reserve(kSample + left / sampled * kSample * 17 / 16);
                    });
  } catch (const CsvError& error) {
    result.problem = error;
  } catch (const CsvWrongField& wrong) {
    result.problem = wrong;
  }
  return result;
}

}  // namespace

bool CsvColumn::add(std::string_view field, const CsvWords& missing) {
  switch (kind_) {
    case CsvKind::none:
      return true;
    case CsvKind::text:
      texts_.push_back(field);
      return true;
    case CsvKind::boolean:
      return add_boolean(field);
    case CsvKind::any:
      if (!is_boolean_ && add_number(field, missing)) return true;
      is_boolean_ = integers_.empty() && reals_.empty() && add_boolean(field);
      if (is_boolean_) return true;
      become_text({});
      texts_.push_back(field);
      return true;
    default:
      return add_number(field, missing);
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
    case CsvKind::text:
      return texts_.reserve(count);
    default:
      return;
  }
}

CsvKind CsvColumn::kind() const {
  if (kind_ != CsvKind::any && kind_ != CsvKind::number) return kind_;
  return is_boolean_ ? CsvKind::boolean : has_reals_ ? CsvKind::real : CsvKind::integer;
}

bool CsvColumn::add_number(std::string_view field, const CsvWords& missing) {
  const Value value =
      missing.contains(field) ? Value(std::numeric_limits<double>::quiet_NaN()) : number_of(field);
  if (value.is == Value::Is::whole && !has_reals_) {
    integers_.push_back(value.whole);
    return true;
  }
  if (value.is == Value::Is::neither || kind_ == CsvKind::integer) return false;
  if (!has_reals_) reals_.assign(integers_.begin(), integers_.end());
  has_reals_ = true;
  reals_.push_back(value.is == Value::Is::whole ? static_cast<double>(value.whole) : value.real);
  return true;
}

bool CsvColumn::add_boolean(std::string_view field) {
  const bool yes = field == "true" || field == "True" || field == "TRUE";
  const bool no = field == "false" || field == "False" || field == "FALSE";
  if (yes || no) booleans_.push_back(yes);
  return yes || no;
}

void CsvColumn::become_text(std::span<const std::string_view> earlier) {
  kind_ = CsvKind::text;
  integers_ = {};
  reals_ = {};
  booleans_ = {};
  texts_.insert(texts_.begin(), earlier.begin(), earlier.end());
}

CsvKind CsvColumns::kind(size_t column) const {
  CsvKind kind = parts[0].columns[column].kind();
  for (const CsvPart& part : parts) {
    const CsvKind own = part.columns[column].kind();
    const bool both_numbers = (own == CsvKind::real && kind == CsvKind::integer) ||
                              (own == CsvKind::integer && kind == CsvKind::real);
    if (own != kind) kind = both_numbers ? CsvKind::real : CsvKind::text;
  }
  return kind;
}

namespace {

/// Reads fields of text columns again that a part has parsed as numbers.
void complete_texts(CsvPart& part, const CsvColumns& all) {
  std::vector<std::string_view> earlier;
  std::vector<CsvField> fields;
  for (size_t c = 0; c < part.columns.size(); ++c) {
    if (all.kind(c) != CsvKind::text) continue;
    const size_t count = part.rows - part.columns[c].texts().size();
    CsvReader reader = part.reader;
    for (earlier.clear(); earlier.size() < count; earlier.push_back(fields[c].text))
      reader.next(fields);
    part.columns[c].become_text(earlier);
  }
}

}  // namespace

CsvColumns read_csv_columns(const CsvReader& reader, const std::vector<CsvKind>& kinds,
                            const CsvWords& missing, int threads) {
  constexpr size_t kLeastPart = 1 << 20;  // bytes worth a thread
  const size_t worth = (reader.size() - reader.at()) / kLeastPart;
  const std::vector<CsvReader> readers =
      reader.divided(std::min(static_cast<size_t>(threads), worth));
  std::vector<std::future<ReadPart>> others;
  // If no thread is available for a part, it is read when its result is needed.
  for (size_t i = 1; i < readers.size(); ++i)
    others.push_back(std::async(std::launch::async | std::launch::deferred, read_part,
                                std::cref(readers[i]), std::cref(kinds), std::cref(missing)));
  CsvColumns all;
  const auto take = [&](ReadPart read) {
    if (const auto* error = std::get_if<CsvError>(&read.problem)) throw *error;
    if (const auto* wrong = std::get_if<CsvWrongField>(&read.problem)) throw *wrong;
    // A part without rows does not determine the types.
    if (all.rows == 0) all.parts.clear();
    if (read.part.rows == 0 && !all.parts.empty()) return;
    all.rows += read.part.rows;
    all.parts.push_back(std::move(read.part));
  };
  take(read_part(readers[0], kinds, missing));
  for (auto& other : others) take(other.get());
  for (CsvPart& part : all.parts) complete_texts(part, all);
  return all;
}

}  // namespace tide
