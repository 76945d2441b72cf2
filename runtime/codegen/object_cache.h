// Compiled kernels on disk, shared by all processes of the user.
//
// One file per kernel in TIDE_CACHE_DIR, else $XDG_CACHE_HOME/tide, else ~/.cache/tide; the folder
// is used only if it belongs to the user and to nobody else (0700). Files appear by renaming, carry
// a checksum and their whole key, and are bounded in total size. Whatever is wrong with the folder
// or a file, the answer is merely "not there".
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace tide {

class ObjectCache {
 public:
  /// Kernels in this folder, which is made if it is not there; none if the path is empty.
  explicit ObjectCache(const std::string& path);
  ObjectCache(const ObjectCache&) = delete;
  ~ObjectCache();

  /// The object stored under `key`; empty if there is none. Thread-safe, as is store.
  std::string load(std::string_view key) const;
  /// Stores `object` under `key`, if that is possible.
  void store(std::string_view key, std::string_view object);

 private:
  void trim_sometimes(size_t written);

  int folder_;  ///< held open, so that the folder that was checked is the one used; -1: none
  std::mutex mutex_;
  int64_t until_trim_ = 0;  ///< bytes that may be written before the folder's size is looked at
};

/// The cache of this user, in the folder named above.
ObjectCache& object_cache();

}  // namespace tide
