// Pictures: PNG and JPEG files, read into and written from arrays of bytes (channels, height,
// width).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/io/host_array.h"

namespace tide {

enum class ImageFormat { any, png, jpeg };

/// Which channels a decoded picture has. `unchanged`: those of the file. A palette's numbers are
/// one channel then, samples of 16 bits stay whole, and CMYK has four channels as they are stored.
enum class ImageMode { unchanged, gray, gray_alpha, rgb, rgb_alpha };

/// Pillow's limit for pictures that are not trusted.
inline constexpr int64_t kDefaultMaxPixels = 178956970;

struct ImageRequest {
  ImageFormat format = ImageFormat::any;
  ImageMode mode = ImageMode::unchanged;
  /// A picture of more pixels is refused before any memory is taken for it.
  int64_t max_pixels = kDefaultMaxPixels;
  /// A JPEG picture is decoded at 1/2, 1/4 or 1/8 of its size as long as it remains at least so
  /// large; 0: at its own size.
  int64_t min_height = 0, min_width = 0;
  /// Whether the picture is turned as its EXIF data say.
  bool apply_exif_orientation = false;
};

/// Decodes a picture to uint8 (channels, height, width); to int32 where samples have 16 bits and
/// the mode is `unchanged`. Of a damaged JPEG picture what can be read is, with a word on stderr.
/// Errors call it `name`. Throws FileError.
HostArray decode_image(std::string_view bytes, const std::string& name,
                       const ImageRequest& request);

/// The bytes of a file. Throws FileError, MemoryError.
HostArray read_whole_file(const std::string& path);

/// Encodes uint8 (channels, height, width) or (height, width) of 1 to 4 channels as PNG.
/// `compression_level` is 0 to 9. Errors speak of `function`.
std::string encode_png(const ArrayToWrite& image, int compression_level,
                       const std::string& function);

/// Encodes uint8 (1 or 3, height, width) or (height, width) as JPEG. `quality` is 1 to 100.
std::string encode_jpeg(const ArrayToWrite& image, int quality, const std::string& function);

}  // namespace tide
