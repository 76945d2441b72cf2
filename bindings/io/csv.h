// Reads comma-separated values for the library's Lua files.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of "tide.native":
/// - csv_text(path): the text of a file, decompressed if it is gzip-compressed, accepted by the
/// other
///   functions like a string; tostring(text) is that string.
/// - csv_record(text, at, delimiter, comment?): the fields of the record at byte `at`, from 1,
/// their
///   byte positions, and the position after the record; nil at the end, or nil, a byte position and
///   an error.
/// - csv_columns(text, at, delimiter, comment?, count, kinds, missing): the columns of all records
///   from byte `at` on, each of `count` fields. `kinds` lists for each column "" (skipped), "text",
///   "number", "integer", "bool" or "any" (inferred from its fields). `missing` is a set of words
///   for nan in number columns. Returns a list with a tensor or a list of strings per column; or
///   nil, a byte position, an error, and for a field of the wrong kind the column and the field.
std::span<const luaL_Reg> csv_functions();

/// Creates the metatable of these texts.
void open_csv_text(lua_State* L);

}  // namespace tide::bindings
