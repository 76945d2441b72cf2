#include "runtime/io/npz.h"

#include <cstdio>
#include <string_view>
#include <unordered_set>

#include "runtime/io/archive.h"
#include "runtime/io/npy.h"

namespace tide {
namespace {

constexpr std::string_view kSuffix = ".npy";

/// Arrays of types that tide lacks, such as text, are left out, unless there are no others. This is
/// reported on stderr, where the file is called `path`.
NamedArrays arrays_of(const std::string& path, const ZipArchive& archive) {
  NamedArrays arrays;
  std::string left_out;
  for (const ZipArchive::Member& member : archive.members()) {
    std::string name = member.name, unknown;
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    if (auto array = read_npy(*archive.open(member), &unknown))
      arrays.emplace_back(std::move(name), std::move(*array));
    else
      left_out += (left_out.empty() ? "" : ", ") + name + " of type '" + unknown + "'";
  }
  if (left_out.empty()) return arrays;
  left_out += ": the type has no counterpart in tide";
  if (arrays.empty()) throw_file_error(path, "holds " + left_out);
  std::fprintf(stderr, "tide: %s: left out %s\n", path.c_str(), left_out.c_str());
  return arrays;
}

}  // namespace

NamedArrays read_npz(const std::string& path) { return arrays_of(path, *open_archive(path)); }

NamedArrays read_npz_bytes(std::string_view bytes) {
  return arrays_of("npz", *open_archive_bytes(bytes));
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
  write_archive(path, members, compress);
}

}  // namespace tide
