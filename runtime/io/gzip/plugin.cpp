// Gzip through zlib.
#include "runtime/io/gzip/plugin.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <vector>

#include "runtime/io/byte_file.h"

namespace tide {
namespace {

constexpr size_t kPiece = 64 << 10;
/// zlib's windowBits for a gzip header and trailer with the largest window.
constexpr int kGzipWindow = 15 + 16;

struct Inflater {
  z_stream stream{};

  Inflater() {
    if (inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  Inflater(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

/// Decompresses the member at the front of `bytes` and returns the remaining bytes.
std::string_view unpack_member(std::string_view bytes, const std::string& name,
                               std::span<std::byte> piece,
                               const std::function<void(std::span<const std::byte>)>& take) {
  Inflater inflater;
  z_stream& stream = inflater.stream;
  while (true) {
    const size_t given = std::min<size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(given);
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int result = inflate(&stream, Z_NO_FLUSH);
    bytes.remove_prefix(given - stream.avail_in);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    if (result == Z_BUF_ERROR) throw_file_error(name, "is cut short");
    if (result != Z_OK && result != Z_STREAM_END)
      throw_file_error(name, std::string("is damaged: ") + (stream.msg ? stream.msg : "no data"));
    if (const size_t made = piece.size() - stream.avail_out) take(piece.first(made));
    if (result == Z_STREAM_END) return bytes;
  }
}

void unpack(std::string_view bytes, const std::string& name,
            const std::function<void(std::span<const std::byte>)>& take) {
  std::vector<std::byte> piece(kPiece);
  do bytes = unpack_member(bytes, name, piece, take);
  while (bytes.find_first_not_of('\0') != std::string_view::npos);
}

}  // namespace
}  // namespace tide

extern "C" __attribute__((visibility("default"))) const tide::GzipPlugin* tide_gzip_plugin() {
  static constexpr tide::GzipPlugin plugin = {tide::unpack};
  return &plugin;
}
