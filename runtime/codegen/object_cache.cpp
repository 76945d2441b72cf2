// Compiled kernels on disk, shared by all processes of the user.
#include "runtime/codegen/object_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iterator>
#include <utility>
#include <vector>

#include "runtime/os/environment.h"
#include "runtime/os/file_replacement.h"
#include "runtime/os/own_folder.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

constexpr uint64_t kMagic = 0x316c656e72656b74;  // "tkernel1"
constexpr int64_t kDefaultLimit = int64_t{64} << 20;
constexpr int64_t kLimitPerFile = int64_t{8} << 10;
constexpr time_t kUseNoted = 60 * 60;  ///< seconds after which another use updates the file's mtime
constexpr size_t kLargestFile = size_t{16} << 20;

struct Header {
  uint64_t magic;
  std::array<uint64_t, 2> checksum;  ///< of the key and the object
  uint64_t key_size;
  uint64_t object_size;
};

uint64_t mixed(uint64_t x) {
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
  x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93;
  return x ^ (x >> 32);
}

/// A 128-bit hash. It does not resist deliberate collisions.
std::array<uint64_t, 2> hash(std::string_view bytes) {
  std::array<uint64_t, 2> state{0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f};
  const size_t size = bytes.size();
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t count = std::min(bytes.size(), sizeof word);
    std::memcpy(&word, bytes.data(), count);
    bytes.remove_prefix(count);
    state[0] = mixed(state[0] ^ word);
    state[1] = mixed(state[1] + word) ^ state[0];
  }
  return {mixed(state[0] + size), mixed(state[1] ^ size)};
}

std::string cache_folder() {
  if (const char* folder = environment_text(Variable::cache_dir)) return folder;
  if (const char* folder = environment_text(Variable::cache_home); folder && *folder)
    return std::string(folder) + "/tide";
  if (const char* home = environment_text(Variable::home); home && *home)
    return std::string(home) + "/.cache/tide";
  return {};
}

int64_t cache_limit() {
  constexpr double kMost = 1e15;
  return static_cast<int64_t>(
      environment_number(Variable::cache_limit, static_cast<double>(kDefaultLimit), 0, kMost));
}

std::string file_name(std::string_view key) {
  const auto bits = hash(key);
  char name[40];
  std::snprintf(name, sizeof name, "%016llx%016llx.o", static_cast<unsigned long long>(bits[0]),
                static_cast<unsigned long long>(bits[1]));
  return name;
}

std::string read_file(int folder, const std::string& name) {
  const Descriptor file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (status.st_size <= 0 || static_cast<size_t>(status.st_size) > kLargestFile) return {};
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  const ssize_t count = read(file, bytes.data(), bytes.size());
  if (count != static_cast<ssize_t>(bytes.size())) return {};
  // mtime records the last use, because file systems may not maintain atime.
  if (status.st_mtim.tv_sec + kUseNoted < time(nullptr)) futimens(file, nullptr);
  return bytes;
}

struct Entry {
  std::string name;
  int64_t bytes;
  timespec used;
};

std::vector<Entry> entries(int folder) {
  std::vector<Entry> result;
  DIR* listing = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return result;
  while (const dirent* entry = readdir(listing)) {
    struct stat status;
    if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
      result.push_back({entry->d_name,
                        std::max(int64_t{status.st_blocks} * 512, int64_t{status.st_size}),
                        status.st_mtim});
  }
  closedir(listing);
  return result;
}

CacheUse use_of(const std::vector<Entry>& entries) {
  CacheUse use{0, std::ssize(entries)};
  for (const Entry& entry : entries) use.bytes += entry.bytes;
  return use;
}

/// Removes the least recently used files if there are too many; another process may do the same.
void trim(int folder, int64_t limit) {
  std::vector<Entry> all = entries(folder);
  CacheUse use = use_of(all);
  const int64_t most_files = limit / kLimitPerFile;
  if (use.bytes <= limit && use.files <= most_files) return;
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
  });
  for (const Entry& entry : all) {
    if (use.bytes <= limit / 4 * 3 && use.files <= most_files / 4 * 3) return;
    unlinkat(folder, entry.name.c_str(), 0);
    use.bytes -= entry.bytes;
    --use.files;
  }
}

int64_t bytes_between_trims(int64_t limit) { return limit / 32; }

/// Starts at a random point between two scans, so that many processes that each store little scan
/// as often, all together, as one that stores much.
int64_t first_trim(int64_t limit) {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0) return 0;
  return static_cast<int64_t>(random % static_cast<uint64_t>(bytes_between_trims(limit) + 1));
}

}  // namespace

ObjectCache::ObjectCache(const std::string& path, int64_t limit)
    : limit_(limit),
      problem_(limit == 0     ? "TIDE_CACHE_LIMIT is 0"
               : path.empty() ? "neither TIDE_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set"
                              : ""),
      folder_(problem_.empty() ? open_own_folder(path, &problem_) : Descriptor()),
      path_(folder_ < 0 ? "" : path),
      until_trim_(first_trim(limit)) {
  if (!path.empty() && limit != 0 && folder_ < 0 && environment_text(Variable::cache_dir))
    ignore_environment(Variable::cache_dir,
                       "kernels are stored in a folder that you own and only you may write to");
}

CacheUse ObjectCache::use() const { return folder_ < 0 ? CacheUse() : use_of(entries(folder_)); }

std::string ObjectCache::load(std::string_view key) const {
  if (folder_ < 0) return {};
  const std::string bytes = read_file(folder_, file_name(key));
  Header header;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string_view payload = std::string_view(bytes).substr(sizeof header);
  if (header.magic != kMagic || header.key_size != key.size()) return {};
  if (payload.size() < key.size() || header.object_size != payload.size() - key.size()) return {};
  if (payload.substr(0, key.size()) != key || header.checksum != hash(payload)) return {};
  return std::string(payload.substr(key.size()));
}

void ObjectCache::store(std::string_view key, std::string_view object) {
  if (folder_ < 0) return;
  std::string bytes(sizeof(Header), '\0');
  bytes.append(key).append(object);
  const Header header{kMagic, hash(std::string_view(bytes).substr(sizeof header)), key.size(),
                      object.size()};
  std::memcpy(bytes.data(), &header, sizeof header);
  try {
    FileReplacement file(folder_, file_name(key));
    file.write(bytes);
    file.commit();
  } catch (const FileError&) {
    return;
  }
  // Small files count as the limit's share per file, so that too many files trigger a scan.
  trim_sometimes(std::max(static_cast<int64_t>(bytes.size()), kLimitPerFile));
}

void ObjectCache::trim_sometimes(int64_t written) {
  const std::lock_guard lock(mutex_);
  until_trim_ -= written;
  if (until_trim_ > 0) return;
  until_trim_ = bytes_between_trims(limit_);
  trim(folder_, limit_);
}

ObjectCache& object_cache() {
  static ObjectCache* const cache = new ObjectCache(cache_folder(), cache_limit());
  return *cache;
}

}  // namespace tide
