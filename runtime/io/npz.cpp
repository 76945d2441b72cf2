#include "runtime/io/npz.h"

#include <string_view>
#include <unordered_set>

#include "runtime/io/archive.h"
#include "runtime/io/npy.h"

namespace tide {
namespace {

constexpr std::string_view kSuffix = ".npy";

NamedArrays arrays_of(const ZipArchive& archive) {
  NamedArrays arrays;
  for (const ZipArchive::Member& member : archive.members()) {
    const std::string& name = member.name;
    const bool has_suffix = name.ends_with(kSuffix);
    arrays.emplace_back(has_suffix ? name.substr(0, name.size() - kSuffix.size()) : name,
                        read_npy(*archive.open(member)));
  }
  return arrays;
}

}  // namespace

NamedArrays read_npz(const std::string& path) { return arrays_of(*open_archive(path)); }

NamedArrays read_npz_bytes(std::string_view bytes) { return arrays_of(*open_archive_bytes(bytes)); }

void write_npz(const std::string& path, std::span<const ArrayToWrite> arrays, bool compress) {
  std::vector<ZipMember> members;
  std::unordered_set<std::string_view> names;
  for (const ArrayToWrite& array : arrays) {
    if (!names.insert(array.name).second)
      throw_file_error(path, "two arrays have the name '" + array.name + "'");
    members.push_back(
        {array.name + std::string(kSuffix), npy_header(path, array), {array.data, array.bytes()}});
  }
  write_archive(path, members, compress);
}

}  // namespace tide
