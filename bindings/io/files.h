// Functions on files and folders for the library's Lua files.
#pragma once

#include <lua5.4/lua.hpp>
#include <span>

namespace tide::bindings {

/// Fields of "tide.native":
/// - make_folders(path): creates a folder and its parents; false if it already existed.
/// - list_folder(path): two lists, the names in it, sorted by bytes, and their kinds: "file",
///   "folder" or "other". A link has the kind of its target.
/// - file_kind(path): the kind, and the size of a file; nil if it does not exist.
/// - read_bytes(path, limit): the bytes of a file as a uint8 tensor of the cpu, unpacked if gzip
///   packed them. More than `limit` are an error, before memory is taken for them.
/// - md5(path): the MD5 sum of a file in hexadecimal digits.
/// - write_file(path, text): replaces a file atomically.
/// - read_embedded(path): the text of a file of the library, nothing if it does not exist.
/// - list_embedded(prefix): the sorted paths of the library's files that begin with `prefix`.
/// - find_in_embedded(folder, text): those in the folder that contain `text`.
/// Their errors begin with the path, and they respect the sandbox.
std::span<const luaL_Reg> file_functions();

}  // namespace tide::bindings
