#include "runtime/io/archive.h"

#include <sys/mman.h>
#include <unistd.h>

#include "runtime/os/file_access.h"
#include "runtime/os/file_replacement.h"
#include "runtime/os/plugin_path.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// An empty archive; libzip would delete the file instead.
constexpr std::string_view kEmptyArchive("PK\5\6\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 22);

const ZipPlugin& zip_plugin() {
  using Entry = const ZipPlugin* (*)();
  static const ZipPlugin& plugin =
      *reinterpret_cast<Entry>(plugin_entry("tide-zip.so", "tide_zip_plugin"))();
  return plugin;
}

/// A file in memory, with a path by which it can be opened.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view contents) : file_(memfd_create("tide", MFD_CLOEXEC)) {
    size_t written = 0;
    while (file_ >= 0 && written < contents.size()) {
      const ssize_t n = write(file_, contents.data() + written, contents.size() - written);
      if (n <= 0) break;
      written += static_cast<size_t>(n);
    }
    if (file_ < 0 || written < contents.size()) throw FileError("cannot make a file in memory");
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
};

}  // namespace

std::unique_ptr<ZipArchive> open_archive(const std::string& path) {
  return zip_plugin().open(require_permitted(path, FileUse::read));
}

std::unique_ptr<ZipArchive> open_archive_bytes(std::string_view bytes) {
  return zip_plugin().open(MemoryFile(bytes).path());
}

void write_archive(const std::string& path, std::span<const ZipMember> members, bool compress) {
  FileReplacement file(path);
  if (members.empty())
    file.write(kEmptyArchive);
  else
    zip_plugin().write(file.descriptor(), path, members, compress);
  file.commit();
}

}  // namespace tide
