// Images: PNG and JPEG files, read into and written from byte arrays (channels, height, width).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "runtime/io/host_array.h"

namespace tide {

enum class ImageFormat { any, png, jpeg };

/// The channels of a decoded image. `unchanged`: those of the file. Then palette indices are one
/// channel, 16-bit samples keep their precision, and CMYK has four channels as stored.
enum class ImageMode { unchanged, gray, gray_alpha, rgb, rgb_alpha };

/// Pillow's limit for untrusted images.
inline constexpr int64_t kDefaultMaxPixels = 178956970;

struct ImageRequest {
  ImageFormat format = ImageFormat::any;
  ImageMode mode = ImageMode::unchanged;
  /// An image with more pixels is refused before memory is allocated for it.
  int64_t max_pixels = kDefaultMaxPixels;
  /// A JPEG image is decoded at 1/2, 1/4 or 1/8 of its size as long as it remains at least this
  /// large; 0: at full size.
  int64_t min_height = 0, min_width = 0;
  /// Whether to rotate the image according to its EXIF data.
  bool apply_exif_orientation = false;
};

/// Decodes an image to uint8 (channels, height, width); to int32 if samples have 16 bits and the
/// mode is `unchanged`. A damaged JPEG image is decoded as far as possible, with a warning on
/// stderr. Errors call it `name`. Throws FileError.
HostArray decode_image(std::string_view bytes, const std::string& name,
                       const ImageRequest& request);

/// The contents of a file. Throws FileError, MemoryError.
HostArray read_whole_file(const std::string& path);

/// Encodes uint8 (channels, height, width) or (height, width) with 1 to 4 channels as PNG.
/// `compression_level` is 0 to 9. Errors name `function`.
std::string encode_png(const ArrayToWrite& image, int compression_level,
                       const std::string& function);

/// Encodes uint8 (1 or 3, height, width) or (height, width) as JPEG. `quality` is 1 to 100.
std::string encode_jpeg(const ArrayToWrite& image, int quality, const std::string& function);

}  // namespace tide
