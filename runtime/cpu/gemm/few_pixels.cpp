// Patches of all images are the rows of one matrix (pixels, taps), where a pixel is one of the
// result, and a tap is a channel and an offset in the kernel, in the order of the weight.
#include "runtime/cpu/gemm/few_pixels.h"

#include <algorithm>

#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// The most pixels for each pass. Gradients of weights are sums of few products, written once.
constexpr int64_t kMostForward = 32, kMostBackward = 512;
/// The most floats of all patches: 64 MB.
constexpr int64_t kMostPatches = int64_t{1} << 24;
/// Where fewer taps are inside the image than one in this many, oneDNN is faster, which skips the
/// others and their weights.
constexpr int64_t kInside = 3;
/// Floats worth a thread when they are copied.
constexpr int64_t kWorthThread = 16384;

/// The sizes of the products.
struct PatchSizes {
  explicit PatchSizes(const ConvolutionShape& s)
      : pixels(s.oh * s.ow), all_pixels(s.n * pixels), taps(s.c * s.kh * s.kw) {}
  int64_t pixels;  ///< of an image's result
  int64_t all_pixels, taps;

  int64_t patches() const { return all_pixels * taps; }  ///< floats
};

float* memory_of(int64_t size) {
  static thread_local Workspace workspace;
  return workspace.get<float>(size);
}

/// Calls visit(tap, offset) for the taps of a pixel that lie inside the image: of channel 0, with
/// their offset in the image.
template <class Visit>
void for_inside(const ConvolutionShape& s, int64_t pixel, const Visit& visit) {
  const int64_t top = pixel / s.ow * s.stride_h - s.pad_h;
  const int64_t left = pixel % s.ow * s.stride_w - s.pad_w;
  const int64_t pixel_stride = s.channels_last ? s.c : 1;
  const int64_t tap_stride = s.weight_channels_last ? s.c : 1;
  for (int64_t ky = 0; ky < s.kh; ++ky) {
    const int64_t y = top + ky * s.dilation_h;
    if (y < 0 || y >= s.h) continue;
    for (int64_t kx = 0; kx < s.kw; ++kx) {
      const int64_t x = left + kx * s.dilation_w;
      if (x >= 0 && x < s.w) visit((ky * s.kw + kx) * tap_stride, (y * s.w + x) * pixel_stride);
    }
  }
}

/// Distances between the channels of an image, and of a weight.
int64_t image_stride(const ConvolutionShape& s) { return s.channels_last ? 1 : s.h * s.w; }
int64_t weight_stride(const ConvolutionShape& s) {
  return s.weight_channels_last ? 1 : s.kh * s.kw;
}

/// Whether the patches are the input itself.
bool are_input(const ConvolutionShape& s) {
  const bool same = s.oh == s.h && s.ow == s.w && s.kh == 1 && s.kw == 1;
  return same && s.pad_h == 0 && s.pad_w == 0 && (s.channels_last || s.h * s.w == 1);
}

/// The patches: the input, or copied to `to`.
const float* patches_of(const ConvolutionShape& s, const float* input, float* to,
                        Parallel& parallel) {
  if (are_input(s)) return input;
  const PatchSizes sizes(s);
  const int64_t from_stride = image_stride(s), to_stride = weight_stride(s);
  parallel.for_range(sizes.all_pixels, std::max<int64_t>(1, kWorthThread / sizes.taps),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t pixel = begin; pixel < end; ++pixel) {
                         const float* image = input + pixel / sizes.pixels * s.input_size();
                         float* row = to + pixel * sizes.taps;
                         std::fill_n(row, sizes.taps, 0.0f);
                         for_inside(s, pixel % sizes.pixels, [&](int64_t tap, int64_t offset) {
                           for (int64_t c = 0; c < s.c; ++c)
                             row[tap + c * to_stride] = image[offset + c * from_stride];
                         });
                       }
                     });
  return to;
}

/// Adds the gradients of patches to those of the inputs that they are copies of.
void add_patches(const ConvolutionShape& s, const float* patches, float* dx, Parallel& parallel) {
  constexpr int64_t kChannels = 64;  // of a part
  const PatchSizes sizes(s);
  const int64_t to_stride = image_stride(s), from_stride = weight_stride(s);
  const int64_t parts = (s.c + kChannels - 1) / kChannels;
  parallel.for_range(s.n * parts, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t first = i % parts * kChannels, last = std::min(s.c, first + kChannels);
      float* image = dx + i / parts * s.input_size();
      for (int64_t at = 0; at < s.h * s.w; ++at)
        for (int64_t c = first; c < last; ++c)
          image[at * (s.channels_last ? s.c : 1) + c * to_stride] = 0;
      for (int64_t pixel = 0; pixel < sizes.pixels; ++pixel) {
        const float* row = patches + (i / parts * sizes.pixels + pixel) * sizes.taps;
        for_inside(s, pixel, [&](int64_t tap, int64_t offset) {
          for (int64_t c = first; c < last; ++c)
            image[offset + c * to_stride] += row[tap + c * from_stride];
        });
      }
    }
  });
}

/// Whether results in memory are the matrix (all pixels, channels).
bool has_pixels_first(const ConvolutionShape& s) { return s.channels_last || s.oh * s.ow == 1; }

/// to[image][column][row] = from[image][row][column].
void transpose_images(int64_t images, int64_t rows, int64_t columns, const float* from, float* to) {
  for (int64_t image = 0; image < images; ++image, from += rows * columns, to += rows * columns)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        to[column * rows + row] = from[row * columns + column];
}

/// dy as the matrix (all pixels, channels): itself, or copied to `to`.
const float* pixels_first(const ConvolutionShape& s, const float* dy, float* to) {
  if (has_pixels_first(s)) return dy;
  transpose_images(s.n, s.o, s.oh * s.ow, dy, to);
  return to;
}

}  // namespace

bool few_pixels_suit_forward(const ConvolutionShape& s) {
  const PatchSizes sizes(s);
  if (s.groups > 1 || sizes.all_pixels > kMostForward || sizes.patches() > kMostPatches)
    return false;
  int64_t inside = 0;
  for (int64_t pixel = 0; pixel < sizes.pixels; ++pixel)
    for_inside(s, pixel, [&](int64_t, int64_t) { ++inside; });
  return kInside * inside >= sizes.pixels * s.kh * s.kw;
}

bool few_pixels_suit_backward(const ConvolutionShape& s) {
  const PatchSizes sizes(s);
  return s.groups == 1 && sizes.all_pixels <= kMostBackward && sizes.patches() <= kMostPatches;
}

void few_pixels_forward(const ConvolutionShape& s, const float* input, const float* weight,
                        const float* bias, float* output, Parallel& parallel) {
  const PatchSizes sizes(s);
  float* memory = memory_of(sizes.all_pixels * (sizes.taps + s.o));
  float* result = has_pixels_first(s) ? output : memory + sizes.all_pixels * sizes.taps;
  gemm<float>(sizes.all_pixels, s.o, sizes.taps,
              {patches_of(s, input, memory, parallel), sizes.taps, 1}, {weight, 1, sizes.taps},
              bias, 1, result, parallel);
  if (result != output) transpose_images(s.n, sizes.pixels, s.o, result, output);
}

void few_pixels_backward_input(const ConvolutionShape& s, const float* dy, const float* weight,
                               float* dx, Parallel& parallel) {
  const PatchSizes sizes(s);
  float* memory = memory_of(sizes.all_pixels * (sizes.taps + s.o));
  float* patches = are_input(s) ? dx : memory;
  const float* slopes = pixels_first(s, dy, memory + sizes.all_pixels * sizes.taps);
  gemm<float, float>(sizes.all_pixels, sizes.taps, s.o, {slopes, s.o, 1}, {weight, sizes.taps, 1},
                     nullptr, 0, patches, parallel);
  if (patches != dx) add_patches(s, patches, dx, parallel);
}

void few_pixels_backward_weight(const ConvolutionShape& s, const float* dy, const float* input,
                                float* dw, Parallel& parallel) {
  const PatchSizes sizes(s);
  float* memory = memory_of(sizes.all_pixels * (sizes.taps + s.o));
  const float* slopes = pixels_first(s, dy, memory + sizes.all_pixels * sizes.taps);
  gemm<float, float>(s.o, sizes.taps, sizes.all_pixels, {slopes, 1, s.o},
                     {patches_of(s, input, memory, parallel), sizes.taps, 1}, nullptr, 0, dw,
                     parallel);
}

}  // namespace tide
