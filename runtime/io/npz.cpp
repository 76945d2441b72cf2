#include "runtime/io/npz.h"

#include <sys/mman.h>
#include <unistd.h>

#include <string_view>
#include <unordered_set>

#include "runtime/core/error.h"
#include "runtime/core/file_access.h"
#include "runtime/core/file_replacement.h"
#include "runtime/core/plugin_path.h"
#include "runtime/io/npy.h"
#include "runtime/io/zip/plugin.h"

namespace tide {
namespace {

constexpr std::string_view kSuffix = ".npy";
/// An archive's directory without entries; libzip would delete the file instead.
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

NamedArrays read_archive(const std::string& path) {
  NamedArrays arrays;
  zip_plugin().read(path, [&](const std::string& name, ByteSource& contents) {
    const bool has_suffix = name.ends_with(kSuffix);
    arrays.emplace_back(has_suffix ? name.substr(0, name.size() - kSuffix.size()) : name,
                        read_npy(contents));
  });
  return arrays;
}

}  // namespace

NamedArrays read_npz(const std::string& path) {
  return read_archive(require_permitted(path, FileUse::read));
}

NamedArrays read_npz_bytes(std::string_view bytes) {
  return read_archive(MemoryFile(bytes).path());
}

void write_npz(const std::string& path, std::span<const ArrayToWrite> arrays, bool compress) {
  std::vector<ZipMember> members;
  std::unordered_set<std::string_view> names;
  for (const ArrayToWrite& array : arrays) {
    if (!names.insert(array.name).second)
      throw_file_error(path, "two arrays have the name '" + array.name + "'");
    members.push_back(
        {array.name + std::string(kSuffix), npy_header(path, array), {array.data, array.bytes()}});
  }
  FileReplacement file(path);
  if (members.empty())
    file.write(kEmptyArchive);
  else
    zip_plugin().write(file.descriptor(), path, members, compress);
  file.commit();
}

}  // namespace tide
