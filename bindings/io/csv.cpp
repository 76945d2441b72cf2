// Fills the columns of comma-separated values.
#include "bindings/io/csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <unordered_set>
#include <variant>
#include <vector>

#include "bindings/support/arguments.h"
#include "bindings/support/entry.h"
#include "bindings/tensor/tensor_object.h"
#include "runtime/core/dtype.h"
#include "runtime/io/csv/csv.h"
#include "runtime/tensor/transfer.h"

namespace tide::bindings {
namespace {

std::string_view string_at(lua_State* L, int index) {
  size_t size;
  text_at(L, index);
  const char* const text = lua_tolstring(L, index, &size);
  return {text, size};
}

/// The text, place, delimiter and comment that both functions begin with.
CsvReader reader_at(lua_State* L) {
  const std::string_view text = string_at(L, 1), delimiter = string_at(L, 3),
                         comment = lua_isnoneornil(L, 4) ? std::string_view() : string_at(L, 4);
  if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) < 1 || delimiter.size() != 1)
    throw_expected(L, 2, "csv", "a place in the text");
  return {text, delimiter[0], comment.empty() ? '\0' : comment[0],
          static_cast<size_t>(lua_tointeger(L, 2)) - 1};
}

int push_error(lua_State* L, const CsvError& error) {
  lua_pushnil(L);
  lua_pushinteger(L, static_cast<lua_Integer>(error.at) + 1);
  lua_pushlstring(L, error.text.data(), error.text.size());
  return 3;
}

bool is_same_word(std::string_view a, std::string_view lower) {
  return a.size() == lower.size() && std::ranges::equal(a, lower, {}, [](char c) {
           return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
         });
}

/// A whole number, or another one, or neither.
using Value = std::variant<std::monostate, int64_t, double>;

/// The number that a field is. Spaces around it do not matter.
Value number_of(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t"), end = text.find_last_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, end - begin + 1);
  if (text.front() == '+' && text.size() > 1 && text[1] != '-') text.remove_prefix(1);
  const char* const last = text.data() + text.size();
  int64_t whole;
  if (const auto read = std::from_chars(text.data(), last, whole);
      read.ec == std::errc() && read.ptr == last)
    return whole;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (is_same_word(digits, "inf") || is_same_word(digits, "infinity"))
    return text.starts_with('-') ? -HUGE_VAL : HUGE_VAL;
  if (digits.empty() || (digits.front() != '.' && (digits.front() < '0' || digits.front() > '9')))
    return {};
  double number;
  const auto read = std::from_chars(text.data(), last, number);
  if (read.ptr != last) return {};
  if (read.ec == std::errc()) return number;
  // Beyond float64: nothing, or infinite. The first digit that is none of zero tells.
  return std::strtod(std::string(text).c_str(), nullptr);
}

/// What a column may hold: `number` becomes int64 where all its fields are whole, `real` never.
enum class Kind { none, text, number, real, integer, boolean, any };

Kind kind_named(std::string_view name) {
  return name == "text"      ? Kind::text
         : name == "number"  ? Kind::number
         : name == "real"    ? Kind::real
         : name == "integer" ? Kind::integer
         : name == "bool"    ? Kind::boolean
         : name == "any"     ? Kind::any
                             : Kind::none;
}

using Words = std::unordered_set<std::string_view>;

/// A field that is not of its column's kind.
struct WrongField {
  size_t at;
  size_t column;
  std::string field;
};

/// The values of a column as far as they are read.
class Column {
 public:
  Column(Kind kind, const Words& missing) : kind_(kind), missing_(missing) {}

  /// Takes a field; false if it is not of the kind. Columns of any kind take all: they turn out to
  /// be text.
  bool add(const CsvField& field) {
    switch (kind_) {
      case Kind::integer:
        return add_integer(field);
      case Kind::number:
        return (!has_reals_ && add_integer(field)) || add_number(field);
      case Kind::real:
        return add_number(field);
      case Kind::boolean:
        return add_boolean(field);
      case Kind::any:
        add_any(field);
        return true;
      default:
        return true;
    }
  }

  /// Whether its fields have to be read as text.
  bool is_text() const { return kind_ == Kind::text; }
  bool is_wanted() const { return kind_ != Kind::none; }

  Tensor tensor() const {
    if (kind_ == Kind::boolean || is_boolean_) return filled(DType::boolean, booleans_);
    if (kind_ != Kind::real && !has_reals_) return filled(DType::i64, integers_);
    if (kind_ == Kind::real || default_dtype() == DType::f64) return filled(DType::f64, reals_);
    return filled(DType::f32, std::vector<float>(reals_.begin(), reals_.end()));
  }

 private:
  template <class T>
  static Tensor filled(DType type, const std::vector<T>& values) {
    const Shape shape{static_cast<int64_t>(values.size())};
    return record_filled(shape, type, default_device(), [&](std::span<std::byte> elements) {
      if (!values.empty()) std::memcpy(elements.data(), values.data(), elements.size());
    });
  }

  bool add_integer(const CsvField& field) {
    const Value value = missing_.contains(field.text) ? Value() : number_of(field.text);
    if (const auto* whole = std::get_if<int64_t>(&value)) return integers_.push_back(*whole), true;
    return false;
  }

  bool add_number(const CsvField& field) {
    if (!has_reals_) reals_.assign(integers_.begin(), integers_.end());
    has_reals_ = true;
    if (missing_.contains(field.text))
      return reals_.push_back(std::numeric_limits<double>::quiet_NaN()), true;
    const Value value = number_of(field.text);
    if (const auto* whole = std::get_if<int64_t>(&value))
      return reals_.push_back(static_cast<double>(*whole)), true;
    if (const auto* real = std::get_if<double>(&value)) return reals_.push_back(*real), true;
    return false;
  }

  bool add_boolean(const CsvField& field) {
    const bool yes = field.text == "true" || field.text == "True" || field.text == "TRUE";
    const bool no = field.text == "false" || field.text == "False" || field.text == "FALSE";
    if (yes || no) booleans_.push_back(yes);
    return yes || no;
  }

  void add_any(const CsvField& field) {
    if (is_boolean_) {
      if (!add_boolean(field)) become_text();
      return;
    }
    if ((!has_reals_ && add_integer(field)) || add_number(field)) return;
    if (reals_.empty() && add_boolean(field))
      is_boolean_ = true;
    else
      become_text();
  }

  void become_text() {
    kind_ = Kind::text;
    integers_ = {};
    reals_ = {};
    booleans_ = {};
  }

  Kind kind_;
  const Words& missing_;
  bool has_reals_ = false, is_boolean_ = false;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  std::vector<unsigned char> booleans_;
};

/// Calls visit(fields) for all records, which must have `count` fields each.
template <class Visit>
void for_each_record(CsvReader reader, size_t count, const Visit& visit) {
  std::vector<CsvField> fields;
  while (reader.next(fields)) {
    if (fields.size() != count)
      throw CsvError{fields[0].at,
                     std::to_string(fields.size()) + " fields, expected " + std::to_string(count)};
    visit(fields);
  }
}

/// The strings of a set at a stack index, which must stay there.
Words words_at(lua_State* L, int index) {
  Words words;
  if (!lua_istable(L, index)) throw_expected(L, index, "csv", "a set of words");
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) words.insert(string_at(L, -2));
  return words;
}

std::vector<Column> columns_at(lua_State* L, int index, size_t count, const Words& missing) {
  std::vector<Column> columns;
  if (!lua_istable(L, index)) throw_expected(L, index, "csv", "a list of kinds");
  for (size_t c = 1; c <= count; ++c) {
    lua_rawgeti(L, index, static_cast<lua_Integer>(c));
    columns.emplace_back(lua_type(L, -1) == LUA_TSTRING ? kind_named(string_at(L, -1)) : Kind::none,
                         missing);
    lua_pop(L, 1);
  }
  return columns;
}

/// Pushes the list of columns: tensors, and empty lists where there is text.
void push_columns(lua_State* L, const std::vector<Column>& columns, lua_Integer rows) {
  lua_createtable(L, static_cast<int>(columns.size()), 0);
  for (size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c].is_wanted()) {
      lua_pushboolean(L, false);
    } else if (columns[c].is_text()) {
      lua_createtable(L, static_cast<int>(rows), 0);
    } else {
      push_tensor(L, columns[c].tensor());
    }
    lua_rawseti(L, -2, static_cast<lua_Integer>(c) + 1);
  }
}

}  // namespace

int csv_record(lua_State* L) {
  CsvReader reader = reader_at(L);
  std::vector<CsvField> fields;
  try {
    if (!reader.next(fields)) return 0;
  } catch (const CsvError& error) {
    return push_error(L, error);
  }
  lua_createtable(L, static_cast<int>(fields.size()), 0);
  lua_createtable(L, static_cast<int>(fields.size()), 0);
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string value = fields[i].value();
    lua_pushlstring(L, value.data(), value.size());
    lua_rawseti(L, -3, static_cast<lua_Integer>(i) + 1);
    lua_pushinteger(L, static_cast<lua_Integer>(fields[i].at) + 1);
    lua_rawseti(L, -2, static_cast<lua_Integer>(i) + 1);
  }
  lua_pushinteger(L, static_cast<lua_Integer>(reader.at()) + 1);
  return 3;
}

int csv_columns(lua_State* L) {
  const CsvReader reader = reader_at(L);
  const auto count = static_cast<size_t>(luaL_checkinteger(L, 5));
  const Words missing = words_at(L, 7);
  std::vector<Column> columns = columns_at(L, 6, count, missing);
  lua_Integer rows = 0;
  try {
    for_each_record(reader, count, [&](const std::vector<CsvField>& fields) {
      ++rows;
      for (size_t c = 0; c < count; ++c)
        if (!columns[c].add(fields[c])) throw WrongField{fields[c].at, c, fields[c].value()};
    });
  } catch (const CsvError& error) {
    return push_error(L, error);
  } catch (const WrongField& wrong) {
    lua_pushnil(L);
    lua_pushinteger(L, static_cast<lua_Integer>(wrong.at) + 1);
    lua_pushnil(L);
    lua_pushinteger(L, static_cast<lua_Integer>(wrong.column) + 1);
    lua_pushlstring(L, wrong.field.data(), wrong.field.size());
    return 5;
  }
  push_columns(L, columns, rows);
  std::vector<size_t> texts;
  for (size_t c = 0; c < count; ++c)
    if (columns[c].is_wanted() && columns[c].is_text()) texts.push_back(c);
  if (texts.empty()) return 1;
  // Text is read last, as a column may turn out to be text at its end.
  const int list = lua_gettop(L);
  luaL_checkstack(L, static_cast<int>(texts.size()) + 2, "columns");
  for (const size_t c : texts) lua_rawgeti(L, list, static_cast<lua_Integer>(c) + 1);
  lua_Integer row = 0;
  for_each_record(reader, count, [&](const std::vector<CsvField>& fields) {
    ++row;
    for (size_t i = 0; i < texts.size(); ++i) {
      const CsvField& field = fields[texts[i]];
      const std::string value = field.doubled ? field.value() : std::string();
      const std::string_view text = field.doubled ? value : field.text;
      lua_pushlstring(L, text.data(), text.size());
      lua_rawseti(L, list + 1 + static_cast<int>(i), row);
    }
  });
  lua_settop(L, list);
  return 1;
}

}  // namespace tide::bindings
