// The interface of the JPEG plugin.
#pragma once

#include "runtime/io/image.h"
#include "runtime/io/pixels.h"

namespace tide {

/// Functions on JPEG data. They throw FileError.
struct JpegPlugin {
  /// Decodes at 1 / denominator of the size, where choose_denominator(size of the file's image) is
  /// 1, 2, 4 or 8. `place` is called once, with the resulting size. Returns the EXIF data, empty if
  /// there is none.
  std::string (*decode)(std::string_view bytes, const std::string& name, ImageMode mode,
                        const std::function<int(const ImageSize&)>& choose_denominator,
                        const PixelPlace& place);
  std::string (*encode)(const std::byte* pixels, const ImageSize& size, int quality,
                        const std::string& function);
};

}  // namespace tide
