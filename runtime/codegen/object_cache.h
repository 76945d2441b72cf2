// Compiled kernels on disk, shared by all processes of the user.
//
// One file per kernel in TIDE_CACHE_DIR, else $XDG_CACHE_HOME/tide, else ~/.cache/tide. The folder
// is used only if the user owns it and others have no access (0700). Files are renamed into place
// and contain a checksum and their entire key. Any problem with the folder or a file counts as a
// cache miss.
//
// The folder holds at most TIDE_CACHE_LIMIT bytes of disk (default 64M; a number, optionally with
// K, M or G; 0 disables the cache) and one file per 8 KiB of that. A process scans the folder each
// time it has written about a 32nd of the limit, and removes the least recently used files until
// three quarters of the limit remain. Each process that stores kernels may thus exceed the limit by
// a 32nd.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/os/descriptor.h"

namespace tide {

/// Disk use of a cache.
struct CacheUse {
  int64_t bytes = 0;  ///< allocated on disk
  int64_t files = 0;
};

class ObjectCache {
 public:
  /// Kernels in this folder, which is created if missing. The cache is disabled if the path is
  /// empty or the limit (in bytes of disk) is 0.
  ObjectCache(const std::string& path, int64_t limit);
  ObjectCache(const ObjectCache&) = delete;

  /// The object stored under `key`; empty if there is none. Thread-safe, as is store.
  std::string load(std::string_view key) const;
  /// Stores `object` under `key`, if possible.
  void store(std::string_view key, std::string_view object);

  /// The folder; empty if none is usable.
  const std::string& path() const { return path_; }
  /// Why no folder is usable.
  const std::string& problem() const { return problem_; }
  int64_t limit() const { return limit_; }
  /// Scans the folder for its current use.
  CacheUse use() const;

 private:
  void trim_sometimes(int64_t written);

  const int64_t limit_;
  std::string problem_;
  const Descriptor folder_;  ///< kept open, so that the folder in use is the one that was checked
  const std::string path_;
  std::mutex mutex_;
  int64_t until_trim_;  ///< bytes that may be written before the next scan
};

/// The user's cache, with the folder and limit described above.
ObjectCache& object_cache();

}  // namespace tide
