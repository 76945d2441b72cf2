// Files by their descriptors, with every error checked.
#include "runtime/io/byte_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "runtime/core/error.h"

namespace tide {
namespace {

/// The most bytes that one call of read or write is asked for; Linux stops at 2 GiB.
constexpr size_t kMaxTransfer = size_t(1) << 30;

/// The mode for a new file, or the one of the file that it replaces.
mode_t mode_for(const std::string& path) {
  struct stat status;
  if (stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  const mode_t mask = umask(0);
  umask(mask);
  return 0666 & ~mask;
}

}  // namespace

void throw_file_error(const std::string& path, const std::string& what) {
  throw FileError(path + ": " + what);
}

FileSource::FileSource(const std::string& path) : path_(path) {
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) throw_file_error(path, std::string("cannot be read: ") + std::strerror(errno));
  struct stat status;
  if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file_);
    throw_file_error(path, "is not a regular file");
  }
  remaining_ = static_cast<uint64_t>(status.st_size);
}

FileSource::~FileSource() { close(file_); }

void FileSource::read(std::span<std::byte> target) {
  if (target.size() > remaining_) throw_file_error(path_, "is cut short");
  while (!target.empty()) {
    const ssize_t count = ::read(file_, target.data(), std::min(target.size(), kMaxTransfer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_file_error(path_, std::string("cannot be read: ") + std::strerror(errno));
    if (count == 0) throw_file_error(path_, "became shorter while it was read");
    target = target.subspan(count);
    remaining_ -= count;
  }
}

FileReplacement::FileReplacement(const std::string& path) : path_(path) {
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    const auto target = std::filesystem::weakly_canonical(path, error);
    if (!error) path_ = target.string();
  }
  temporary_ = path_ + ".XXXXXX";
  file_ = mkostemp(temporary_.data(), O_CLOEXEC);
  if (file_ < 0) fail("cannot be written", errno);
}

FileReplacement::~FileReplacement() {
  if (file_ >= 0) close(file_);
  if (!committed_) unlink(temporary_.c_str());
}

void FileReplacement::fail(const char* what, int error) const {
  throw_file_error(path_, std::string(what) + ": " + std::strerror(error));
}

void FileReplacement::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_, bytes.data(), std::min(bytes.size(), kMaxTransfer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot be written", errno);
    bytes = bytes.subspan(count);
  }
}

void FileReplacement::commit() {
  // Opened anew: a library may have put another file in the temporary one's place.
  const int file = open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("cannot be written", errno);
  close(std::exchange(file_, file));
  if (fchmod(file_, mode_for(path_)) != 0 || fsync(file_) != 0) fail("cannot be written", errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot be replaced", errno);
  committed_ = true;
  // The new name itself is safe once the folder is; where that cannot be asked for, it comes later.
  const auto folder = std::filesystem::path(path_).parent_path();
  const int directory = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (directory < 0) return;
  fsync(directory);
  close(directory);
}

}  // namespace tide
