// Types shared by the image plugins and the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace tide {

/// The size of an image, known before its pixels.
struct ImageSize {
  int64_t height = 0, width = 0;
  int channels = 0;
  bool wide = false;  ///< 16-bit samples, which become int32; 8-bit samples are uint8

  int64_t pixels() const { return height * width; }
  int64_t row_bytes() const { return width * channels * (wide ? 2 : 1); }
};

/// Returns memory for an image's pixels (channels, height, width), or throws.
using PixelPlace = std::function<std::byte*(const ImageSize&)>;

/// put_row for 16-bit samples, big-endian.
inline void put_wide_row(const unsigned char* row, const ImageSize& size, int64_t y,
                         std::byte* pixels) {
  for (int channel = 0; channel < size.channels; ++channel) {
    auto* target = reinterpret_cast<int32_t*>(pixels) + (channel * size.height + y) * size.width;
    const unsigned char* source = row + 2 * channel;
    for (int64_t x = 0; x < size.width; ++x, source += 2 * size.channels)
      target[x] = source[0] << 8 | source[1];
  }
}

/// Writes a row of interleaved pixels as row `y` of the planes at `pixels`.
inline void put_row(const unsigned char* row, const ImageSize& size, int64_t y, std::byte* pixels) {
  if (size.wide) return put_wide_row(row, size, y, pixels);
  for (int channel = 0; channel < size.channels; ++channel) {
    auto* target =
        reinterpret_cast<unsigned char*>(pixels) + (channel * size.height + y) * size.width;
    const unsigned char* source = row + channel;
    for (int64_t x = 0; x < size.width; ++x) target[x] = source[x * size.channels];
  }
}

/// The inverse of put_row.
inline void get_row(const std::byte* pixels, const ImageSize& size, int64_t y, unsigned char* row) {
  for (int channel = 0; channel < size.channels; ++channel) {
    const auto* source =
        reinterpret_cast<const unsigned char*>(pixels) + (channel * size.height + y) * size.width;
    unsigned char* target = row + channel;
    for (int64_t x = 0; x < size.width; ++x) target[x * size.channels] = source[x];
  }
}

}  // namespace tide
