// Writes new versions of files and moves them into place.
#include "runtime/os/file_replacement.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "runtime/os/file_access.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

namespace fs = std::filesystem;

/// The most bytes requested from one call of write; Linux stops at 2 GiB.
constexpr size_t kMaxTransfer = size_t(1) << 30;
constexpr int kMaxLinks = 40;         ///< chained symbolic links, the limit of Linux
constexpr size_t kMaxNameKept = 200;  ///< of the name in a temporary one: at most 255 bytes
/// The search for abandoned files ends after this many consecutive names that do not exist.
constexpr int kNamesLookedAhead = 8;

/// N if `path` is a name of this process's own descriptor N, such as /dev/fd/1; -1 if not.
int own_descriptor(const fs::path& path) {
  std::error_code error;
  const fs::path own = fs::canonical("/proc/self/fd", error);
  if (error || fs::canonical(path.parent_path(), error) != own || error) return -1;
  const std::string name = path.filename();
  int number = -1;
  const char* const end = name.data() + name.size();
  return std::from_chars(name.data(), end, number).ptr == end ? number : -1;
}

/// Blocks SIGPIPE, so that `write` fails with EPIPE if the reader is gone.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec at_once{};
    if (!was_pending_) sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_, before_;
  bool was_pending_;
};

/// 0, or the error.
int write_all(int file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file, bytes.data(), std::min(bytes.size(), kMaxTransfer));
    if (count >= 0) {
      bytes = bytes.subspan(static_cast<size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd ready{file, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

}  // namespace

FileReplacement::FileReplacement(const std::string& path) : path_(path) {
  fs::path place = require_permitted(path, FileUse::write);
  for (int links = 0;; ++links) {
    if (const int number = own_descriptor(place); number >= 0) {
      // Opening it by name would restart at its beginning, and a socket cannot be opened by name.
      target_ = Descriptor(fcntl(number, F_DUPFD_CLOEXEC, 0));
      if (target_ < 0) fail("cannot be written", errno);
      break;
    }
    std::error_code error;
    const fs::path next = fs::read_symlink(place, error);
    if (error) break;
    if (links == kMaxLinks) fail("cannot be written", ELOOP);
    place = place.parent_path() / next;
  }
  struct stat status;
  if (target_ < 0 && stat(place.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("cannot be written", EISDIR);
    if (S_ISREG(status.st_mode)) {
      if (faccessat(AT_FDCWD, place.c_str(), W_OK, AT_EACCESS) != 0)
        fail("cannot be written", errno);
      old_ = status;
    } else {
      target_ = Descriptor(open(place.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC));
      if (target_ < 0) fail("cannot be written", errno);
    }
  }
  if (target_ >= 0) {
    file_ = Descriptor(memfd_create("tide", MFD_CLOEXEC));
    if (file_ < 0) fail("cannot be written", errno);
    return;
  }
  name_ = place.filename();
  if (name_.empty()) fail("cannot be written", path.empty() ? ENOENT : EISDIR);
  const fs::path folder = place.has_parent_path() ? place.parent_path() : ".";
  folder_ = Descriptor(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (folder_ < 0) fail("cannot be written", errno);
  begin(old_ ? 0600 : 0666);
}

FileReplacement::FileReplacement(int folder, const std::string& name)
    : path_(name), name_(name), durable_(false), folder_(fcntl(folder, F_DUPFD_CLOEXEC, 0)) {
  if (folder_ < 0) fail("cannot be written", errno);
  begin(0600);
}

FileReplacement::~FileReplacement() {
  // Must precede releasing the lock, which the descriptor holds.
  if (!temporary_.empty()) unlinkat(folder_, temporary_.c_str(), 0);
}

void FileReplacement::fail(const char* what, int error) const {
  throw FileError(path_ + ": " + what + ": " + std::strerror(error));
}

void FileReplacement::begin(mode_t mode) {
  remove_abandoned();
  // A file without a name is linked through /proc.
  if (access("/proc/self/fd", X_OK) == 0)
    file_ = Descriptor(openat(folder_, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode));
  if (file_ < 0)
    create_named(mode);
  else
    flock(file_, LOCK_EX | LOCK_NB);
}

std::string FileReplacement::temporary_name(int number) const {
  return "." + name_.substr(0, kMaxNameKept) + ".tide-saving-" + std::to_string(number);
}

/// Whether the open file still has this name.
bool FileReplacement::is_ours(int file, const std::string& name) const {
  struct stat open, named;
  return fstat(file, &open) == 0 &&
         fstatat(folder_, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

void FileReplacement::create_named(mode_t mode) {
  for (int number = 1;; ++number) {
    const std::string name = temporary_name(number);
    constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    Descriptor file(openat(folder_, name.c_str(), kFlags, mode));
    if (file < 0 && errno == EEXIST) continue;
    if (file < 0) fail("cannot be written", errno);
    // Without file locks live writers cannot be detected: no file is removed as abandoned.
    const bool lost = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    // Another process may have removed it as abandoned before it was locked.
    if (lost || !is_ours(file, name)) continue;
    file_ = std::move(file);
    temporary_ = name;
    return;
  }
}

void FileReplacement::link_named() {
  const std::string open_file = "/proc/self/fd/" + std::to_string(file_);
  for (int number = 1; temporary_.empty(); ++number) {
    const std::string name = temporary_name(number);
    if (linkat(AT_FDCWD, open_file.c_str(), folder_, name.c_str(), AT_SYMLINK_FOLLOW) == 0)
      temporary_ = name;
    else if (errno != EEXIST)
      fail("cannot be written", errno);
  }
}

void FileReplacement::remove_abandoned() const {
  for (int number = 1, absent = 0; absent < kNamesLookedAhead; ++number) {
    const std::string name = temporary_name(number);
    constexpr int kFlags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    // Some file systems lock only files opened for writing, which the file's mode may forbid.
    Descriptor file(openat(folder_, name.c_str(), O_RDWR | kFlags));
    if (file < 0 && errno == EACCES) file = Descriptor(openat(folder_, name.c_str(), kFlags));
    absent = file < 0 ? absent + 1 : 0;
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) continue;
    if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_ours(file, name))
      unlinkat(folder_, name.c_str(), 0);
  }
}

void FileReplacement::write(std::span<const std::byte> bytes) {
  if (const int error = write_all(file_, bytes)) fail("cannot be written", error);
}

void FileReplacement::keep_owner_and_mode() {
  if (!old_) return;
  mode_t mode = old_->st_mode & 07777;
  struct stat made;
  if (fstat(file_, &made) != 0) fail("cannot be written", errno);
  const bool same_group =
      made.st_gid == old_->st_gid || fchown(file_, uid_t(-1), old_->st_gid) == 0;
  const bool same_owner =
      made.st_uid == old_->st_uid || fchown(file_, old_->st_uid, gid_t(-1)) == 0;
  // Do not grant this owner or group what was granted to another one.
  if (!same_owner) mode &= ~mode_t(S_ISUID);
  if (!same_group) mode &= ~mode_t(S_ISGID | S_IRWXG);
  if (fchmod(file_, mode) != 0) fail("cannot be written", errno);
}

void FileReplacement::send() {
  struct stat status;
  if (fstat(file_, &status) != 0) fail("cannot be written", errno);
  const size_t size = static_cast<size_t>(status.st_size);
  if (size == 0) return;
  void* const bytes = mmap(nullptr, size, PROT_READ, MAP_SHARED, file_, 0);
  if (bytes == MAP_FAILED) fail("cannot be written", errno);
  std::fflush(stdout);  // keeps the order with output printed before
  const NoPipeSignal scope;
  const int error = write_all(target_, {static_cast<const std::byte*>(bytes), size});
  munmap(bytes, size);
  if (error) fail("cannot be written", error);
}

void FileReplacement::commit() {
  if (target_ >= 0) return send();
  keep_owner_and_mode();
  if (durable_ && fsync(file_) != 0) fail("cannot be written", errno);
  if (temporary_.empty()) link_named();
  if (renameat(folder_, temporary_.c_str(), folder_, name_.c_str()) != 0)
    fail("cannot be replaced", errno);
  temporary_.clear();
  if (!durable_) return;
  // The rename is durable once the folder is synced; if it cannot be opened, that happens later.
  const Descriptor folder(openat(folder_, ".", O_RDONLY | O_CLOEXEC));
  if (folder >= 0) fsync(folder);
}

void replace_file(const std::string& path, std::string_view text) {
  FileReplacement file(path);
  file.write(text);
  file.commit();
}

}  // namespace tide
