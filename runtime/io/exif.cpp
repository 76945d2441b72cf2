// Reads the orientation tag, with every offset checked.
#include "runtime/io/exif.h"

#include <cstdint>
#include <cstring>

namespace tide {
namespace {

constexpr uint64_t kOrientationTag = 0x0112, kShortType = 3;
constexpr size_t kEntryBytes = 12;

class TiffReader {
 public:
  explicit TiffReader(std::string_view bytes) : bytes_(bytes), big_(bytes.starts_with("MM")) {}

  /// Reads a `count`-byte integer at an offset; false if it is outside.
  bool read(uint64_t offset, int count, uint64_t* value) const {
    if (offset > bytes_.size() || bytes_.size() - offset < static_cast<size_t>(count)) return false;
    *value = 0;
    for (int i = 0; i < count; ++i) {
      const auto byte = static_cast<unsigned char>(bytes_[offset + (big_ ? i : count - 1 - i)]);
      *value = *value << 8 | byte;
    }
    return true;
  }

 private:
  std::string_view bytes_;
  bool big_;
};

}  // namespace

int exif_orientation(std::string_view exif) {
  if (!exif.starts_with(std::string_view("II*\0", 4)) &&
      !exif.starts_with(std::string_view("MM\0*", 4)))
    return 1;
  const TiffReader tiff(exif);
  uint64_t directory, count;
  if (!tiff.read(4, 4, &directory) || !tiff.read(directory, 2, &count)) return 1;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t entry = directory + 2 + i * kEntryBytes;
    uint64_t tag, type, value;
    if (!tiff.read(entry, 2, &tag) || !tiff.read(entry + 2, 2, &type) ||
        !tiff.read(entry + 8, 2, &value))
      return 1;
    if (tag == kOrientationTag)
      return type == kShortType && value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
  }
  return 1;
}

HostArray upright(HostArray image, int orientation) {
  if (orientation == 1) return image;
  const bool swaps = orientation >= 5;
  const bool flips_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  const bool flips_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const int64_t channels = image.shape[0], height = image.shape[1], width = image.shape[2];
  HostArray turned(image.type,
                   swaps ? Shape{channels, width, height} : Shape{channels, height, width});
  const int64_t rows = turned.shape[1], columns = turned.shape[2];
  const size_t bytes = size_of(image.type);
  std::byte* target = turned.data.get();
  for (int64_t channel = 0; channel < channels; ++channel) {
    const std::byte* plane = image.data.get() + channel * height * width * bytes;
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        int64_t y = swaps ? column : row, x = swaps ? row : column;
        if (flips_y) y = height - 1 - y;
        if (flips_x) x = width - 1 - x;
        std::memcpy(target, plane + (y * width + x) * bytes, bytes);
        target += bytes;
      }
  }
  return turned;
}

}  // namespace tide
