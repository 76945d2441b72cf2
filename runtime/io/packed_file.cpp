// Reads files that may be compressed: once to learn their size, and again to decompress them.
#include "runtime/io/packed_file.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "runtime/io/byte_file.h"
#include "runtime/io/gzip/plugin.h"
#include "runtime/io/image.h"
#include "runtime/io/md5.h"
#include "runtime/os/plugin_path.h"

namespace tide {
namespace {

constexpr std::string_view kGzipSignature("\x1f\x8b", 2);
constexpr size_t kPiece = 1 << 20;

const GzipPlugin& gzip_plugin() {
  using Entry = const GzipPlugin* (*)();
  static const GzipPlugin& plugin =
      *reinterpret_cast<Entry>(plugin_entry("tide-gzip.so", "tide_gzip_plugin"))();
  return plugin;
}

void check_limit(uint64_t size, uint64_t limit, const std::string& path) {
  if (size > limit)
    throw_file_error(path, "holds more than the " + std::to_string(limit) + " bytes expected");
}

}  // namespace

HostArray read_packed_file(const std::string& path, uint64_t limit) {
  HostArray packed = read_whole_file(path);
  if (!packed.text().starts_with(kGzipSignature)) {
    check_limit(packed.bytes(), limit, path);
    return packed;
  }
  uint64_t size = 0;
  gzip_plugin().unpack(packed.text(), path, [&](std::span<const std::byte> piece) {
    size += piece.size();
    check_limit(size, limit, path);
  });
  HostArray array(DType::u8, {static_cast<int64_t>(size)});
  std::byte* end = array.data.get();
  gzip_plugin().unpack(packed.text(), path, [&](std::span<const std::byte> piece) {
    end = std::ranges::copy(piece, end).out;
  });
  return array;
}

std::string md5_of_file(const std::string& path) {
  FileSource file(path);
  std::vector<std::byte> piece(kPiece);
  Md5 sum;
  while (file.remaining() > 0) {
    const auto part = std::span(piece).first(std::min<uint64_t>(kPiece, file.remaining()));
    file.read(part);
    sum.add(part);
  }
  return sum.text();
}

}  // namespace tide
