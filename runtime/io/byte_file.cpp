// Files by their descriptors, with every error checked.
#include "runtime/io/byte_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "runtime/os/file_access.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The most bytes requested from one call of read; Linux stops at 2 GiB.
constexpr size_t kMaxTransfer = size_t(1) << 30;

}  // namespace

void throw_file_error(const std::string& path, const std::string& what) {
  throw FileError(path + ": " + what);
}

FileSource::FileSource(const std::string& path) : path_(path) {
  // Opened without waiting for a pipe's writer: pipes are refused.
  file_ = open(require_permitted(path, FileUse::read).c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file_ < 0) throw_file_error(path, std::string("cannot be read: ") + std::strerror(errno));
  struct stat status;
  if (fstat(file_, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file_);
    throw_file_error(path, "is not a regular file");
  }
  remaining_ = static_cast<uint64_t>(status.st_size);
}

FileSource::~FileSource() { close(file_); }

void FileSource::skip(uint64_t bytes) {
  if (bytes > remaining_) throw_file_error(path_, "is cut short");
  if (lseek(file_, static_cast<off_t>(bytes), SEEK_CUR) < 0)
    throw_file_error(path_, std::string("cannot be read: ") + std::strerror(errno));
  remaining_ -= bytes;
}

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

}  // namespace tide
