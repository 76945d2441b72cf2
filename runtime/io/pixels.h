// What the plugins for pictures exchange with the runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace tide {

/// The size of a picture, known before its pixels.
struct ImageSize {
  int64_t height = 0, width = 0;
  int channels = 0;
  bool wide = false;  ///< samples of 16 bits, which become int32; of 8 they are uint8

  int64_t pixels() const { return height * width; }
  int64_t row_bytes() const { return width * channels * (wide ? 2 : 1); }
};

/// Gives the place for a picture's pixels (channels, height, width), or throws.
using PixelPlace = std::function<std::byte*(const ImageSize&)>;

/// put_row of samples of 16 bits, the upper half first.
inline void put_wide_row(const unsigned char* row, const ImageSize& size, int64_t y,
                         std::byte* pixels) {
  for (int channel = 0; channel < size.channels; ++channel) {
    auto* target = reinterpret_cast<int32_t*>(pixels) + (channel * size.height + y) * size.width;
    const unsigned char* source = row + 2 * channel;
    for (int64_t x = 0; x < size.width; ++x, source += 2 * size.channels)
      target[x] = source[0] << 8 | source[1];
  }
}

/// Writes a row of pixels, their channels side by side, as row `y` of the planes at `pixels`.
inline void put_row(const unsigned char* row, const ImageSize& size, int64_t y, std::byte* pixels) {
  if (size.wide) return put_wide_row(row, size, y, pixels);
  for (int channel = 0; channel < size.channels; ++channel) {
    auto* target =
        reinterpret_cast<unsigned char*>(pixels) + (channel * size.height + y) * size.width;
    const unsigned char* source = row + channel;
    for (int64_t x = 0; x < size.width; ++x) target[x] = source[x * size.channels];
  }
}

/// The opposite of put_row.
inline void get_row(const std::byte* pixels, const ImageSize& size, int64_t y, unsigned char* row) {
  for (int channel = 0; channel < size.channels; ++channel) {
    const auto* source =
        reinterpret_cast<const unsigned char*>(pixels) + (channel * size.height + y) * size.width;
    unsigned char* target = row + channel;
    for (int64_t x = 0; x < size.width; ++x) target[x * size.channels] = source[x];
  }
}

}  // namespace tide
