// Compiled kernels on disk, shared by all processes of the user.
#include "runtime/codegen/object_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace tide {
namespace {

constexpr uint64_t kMagic = 0x316c656e72656b74;  // "tkernel1"
constexpr int64_t kLargestTotal = int64_t{64} << 20;
constexpr int64_t kTotalAfterTrim = int64_t{48} << 20;
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

/// 128 bits that differ between different bytes, as long as nobody tries to make them agree.
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

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  operator int() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string cache_folder() {
  if (const char* folder = std::getenv("TIDE_CACHE_DIR")) return folder;
  if (const char* folder = std::getenv("XDG_CACHE_HOME"); folder && *folder)
    return std::string(folder) + "/tide";
  if (const char* home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/tide";
  return {};
}

void create_folders(const std::string& path) {
  for (size_t end = path.find('/', 1); end != std::string::npos; end = path.find('/', end + 1))
    mkdir(path.substr(0, end).c_str(), 0700);
  mkdir(path.c_str(), 0700);
}

/// -1 without a folder to trust.
int open_folder(const std::string& path) {
  if (path.empty()) return -1;
  constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  int folder = open(path.c_str(), kFlags);
  if (folder < 0) {
    create_folders(path);
    folder = open(path.c_str(), kFlags);
  }
  struct stat status;
  if (folder < 0) return -1;
  if (fstat(folder, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0)
    return folder;
  close(folder);
  return -1;
}

std::string file_name(std::string_view key) {
  const auto bits = hash(key);
  char name[40];
  std::snprintf(name, sizeof name, "%016llx%016llx.o", static_cast<unsigned long long>(bits[0]),
                static_cast<unsigned long long>(bits[1]));
  return name;
}

std::string read_file(int folder, const std::string& name) {
  const File file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if (status.st_size <= 0 || static_cast<size_t>(status.st_size) > kLargestFile) return {};
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  const ssize_t count = read(file, bytes.data(), bytes.size());
  return count == static_cast<ssize_t>(bytes.size()) ? bytes : std::string();
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

/// A name that no other file has: process numbers recur, and repeat where machines or containers
/// share a folder, and a process that was killed leaves its file behind.
std::string temporary_name() {
  uint64_t random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) < 0)
    random = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  return ".new-" + std::to_string(random);
}

struct Entry {
  std::string name;
  int64_t bytes;
  timespec written;
};

std::vector<Entry> entries(int folder) {
  std::vector<Entry> result;
  DIR* listing = fdopendir(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!listing) return result;
  while (const dirent* entry = readdir(listing)) {
    struct stat status;
    if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(status.st_mode))
      result.push_back({entry->d_name, status.st_size, status.st_mtim});
  }
  closedir(listing);
  return result;
}

/// Removes the oldest files if all together have grown too large; another process may do the same.
void trim(int folder) {
  std::vector<Entry> all = entries(folder);
  int64_t total = 0;
  for (const Entry& entry : all) total += entry.bytes;
  if (total <= kLargestTotal) return;
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    return std::pair(a.written.tv_sec, a.written.tv_nsec) <
           std::pair(b.written.tv_sec, b.written.tv_nsec);
  });
  for (const Entry& entry : all) {
    if (total <= kTotalAfterTrim) return;
    unlinkat(folder, entry.name.c_str(), 0);
    total -= entry.bytes;
  }
}

}  // namespace

ObjectCache::ObjectCache(const std::string& path) : folder_(open_folder(path)) {}

ObjectCache::~ObjectCache() {
  if (folder_ >= 0) close(folder_);
}

std::string ObjectCache::load(std::string_view key) const {
  if (folder_ < 0) return {};
  const std::string bytes = read_file(folder_, file_name(key));
  Header header;
  if (bytes.size() < sizeof header) return {};
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string_view rest = std::string_view(bytes).substr(sizeof header);
  if (header.magic != kMagic || header.key_size != key.size()) return {};
  if (rest.size() < key.size() || header.object_size != rest.size() - key.size()) return {};
  if (rest.substr(0, key.size()) != key || header.checksum != hash(rest)) return {};
  return std::string(rest.substr(key.size()));
}

void ObjectCache::store(std::string_view key, std::string_view object) {
  if (folder_ < 0) return;
  std::string bytes(sizeof(Header), '\0');
  bytes.append(key).append(object);
  const Header header{kMagic, hash(std::string_view(bytes).substr(sizeof header)), key.size(),
                      object.size()};
  std::memcpy(bytes.data(), &header, sizeof header);
  const std::string temporary = temporary_name();
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  const File file(openat(folder_, temporary.c_str(), kFlags, 0600));
  if (file < 0) return;
  const bool written = write_all(file, bytes);
  if (!written || renameat(folder_, temporary.c_str(), folder_, file_name(key).c_str()) != 0)
    unlinkat(folder_, temporary.c_str(), 0);
  trim_sometimes(bytes.size());
}

/// Looks at the folder's size with the first file that this process writes, and then now and then.
void ObjectCache::trim_sometimes(size_t written) {
  const std::lock_guard lock(mutex_);
  until_trim_ -= static_cast<int64_t>(written);
  if (until_trim_ > 0) return;
  until_trim_ = kLargestTotal / 16;
  trim(folder_);
}

ObjectCache& object_cache() {
  static ObjectCache* const cache = new ObjectCache(cache_folder());
  return *cache;
}

}  // namespace tide
