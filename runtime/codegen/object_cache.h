// Compiled kernels on disk, shared by all processes of the user.
//
// One file per kernel in TIDE_CACHE_DIR, else $XDG_CACHE_HOME/tide, else ~/.cache/tide; the folder
// is used only if it belongs to the user and to nobody else (0700). Files appear by renaming and
// carry a checksum and their whole key. Whatever is wrong with the folder or a file, the answer is
// merely "not there".
//
// The folder holds at most TIDE_CACHE_LIMIT bytes of disk (64M unless set: a number, with K, M or G
// behind it or not; 0: no cache), and a file for each 8 KiB of that. A process that stores looks at
// the folder once in about a 32nd of the limit that it writes, and removes what was not used for
// the longest time until three quarters of the limit are left; so the limit may be passed by a 32nd
// for each process that stores at the time.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

#include "runtime/core/descriptor.h"

namespace tide {

/// How much there is in a cache, and how much there may be.
struct CacheUse {
  int64_t bytes = 0;  ///< of disk
  int64_t files = 0;
};

class ObjectCache {
 public:
  /// Kernels in this folder, which is made if it is not there; none if the path is empty or the
  /// limit (in bytes of disk) 0.
  ObjectCache(const std::string& path, int64_t limit);
  ObjectCache(const ObjectCache&) = delete;

  /// The object stored under `key`; empty if there is none. Thread-safe, as is store.
  std::string load(std::string_view key) const;
  /// Stores `object` under `key`, if that is possible.
  void store(std::string_view key, std::string_view object);

  /// The folder; empty if there is none that can be used.
  const std::string& path() const { return path_; }
  /// Why there is none.
  const std::string& problem() const { return problem_; }
  int64_t limit() const { return limit_; }
  /// What is in the folder now: looks at each of its files.
  CacheUse use() const;

 private:
  void trim_sometimes(int64_t written);

  const int64_t limit_;
  std::string problem_;
  const Descriptor folder_;  ///< held open, so that the folder that was checked is the one used
  const std::string path_;
  std::mutex mutex_;
  int64_t until_trim_;  ///< bytes that may be written before the folder is looked at
};

/// The cache of this user, in the folder and with the limit named above.
ObjectCache& object_cache();

}  // namespace tide
