// Splits Winograd's convolution into blocks that fit the caches, and among threads.
#include "runtime/cpu/winograd/winograd.h"

#include <algorithm>
#include <numeric>

#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// Channels must be a multiple of this: full panels of every product kernel.
constexpr int64_t kChannelStep = 32;
/// Larger filters are transformed in each call: at the points they have four times their size.
constexpr int64_t kMostPrepared = 1 << 16;
/// With fewer tiles, the transforms of the filters do not pay off.
constexpr int64_t kFewTiles = 32;
/// Tiles of a block, whose values at points roughly fit in L2.
constexpr int64_t kBlockTiles = 48;
/// Tiles whose products are summed together in gradients of filters. Determines the bits.
constexpr int64_t kSumTiles = 256;
/// Channels whose products are summed together. Determines the bits.
constexpr int64_t kSumChannels = 256;
/// Floats between rows of values, so that rows do not share a few cache sets.
constexpr int64_t kGap = 16;

const WinogradKernel& winograd_kernel() {
  static const WinogradKernel* const kernels[] = {&kWinogradBaseline, &kWinogradAvx2,
                                                  &kWinogradAvx512};
  static const WinogradKernel& chosen = *kernels[static_cast<int>(instruction_set())];
  return chosen;
}

constexpr int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// The tiles over the results of a pass: `images` planes of height x width for each channel.
struct Grid {
  int64_t images, height, width;

  int64_t rows() const { return ceil_divide(height, kWinogradTile); }  ///< strips of an image
  int64_t columns() const { return ceil_divide(width, kWinogradTile); }
  int64_t strips() const { return images * rows(); }
  int64_t tiles() const { return strips() * columns(); }
  bool worthwhile() const {
    return tiles() >= kFewTiles && 2 * height * width >= 16 * rows() * columns();
  }
};

/// Planes of each image that strips of a grid are read from or written to.
struct Planes {
  int64_t channels, height, width, pad_h, pad_w;
  bool channels_last;

  WinogradStrip strip(const Grid& grid, int64_t number) const {
    const int64_t top = number % grid.rows() * kWinogradTile;
    const int64_t pixel_stride = channels_last ? channels : 1;
    const int64_t channel_stride = channels_last ? 1 : height * width;
    return {height, width, pixel_stride, channel_stride, top - pad_h, -pad_w, grid.columns()};
  }
  /// The offset of the planes from `channel` on, in the image that strip `number` belongs to.
  int64_t offset(const Grid& grid, int64_t number, int64_t channel) const {
    const int64_t image = number / grid.rows() * channels * height * width;
    return image + channel * (channels_last ? 1 : height * width);
  }
};

/// Memory for the values of `tiles` tiles at all points.
struct ValuesLayout {
  int64_t tile_stride, point_stride;

  ValuesLayout(int64_t tiles, int64_t channels)
      : tile_stride(channels + kGap), point_stride(tiles * tile_stride) {}
  int64_t size() const { return kWinogradPoints * point_stride; }
  template <class T>
  WinogradValues<T> at(T* data, int64_t tile, int64_t channel) const {
    return {data + tile * tile_stride + channel, point_stride, tile_stride};
  }
};

/// The calling thread's workspace for a strip.
float* strip_workspace(const Grid& grid) {
  static thread_local Workspace workspace;
  return workspace.get<float>(
      WinogradKernel::workspace_size(grid.columns(), winograd_kernel().lanes));
}

/// Memory shared by all threads of a pass; it belongs to the thread that runs the pass.
float* shared_workspace(int64_t size) {
  static thread_local Workspace workspace;
  return workspace.get<float>(size);
}

/// G filter G^T of all filters, as the right side of a product for each point: panels of result
/// channels, each with all source channels.
class Filters {
 public:
  Filters(int64_t sources, int64_t results)
      : Filters(sources, results, shared_workspace(size(sources, results))) {}
  /// In memory of the caller, where they may have been transformed before.
  Filters(int64_t sources, int64_t results, float* data)
      : sources_(sources),
        results_(results),
        point_stride_(sources * results + kGap),
        data_(data) {}

  static int64_t size(int64_t sources, int64_t results) {
    return kWinogradPoints * (sources * results + kGap);
  }

  /// Filters (results, sources, 3, 3); flipped: (sources, results, 3, 3), read backwards.
  void transform(const float* weight, bool flipped, bool channels_last, Parallel& parallel) const {
    const WinogradKernel& kernel = winograd_kernel();
    const int columns = gemm_kernel<float>().columns;
    const int64_t inner = channels_last ? 1 : 9;  // stride of the second dimension
    const int64_t result_stride = flipped ? inner : 9 * sources_;
    const int64_t source_stride = flipped ? 9 * results_ : inner;
    const WinogradFilterStrides strides{result_stride,
                                        channels_last ? flipped ? results_ : sources_ : 1};
    const int64_t blocks = sources_ / kChannelStep;
    parallel.for_range(results_ / columns * blocks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t item = begin; item < end; ++item) {
        const int64_t panel = item / blocks, first = item % blocks * kChannelStep;
        for (int64_t source = first; source < first + kChannelStep; ++source)
          for (int lane = 0; lane < columns; lane += kernel.lanes)
            kernel.filter(
                weight + (panel * columns + lane) * result_stride + source * source_stride, strides,
                flipped, data_ + (panel * sources_ + source) * columns + lane, point_stride_);
      }
    });
  }

  /// The filters at one point, starting at one source channel.
  GemmRight<float> at(int point, int64_t source) const {
    const int columns = gemm_kernel<float>().columns;
    return {data_ + point * point_stride_ + source * columns, sources_ * columns, columns, nullptr};
  }

 private:
  int64_t sources_, results_, point_stride_;
  float* data_;
};

/// The number of strips in a block: their tiles fill panels of `rows` if few strips suffice.
int64_t strips_of_block(const Grid& grid, int rows) {
  const int64_t strips = std::max<int64_t>(1, kBlockTiles / grid.columns());
  const int64_t step = rows / std::gcd<int64_t>(rows, grid.columns());
  return strips > step ? strips / step * step : strips;
}

/// Finishes the results of a strip of channels-last planes.
void finish_strip(const Grid& grid, const Planes& to, int64_t number, const Finishing& finishing) {
  const int64_t top = number % grid.rows() * kWinogradTile;
  const int64_t rows = std::min<int64_t>(kWinogradTile, grid.height - top);
  const int64_t row = to.width * to.channels, begin = to.offset(grid, number, 0) + top * row;
  finishing.part(begin, begin + rows * row);
}

/// output = input * filters, in blocks of strips: values, products, outputs. `finishing` is null if
/// the results are not channels last.
void convolve(const Grid& grid, const Planes& from, const Planes& to, const float* input,
              const Filters& filters, const float* bias, float* output, Finishing* finishing,
              Parallel& parallel) {
  const WinogradKernel& kernel = winograd_kernel();
  const GemmKernel<float>& product = gemm_kernel<float>();
  const int64_t strips = std::min(grid.strips(), strips_of_block(grid, product.rows));
  const int64_t blocks = ceil_divide(grid.strips(), strips);
  const ValuesLayout values(strips * grid.columns(), from.channels);
  const ValuesLayout sums(strips * grid.columns(), to.channels);
  parallel.for_range(blocks, 1, [&](int64_t begin, int64_t end) {
    static thread_local Workspace workspace;
    float* value = workspace.get<float>(values.size() + sums.size());
    float* sum = value + values.size();
    float* aside = strip_workspace(grid);
    for (int64_t block = begin; block < end; ++block) {
      const int64_t first = block * strips, last = std::min(grid.strips(), first + strips);
      for (int64_t s = first; s < last; ++s)
        for (int64_t c = 0; c < from.channels; c += kernel.lanes)
          kernel.input(from.strip(grid, s), input + from.offset(grid, s, c),
                       values.at(value, (s - first) * grid.columns(), c), aside);
      for (int point = 0; point < kWinogradPoints; ++point)
        for (int64_t c = 0; c < from.channels; c += kSumChannels)
          product.block((last - first) * grid.columns(), to.channels,
                        std::min(kSumChannels, from.channels - c),
                        {value + point * values.point_stride + c, product.rows * values.tile_stride,
                         values.tile_stride, 1},
                        filters.at(point, c), nullptr, sum + point * sums.point_stride,
                        sums.tile_stride, c > 0);
      for (int64_t s = first; s < last; ++s) {
        for (int64_t c = 0; c < to.channels; c += kernel.lanes)
          kernel.output(to.strip(grid, s),
                        sums.at<const float>(sum, (s - first) * grid.columns(), c),
                        bias ? bias + c : nullptr, output + to.offset(grid, s, c), aside);
        if (finishing) finish_strip(grid, to, s, *finishing);
      }
    }
  });
  if (finishing) finishing->done = true;
}

bool has_form(const ConvolutionShape& s) {
  return s.kh == 3 && s.kw == 3 && s.stride_h == 1 && s.stride_w == 1 && s.dilation_h == 1 &&
         s.dilation_w == 1 && s.groups == 1 && s.pad_h <= 2 && s.pad_w <= 2 &&
         s.c % kChannelStep == 0 && s.o % kChannelStep == 0;
}

Grid output_grid(const ConvolutionShape& s) { return {s.n, s.oh, s.ow}; }
Grid input_grid(const ConvolutionShape& s) { return {s.n, s.h, s.w}; }

Planes input_planes(const ConvolutionShape& s, int64_t pad_h, int64_t pad_w) {
  return {s.c, s.h, s.w, pad_h, pad_w, s.channels_last != 0};
}
Planes output_planes(const ConvolutionShape& s, int64_t pad_h, int64_t pad_w) {
  return {s.o, s.oh, s.ow, pad_h, pad_w, s.channels_last != 0};
}

}  // namespace

bool winograd_suits_forward(const ConvolutionShape& shape) {
  return has_form(shape) && output_grid(shape).worthwhile();
}

bool winograd_suits_backward_input(const ConvolutionShape& shape) {
  return has_form(shape) && input_grid(shape).worthwhile();
}

bool winograd_suits_backward_weight(const ConvolutionShape& shape) {
  return has_form(shape) && output_grid(shape).worthwhile();
}

int64_t winograd_prepared_size(const ConvolutionShape& s) {
  return s.c * s.o <= kMostPrepared ? Filters::size(s.c, s.o) : 0;
}

void winograd_prepare(const ConvolutionShape& s, const float* weight, float* prepared,
                      Parallel& parallel) {
  if (winograd_prepared_size(s) == 0) return;
  Filters(s.c, s.o, prepared).transform(weight, false, s.weight_channels_last, parallel);
}

void winograd_forward(const ConvolutionShape& s, const float* input, const float* weight,
                      const float* prepared, const float* bias, float* output, Finishing* finishing,
                      Parallel& parallel) {
  const bool is_prepared = prepared && winograd_prepared_size(s) > 0;
  const Filters filters =
      is_prepared ? Filters(s.c, s.o, const_cast<float*>(prepared)) : Filters(s.c, s.o);
  if (!is_prepared) filters.transform(weight, false, s.weight_channels_last, parallel);
  convolve(output_grid(s), input_planes(s, s.pad_h, s.pad_w), output_planes(s, 0, 0), input,
           filters, bias, output, s.channels_last ? finishing : nullptr, parallel);
}

void winograd_backward_input(const ConvolutionShape& s, const float* dy, const float* weight,
                             float* dx, Parallel& parallel) {
  const Filters filters(s.o, s.c);
  filters.transform(weight, true, s.weight_channels_last, parallel);
  convolve(input_grid(s), output_planes(s, 2 - s.pad_h, 2 - s.pad_w), input_planes(s, 0, 0), dy,
           filters, nullptr, dx, nullptr, parallel);
}

void winograd_backward_weight(const ConvolutionShape& s, const float* dy, const float* input,
                              float* dw, Parallel& parallel) {
  const WinogradKernel& kernel = winograd_kernel();
  const GemmKernel<float>& product = gemm_kernel<float>();
  const Grid grid = output_grid(s);
  const Planes from = input_planes(s, s.pad_h, s.pad_w), to = output_planes(s, 0, 0);
  const int64_t strips = std::min(grid.strips(), std::max<int64_t>(1, kSumTiles / grid.columns()));
  const ValuesLayout inputs(strips * grid.columns(), s.c), slopes(strips * grid.columns(), s.o);
  const int64_t sum_stride = s.c * s.o + kGap;
  float* sum = shared_workspace(kWinogradPoints * sum_stride + inputs.size() + slopes.size());
  float* at_inputs = sum + kWinogradPoints * sum_stride;
  float* at_slopes = at_inputs + inputs.size();
  for (int64_t first = 0; first < grid.strips(); first += strips) {
    const int64_t count = std::min(strips, grid.strips() - first);
    parallel.for_range(count, 1, [&](int64_t begin, int64_t end) {
      float* aside = strip_workspace(grid);
      for (int64_t s = begin; s < end; ++s) {
        const int64_t number = first + s, tile = s * grid.columns();
        for (int64_t c = 0; c < from.channels; c += kernel.lanes)
          kernel.input(from.strip(grid, number), input + from.offset(grid, number, c),
                       inputs.at(at_inputs, tile, c), aside);
        for (int64_t c = 0; c < to.channels; c += kernel.lanes)
          kernel.spread(to.strip(grid, number), dy + to.offset(grid, number, c),
                        slopes.at(at_slopes, tile, c), aside);
      }
    });
    parallel.for_range(kWinogradPoints, 1, [&](int64_t begin, int64_t end) {
      for (int64_t point = begin; point < end; ++point)
        product.block(
            s.c, s.o, count * grid.columns(),
            {at_inputs + point * inputs.point_stride, product.rows, 1, inputs.tile_stride},
            {at_slopes + point * slopes.point_stride, product.columns, slopes.tile_stride, nullptr},
            nullptr, sum + point * sum_stride, s.o, first > 0);
    });
  }
  const int64_t inner = s.weight_channels_last ? 1 : 9;
  const WinogradFilterStrides strides{s.c * 9, s.weight_channels_last ? s.c : 1};
  parallel.for_range(s.o / kernel.lanes, 1, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin * kernel.lanes; o < end * kernel.lanes; o += kernel.lanes)
      for (int64_t c = 0; c < s.c; ++c)
        kernel.filter_gradient(sum + c * s.o + o, sum_stride, dw + o * s.c * 9 + c * inner,
                               strides);
  });
}

}  // namespace tide
