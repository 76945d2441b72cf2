// Fills the columns of comma-separated values.
#include "bindings/io/csv.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/objects/tensor_object.h"
#include "bindings/support/arguments.h"
#include "bindings/support/entry.h"
#include "bindings/support/object.h"
#include "runtime/io/csv/columns.h"
#include "runtime/io/packed_file.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/dtype.h"

namespace tide::bindings {

/// The text of a file.
struct CsvText {
  HostArray bytes;

  /// Without a UTF-8 byte order mark.
  std::string_view text() const {
    const std::string_view all = bytes.text();
    return all.substr(all.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  }
};
template <>
constexpr ClassInfo kClass<CsvText>{"csv text"};

namespace {

std::string_view string_at(lua_State* L, int index) {
  size_t size;
  text_at(L, index);
  const char* const text = lua_tolstring(L, index, &size);
  return {text, size};
}

/// Reads the first arguments of both functions: text, position, delimiter and comment.
CsvReader reader_at(lua_State* L) {
  const CsvText* const file = find<CsvText>(L, 1);
  const std::string_view text = file ? file->text() : string_at(L, 1), delimiter = string_at(L, 3),
                         comment = lua_isnoneornil(L, 4) ? std::string_view() : string_at(L, 4);
  if (!lua_isinteger(L, 2) || lua_tointeger(L, 2) < 1 || delimiter.size() != 1)
    throw_expected(L, 2, "csv", "a position in the text");
  return {text, delimiter[0], comment.empty() ? '\0' : comment[0],
          static_cast<size_t>(lua_tointeger(L, 2)) - 1};
}

int push_error(lua_State* L, const CsvError& error) {
  lua_pushnil(L);
  lua_pushinteger(L, static_cast<lua_Integer>(error.at) + 1);
  lua_pushlstring(L, error.text.data(), error.text.size());
  return 3;
}

CsvKind kind_named(std::string_view name) {
  return name == "text"      ? CsvKind::text
         : name == "number"  ? CsvKind::number
         : name == "real"    ? CsvKind::real
         : name == "integer" ? CsvKind::integer
         : name == "bool"    ? CsvKind::boolean
         : name == "any"     ? CsvKind::any
                             : CsvKind::none;
}

/// The strings of a set at a stack index, where it must remain.
CsvWords words_at(lua_State* L, int index) {
  CsvWords words;
  if (!lua_istable(L, index)) throw_expected(L, index, "csv", "a set of words");
  for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) words.insert(string_at(L, -2));
  return words;
}

std::vector<CsvKind> kinds_at(lua_State* L, int index, size_t count) {
  std::vector<CsvKind> kinds;
  if (!lua_istable(L, index)) throw_expected(L, index, "csv", "a list of kinds");
  for (size_t c = 1; c <= count; ++c) {
    lua_rawgeti(L, index, static_cast<lua_Integer>(c));
    kinds.push_back(lua_type(L, -1) == LUA_TSTRING ? kind_named(string_at(L, -1)) : CsvKind::none);
    lua_pop(L, 1);
  }
  return kinds;
}

template <class T>
Tensor filled(DType type, const CsvColumns& columns, size_t c) {
  const Shape shape{static_cast<int64_t>(columns.rows)};
  return record_filled(shape, type, default_device(), [&](std::span<std::byte> elements) {
    T* to = reinterpret_cast<T*>(elements.data());
    for (const CsvPart& part : columns.parts) to = part.columns[c].copy(to);
  });
}

/// A column that is not text: of the default type if its kind was inferred, float64 if it was
/// requested.
Tensor column_tensor(const CsvColumns& columns, size_t c, CsvKind wanted) {
  const CsvKind kind = columns.kind(c);
  if (kind == CsvKind::boolean) return filled<bool>(DType::boolean, columns, c);
  if (kind == CsvKind::integer) return filled<int64_t>(DType::i64, columns, c);
  if (wanted == CsvKind::real || default_dtype() == DType::f64)
    return filled<double>(DType::f64, columns, c);
  return filled<float>(DType::f32, columns, c);
}

/// Pushes the list of a column's texts.
void push_texts(lua_State* L, const CsvColumns& columns, size_t c) {
  lua_createtable(L, static_cast<int>(columns.rows), 0);
  lua_Integer row = 0;
  for (const CsvPart& part : columns.parts) {
    for (const std::string_view text : part.columns[c].texts()) {
      if (text.find('"') == std::string_view::npos) {
        lua_pushlstring(L, text.data(), text.size());
      } else {
        const std::string value = CsvField{text}.value();
        lua_pushlstring(L, value.data(), value.size());
      }
      lua_rawseti(L, -2, ++row);
    }
  }
}

/// Pushes the list of columns: tensors, and lists of strings.
void push_columns(lua_State* L, const CsvColumns& columns, const std::vector<CsvKind>& kinds) {
  lua_createtable(L, static_cast<int>(kinds.size()), 0);
  for (size_t c = 0; c < kinds.size(); ++c) {
    if (kinds[c] == CsvKind::none) {
      lua_pushboolean(L, false);
    } else if (columns.kind(c) == CsvKind::text) {
      push_texts(L, columns, c);
    } else {
      push_tensor(L, column_tensor(columns, c, kinds[c]));
    }
    lua_rawseti(L, -2, static_cast<lua_Integer>(c) + 1);
  }
}

int push_string(lua_State* L) {
  const std::string_view text = check<CsvText>(L, 1, "tostring").text();
  lua_pushlstring(L, text.data(), text.size());
  return 1;
}

}  // namespace

int csv_text(lua_State* L) {
  push_object<CsvText>(L, {read_packed_file(std::string(string_at(L, 1)), INT64_MAX)});
  return 1;
}

void open_csv_text(lua_State* L) {
  constexpr luaL_Reg metamethods[] = {{"__tostring", guard<push_string>}, {nullptr, nullptr}};
  constexpr luaL_Reg methods[] = {{nullptr, nullptr}};
  open_class<CsvText>(L, metamethods, methods);
  lua_pop(L, 1);
}

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
  const std::vector<CsvKind> kinds = kinds_at(L, 6, count);
  CsvColumns columns;
  try {
    columns = read_csv_columns(reader, kinds, words_at(L, 7), engine::threads());
  } catch (const CsvError& error) {
    return push_error(L, error);
  } catch (const CsvWrongField& wrong) {
    lua_pushnil(L);
    lua_pushinteger(L, static_cast<lua_Integer>(wrong.at) + 1);
    lua_pushnil(L);
    lua_pushinteger(L, static_cast<lua_Integer>(wrong.column) + 1);
    lua_pushlstring(L, wrong.field.data(), wrong.field.size());
    return 5;
  }
  push_columns(L, columns, kinds);
  return 1;
}

}  // namespace tide::bindings
