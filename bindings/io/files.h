// Functions on files and folders for the library's own Lua files.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of "tide.native":
/// - make_folders(path): makes a folder and those above it; false if it was there before.
/// - list_folder(path): two lists, the names in it, sorted by their bytes, and their kinds: "file",
///   "folder" or "other". A link has the kind of what it leads to.
/// - file_kind(path): the kind, and of a file its size; nil if nothing is there.
/// - read_bytes(path, limit): the bytes of a file as a uint8 tensor of the cpu, unpacked if gzip
/// packed
///   them. More than `limit` are an error, before memory is taken for them.
/// - md5(path): the MD5 sum of a file in hexadecimal digits.
/// They raise what goes wrong with the path in front, and obey the sandbox.
std::span<const luaL_Reg> file_functions();

}  // namespace tide::bindings
