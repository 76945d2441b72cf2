// dw (o, taps) = the sum over images of dy (o, pixels) times patches (pixels, taps), where pixels
// are those of the output, and a tap is a channel and an offset in the kernel.
#include "runtime/cpu/gemm/patch_gradient.h"

#include <immintrin.h>

#include <algorithm>

#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// Chunks of the batch, each on one thread. Determines the bits, like the next constant.
constexpr int64_t kMaxChunks = 16;
/// Pixels whose products are summed together.
constexpr int64_t kSumPixels = 256;
/// With this number of channels, half of oneDNN's results are used.
constexpr int64_t kFewChannels = 4;
/// With more taps, oneDNN is as fast.
constexpr int64_t kMaxTaps = 512;

/// The patches of one image at a time, as the right side of a product.
class Patches {
 public:
  explicit Patches(const ConvolutionShape& shape)
      : s_(shape),
        columns_(gemm_kernel<float>().columns),
        height_(
            std::max(s_.h + s_.pad_h, (s_.oh - 1) * s_.stride_h + (s_.kh - 1) * s_.dilation_h + 1)),
        width_(std::max(s_.w + s_.pad_w,
                        (s_.ow - 1) * s_.stride_w + (s_.kw - 1) * s_.dilation_w + 1)) {
    static thread_local Workspace workspace, tap_workspace;
    const int64_t image = s_.c * height_ * width_, zeros = s_.ow * s_.stride_w;
    padded_ = workspace.get<float>(image + zeros + panels() * rows() * s_.ow * columns_);
    packed_ = padded_ + image + zeros;
    std::fill_n(padded_, image + zeros, 0.0f);
    taps_ = tap_workspace.get<Tap>(panels() * columns_);
    Tap* tap = taps_;
    for (int64_t c = 0; c < s_.c; ++c)
      for (int64_t y = 0; y < s_.kh; ++y)
        for (int64_t x = 0; x < s_.kw; ++x)
          *tap++ = {padded_ + (c * height_ + y * s_.dilation_h) * width_ + x * s_.dilation_w,
                    s_.stride_h * width_};
    std::fill(tap, taps_ + panels() * columns_, Tap{padded_ + image, 0});
  }

  int64_t taps() const { return s_.c * s_.kh * s_.kw; }
  /// Rows of the output that are packed at a time.
  int64_t rows() const { return std::clamp<int64_t>(kSumPixels / s_.ow, 1, s_.oh); }

  /// Copies an image; its padding is already there.
  void set_image(const float* input) {
    const int64_t width = std::min(s_.w, width_ - s_.pad_w);
    for (int64_t c = 0; c < s_.c; ++c)
      for (int64_t y = 0; y < std::min(s_.h, height_ - s_.pad_h); ++y)
        std::copy_n(input + (c * s_.h + y) * s_.w, width,
                    padded_ + (c * height_ + y + s_.pad_h) * width_ + s_.pad_w);
  }

  /// The patches of rows [first, last) of the output: (pixels, taps) in panels of taps.
  GemmRight<float> pack(int64_t first, int64_t last) {
    const int64_t panel_size = (last - first) * s_.ow * columns_;
    for (int64_t row = first; row < last; ++row)
      for (int64_t tap = 0; tap < panels() * columns_; tap += 4)
        pack_taps(row, tap,
                  packed_ + tap / columns_ * panel_size + (row - first) * s_.ow * columns_ +
                      tap % columns_);
    return {packed_, panel_size, columns_, packed_ + taps() / columns_ * panel_size};
  }

 private:
  /// The input of a tap in the first row of the output, and the distance to the next row. Taps that
  /// pad the last panel read zeros.
  struct Tap {
    const float* start;
    int64_t row_step;
  };

  int64_t panels() const { return (taps() + columns_ - 1) / columns_; }

  /// to[pixel * columns + k] = the input of tap + k, for four taps.
  void pack_taps(int64_t row, int64_t tap, float* to) const {
    const float* from[4];
    for (int k = 0; k < 4; ++k) from[k] = taps_[tap + k].start + row * taps_[tap + k].row_step;
    int64_t i = 0;
    for (; s_.stride_w == 1 && i + 4 <= s_.ow; i += 4, to += 4 * columns_) {
      __m128 a = _mm_loadu_ps(from[0] + i), b = _mm_loadu_ps(from[1] + i);
      __m128 c = _mm_loadu_ps(from[2] + i), d = _mm_loadu_ps(from[3] + i);
      _MM_TRANSPOSE4_PS(a, b, c, d);
      _mm_storeu_ps(to, a);
      _mm_storeu_ps(to + columns_, b);
      _mm_storeu_ps(to + 2 * columns_, c);
      _mm_storeu_ps(to + 3 * columns_, d);
    }
    for (; i < s_.ow; ++i, to += columns_)
      for (int k = 0; k < 4; ++k) to[k] = from[k][i * s_.stride_w];
  }

  const ConvolutionShape& s_;
  const int columns_;
  const int64_t height_, width_;  ///< of a padded plane
  float *padded_, *packed_;
  Tap* taps_;
};

/// Computes dw of the images [first, last).
void sum_images(const ConvolutionShape& s, int64_t first, int64_t last, const float* dy,
                const float* input, float* dw) {
  const GemmKernel<float>& product = gemm_kernel<float>();
  Patches patches(s);
  const int64_t pixels = s.oh * s.ow;
  for (int64_t image = first; image < last; ++image) {
    patches.set_image(input + image * s.input_size());
    for (int64_t row = 0; row < s.oh; row += patches.rows()) {
      const int64_t end = std::min(s.oh, row + patches.rows());
      const float* slopes = dy + image * s.output_size() + row * s.ow;
      product.block(s.o, patches.taps(), (end - row) * s.ow,
                    {slopes, product.rows * pixels, pixels, 1}, patches.pack(row, end), nullptr, dw,
                    patches.taps(), image > first || row > 0);
    }
  }
}

}  // namespace

bool patch_gradient_suits(const ConvolutionShape& s) {
  // For images of three channels, oneDNN has a specialized version.
  return !s.channels_last && s.groups == 1 && s.c <= kFewChannels && s.c != 3 &&
         s.c * s.kh * s.kw <= kMaxTaps;
}

void patch_gradient(const ConvolutionShape& s, const float* dy, const float* input, float* dw,
                    Parallel& parallel) {
  static thread_local Workspace workspace;
  const int64_t chunks = std::min(kMaxChunks, s.n), size = s.weight_size();
  float* partials = workspace.get<float>(chunks * size);
  parallel.for_range(chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk)
      sum_images(s, s.n * chunk / chunks, s.n * (chunk + 1) / chunks, dy, input,
                 chunk == 0 ? dw : partials + chunk * size);
  });
  for (int64_t chunk = 1; chunk < chunks; ++chunk)
    for (int64_t i = 0; i < size; ++i) dw[i] += partials[chunk * size + i];
}

}  // namespace tide
