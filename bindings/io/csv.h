// Columns of comma-separated values for the library's own files.
#pragma once

#include <lua5.4/lua.hpp>

namespace tide::bindings {

/// csv_text(path): the text of a file, unpacked if gzip has packed it, which the other functions
/// take like a string; tostring(text) is that string.
int csv_text(lua_State* L);

/// Makes the class of such texts.
void open_csv_text(lua_State* L);

/// csv_record(text, at, delimiter, comment): the fields of the record at byte `at` from 1, the
/// bytes at which they begin, and the place after it; nil at the end, or nil, a byte and what is
/// wrong there.
int csv_record(lua_State* L);

/// csv_columns(text, at, delimiter, comment, count, kinds, missing): the columns of all records
/// from byte `at` on, each of `count` fields. `kinds` lists for each column "" (left out), "text",
/// "number", "integer", "bool" or "any", which is what all of its fields are: numbers of one kind,
/// words true and false, or text. `missing` is a set of words that stand for nan in columns of
/// numbers. A list with a tensor or a list of strings for each; or nil, a byte, what is wrong
/// there, and for a field that is not of its column's kind the column and the field.
int csv_columns(lua_State* L);

}  // namespace tide::bindings
