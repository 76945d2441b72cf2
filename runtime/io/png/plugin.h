// The interface of the PNG plugin.
#pragma once

#include "runtime/io/image.h"
#include "runtime/io/pixels.h"

namespace tide {

/// Functions on PNG data. They throw FileError.
struct PngPlugin {
  /// Decodes; `place` is called once, with the size. Returns the EXIF data, empty if there is none.
  std::string (*decode)(std::string_view bytes, const std::string& name, ImageMode mode,
                        const PixelPlace& place);
  std::string (*encode)(const std::byte* pixels, const ImageSize& size, int compression_level,
                        const std::string& function);
};

}  // namespace tide
