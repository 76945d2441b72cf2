// Compiled kernels on disk, shared by all processes of the user.
//
// One file per kernel in TIDE_CACHE_DIR, else $XDG_CACHE_HOME/tide, else ~/.cache/tide; the folder
// is used only if it belongs to the user and to nobody else (0700). Files appear by renaming, carry
// a checksum and their whole key, and are bounded in total size. Whatever is wrong with the folder
// or a file, the answer is merely "not there".
#pragma once

#include <string>
#include <string_view>

namespace tide {

/// The object stored under `key`; empty if there is none.
std::string load_cached_object(std::string_view key);

/// Stores `object` under `key`, if that is possible.
void store_cached_object(std::string_view key, std::string_view object);

}  // namespace tide
