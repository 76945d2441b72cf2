// Fills the columns of comma-separated values.
#include "bindings/io/csv.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/objects/tensor_object.h"
#include "bindings/ops/typed_function.h"
#include "bindings/support/arguments.h"
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

/// A reader of a string or a CsvText from byte `at` on.
CsvReader reader_of(lua_State* L, Value source, int64_t at, std::string_view delimiter,
                    std::optional<std::string_view> comment) {
  const CsvText* const file = find<CsvText>(L, source.index);
  const std::string_view text = file ? file->text() : string_at(L, source.index);
  if (at < 1 || delimiter.size() != 1) throw_expected(L, 2, "csv", "a position in the text");
  return {text, delimiter[0], comment && !comment->empty() ? (*comment)[0] : '\0',
          static_cast<size_t>(at) - 1};
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

/// The strings of a set, which must remain on the stack.
CsvWords words_of(lua_State* L, Table set) {
  CsvWords words;
  for (lua_pushnil(L); lua_next(L, set.index); lua_pop(L, 1))
    if (lua_type(L, -2) == LUA_TSTRING) words.insert(string_at(L, -2));
  return words;
}

std::vector<CsvKind> kinds_of(lua_State* L, Table list, size_t count) {
  std::vector<CsvKind> kinds;
  for (size_t c = 1; c <= count; ++c) {
    lua_rawgeti(L, list.index, static_cast<lua_Integer>(c));
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

CsvText text_of_file(const std::string& path) { return {read_packed_file(path, INT64_MAX)}; }

int csv_record(lua_State* L, Value text, int64_t at, std::string_view delimiter,
               std::optional<std::string_view> comment) {
  CsvReader reader = reader_of(L, text, at, delimiter, comment);
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

int csv_columns(lua_State* L, Value text, int64_t at, std::string_view delimiter,
                std::optional<std::string_view> comment, int64_t count, Table list, Table missing) {
  const CsvReader reader = reader_of(L, text, at, delimiter, comment);
  const std::vector<CsvKind> kinds = kinds_of(L, list, static_cast<size_t>(count));
  CsvColumns columns;
  try {
    columns = read_csv_columns(reader, kinds, words_of(L, missing), engine::threads());
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

}  // namespace

std::span<const luaL_Reg> csv_functions() {
  static constexpr luaL_Reg functions[] = {
      kNative<text_of_file, "csv_text", "path">,
      kNative<csv_record, "csv_record", "text, at, delimiter, comment?">,
      kNative<csv_columns, "csv_columns", "text, at, delimiter, comment?, count, kinds, missing">,
  };
  return functions;
}

void open_csv_text(lua_State* L) {
  constexpr luaL_Reg metamethods[] = {{"__tostring", guard<push_string>}, {nullptr, nullptr}};
  constexpr luaL_Reg methods[] = {{nullptr, nullptr}};
  open_class<CsvText>(L, metamethods, methods);
  lua_pop(L, 1);
}

}  // namespace tide::bindings
