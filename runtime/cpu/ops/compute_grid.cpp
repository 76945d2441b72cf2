// Samples planes and volumes at the points of a grid, and computes the gradients. The pixels and
// weights of a block of points are computed once for all channels, in the first-level cache.
#include <algorithm>

#include "runtime/cpu/grid_axes.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/pixel_blocks.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

constexpr int kMostAxes = 3;
constexpr int kMostTaps = 16;
/// Multiplications worth a thread.
constexpr int64_t kGrain = 8192;

/// The taps of up to kGridBlock points over all axes: pixels counted from 1, or 0 if outside, and
/// their weights. The weight of a tap outside is 0, because the computed one may be infinite.
template <class W>
struct BlockTaps {
  int32_t at[kMostTaps][kGridBlock];
  W weights[kMostTaps][kGridBlock];
};

/// Adds a dimension of `size` pixels.
template <class W>
void join_taps(const int32_t* __restrict pixels, const W* __restrict factors, int32_t size,
               int64_t count, int32_t* __restrict at, W* __restrict weights) {
  for (int64_t p = 0; p < count; ++p) {
    const bool inside = (at[p] != 0) & (pixels[p] != 0);
    at[p] = inside ? (at[p] - 1) * size + pixels[p] : 0;
    weights[p] *= factors[p];
  }
}

/// Sets the values of points outside to 0.
template <class W>
void clear_outside(const int32_t* __restrict at, int64_t count, W* __restrict values) {
  for (int64_t p = 0; p < count; ++p) values[p] = at[p] == 0 ? W(0) : values[p];
}

/// products[p] *= factors[p]
template <class W>
void multiply(const W* __restrict factors, int64_t count, W* __restrict products) {
  for (int64_t p = 0; p < count; ++p) products[p] *= factors[p];
}

/// sums[p] += products[p] * factors[p]
template <class W>
void add_products(const W* __restrict products, const W* __restrict factors, int64_t count,
                  W* __restrict sums) {
  for (int64_t p = 0; p < count; ++p) sums[p] += products[p] * factors[p];
}

/// values[p] = row[at[p] - 1] * factors[p], or 0 where at[p] is 0.
template <class T>
void pick_products(const T* __restrict row, const int32_t* __restrict at,
                   const T* __restrict factors, int64_t count, T* __restrict values) {
  for (int64_t p = 0; p < count; ++p) {
    const T value = row[at[p] == 0 ? 0 : at[p] - 1];
    values[p] = at[p] == 0 ? T(0) : value * factors[p];
  }
}

/// values[p] = row[at[p] - 1], or 0 where at[p] is 0.
template <class T>
void pick(const T* __restrict row, const int32_t* __restrict at, int64_t count,
          T* __restrict values) {
  for (int64_t p = 0; p < count; ++p) {
    const T value = row[at[p] == 0 ? 0 : at[p] - 1];
    values[p] = at[p] == 0 ? T(0) : value;
  }
}

template <class W>
void add_all(const W* __restrict values, int64_t count, W* __restrict sums) {
  for (int64_t p = 0; p < count; ++p) sums[p] += values[p];
}

template <class W>
using FindTaps = void (*)(const Axis<W>*, const W*, int64_t, AxisTaps<W>*);

template <class W, GridMode mode, GridPadding padding>
FindTaps<W> finder(bool slopes) {
  // Padding moves the pixels of cubic taps, not their weights.
  constexpr GridPadding of_weights = mode == GridMode::bicubic ? GridPadding::zeros : padding;
  if constexpr (mode != GridMode::nearest)
    if (slopes) return fastest<find_slopes<W, mode, of_weights>>();
  return fastest<find_taps<W, mode, padding>>();
}

template <class W, GridMode mode>
FindTaps<W> finder(GridPadding padding, bool slopes) {
  switch (padding) {
    case GridPadding::zeros:
      return finder<W, mode, GridPadding::zeros>(slopes);
    case GridPadding::border:
      return finder<W, mode, GridPadding::border>(slopes);
    default:
      return finder<W, mode, GridPadding::reflection>(slopes);
  }
}

/// Selects find_taps or find_slopes for a mode and a padding.
template <class W>
FindTaps<W> finder(GridMode mode, GridPadding padding, bool slopes) {
  switch (mode) {
    case GridMode::bilinear:
      return finder<W, GridMode::bilinear>(padding, slopes);
    case GridMode::nearest:
      return finder<W, GridMode::nearest>(padding, slopes);
    default:
      return finder<W, GridMode::bicubic>(padding, slopes);
  }
}

/// The points of a call, (samples, points, axes). Coordinates are in reverse order: the last one is
/// that of the slowest axis.
template <class W>
class Grid {
 public:
  Grid(const ArrayView& grid, const GridAttributes& attributes)
      : mode(attributes.mode),
        points(grid.layout.shape[1]),
        axes(static_cast<int>(grid.layout.shape[2])),
        along_(taps_along(mode)),
        grid_(static_cast<const W*>(grid.data)),
        padding_(attributes.padding),
        find_taps_(finder<W>(mode, padding_, false)),
        find_slopes_(finder<W>(mode, padding_, true)) {
    for (int d = 0; d < axes; ++d) {
      axis_[d] = {.size = attributes.sizes[d], .align_corners = attributes.align_corners};
      taps *= along_;
    }
  }

  /// Computes the taps of `count` points of a sample from `first` on, over all axes and along each.
  void find(int64_t sample, int64_t first, int64_t count, BlockTaps<W>& block,
            AxisTaps<W> (&found)[kMostAxes]) const {
    static const auto join = fastest<join_taps<W>>();
    static const auto clear = fastest<clear_outside<W>>();
    W coordinates[kGridBlock];
    for (int d = 0; d < axes; ++d) {
      take_coordinates(sample, first, count, d, coordinates);
      find_taps_(&axis_[d], coordinates, count, &found[d]);
    }
    for (int tap = 0; tap < taps; ++tap) {
      const int slowest = tap_along(tap, 0);
      std::copy_n(found[0].pixels[slowest], count, block.at[tap]);
      std::copy_n(found[0].weights[slowest], count, block.weights[tap]);
      for (int d = 1; d < axes; ++d) {
        const int axis_tap = tap_along(tap, d);
        join(found[d].pixels[axis_tap], found[d].weights[axis_tap], axis_[d].size, count,
             block.at[tap], block.weights[tap]);
      }
      if (padding_ == GridPadding::zeros) clear(block.at[tap], count, block.weights[tap]);
    }
  }

  /// The gradient of the points for which `find` found the taps; `slopes` are the gradients of the
  /// weights.
  void backward(int64_t sample, int64_t first, int64_t count, AxisTaps<W> (&found)[kMostAxes],
                const W (&slopes)[kMostTaps][kGridBlock], W* out) const {
    static const auto times = fastest<multiply<W>>();
    static const auto add = fastest<add_products<W>>();
    W sums[kMostAxes][kGridBlock] = {}, product[kGridBlock];
    for (int d = 0; d < axes; ++d) {
      take_coordinates(sample, first, count, d, product);
      find_slopes_(&axis_[d], product, count, &found[d]);
    }
    for (int tap = 0; tap < taps; ++tap)
      for (int d = 0; d < axes; ++d) {
        std::copy_n(slopes[tap], count, product);
        for (int other = 0; other < axes; ++other)
          if (other != d) times(found[other].weights[tap_along(tap, other)], count, product);
        add(product, found[d].slopes[tap_along(tap, d)], count, sums[d]);
      }
    for (int64_t p = 0; p < count; ++p)
      for (int d = 0; d < axes; ++d)
        out[((sample * points) + first + p) * axes + axes - 1 - d] = sums[d][p];
  }

  const GridMode mode;
  const int64_t points;
  const int axes;
  int taps = 1;

 private:
  void take_coordinates(int64_t sample, int64_t first, int64_t count, int axis, W* to) const {
    const W* from = grid_ + (sample * points + first) * axes + axes - 1 - axis;
    for (int64_t p = 0; p < count; ++p) to[p] = from[p * axes];
  }
  /// The tap along one axis that a tap of all axes consists of.
  int tap_along(int tap, int axis) const {
    for (int d = axes - 1; d > axis; --d) tap /= along_;
    return tap % along_;
  }

  int along_;
  const W* grid_;
  GridPadding padding_;
  FindTaps<W> find_taps_, find_slopes_;
  Axis<W> axis_[kMostAxes] = {};
};

/// The sampled planes, and how the work is split.
template <class T>
struct Planes {
  int64_t samples, channels, size, points;
  int taps;
  Parallel& parallel;

  Planes(ComputeCall& call, const ArrayView& x, const Grid<T>& grid)
      : samples(x.layout.shape[0]),
        channels(x.layout.shape[1]),
        size(x.layout.shape[2]),
        points(grid.points),
        taps(grid.taps),
        parallel(*call.parallel) {}

  /// Whether transposing the pixels takes less time than it saves.
  bool transposing_pays() const { return channels > 2 && size <= points * std::max(taps, 2) / 2; }

  /// Calls body(sample, first, count) for blocks of points of the samples in [from, to).
  template <class Body>
  void for_points(int64_t from, int64_t to, const Body& body) const {
    const int64_t parts = (points + kGridBlock - 1) / kGridBlock;
    const int64_t work = channels * taps * std::min(points, kGridBlock);
    parallel.for_range((to - from) * parts, std::max<int64_t>(1, kGrain / (work + 1)),
                       [&](int64_t begin, int64_t end) {
                         for (int64_t i = begin; i < end; ++i) {
                           const int64_t first = i % parts * kGridBlock;
                           body(from + i / parts, first, std::min(kGridBlock, points - first));
                         }
                       });
  }
};

/// Transposed pixels of some samples, with the channels padded to full vectors. A pixel of zeros
/// precedes those of each sample, for taps outside.
template <class T>
class TransposedPixels {
 public:
  const int lanes;
  const int64_t width;  ///< of a pixel

  TransposedPixels(const Planes<T>& planes, const T* x)
      : lanes(lanes_for<T>(planes.channels)),
        width((planes.channels + lanes - 1) / lanes * lanes),
        planes_(planes),
        x_(x) {}

  /// Calls body(first, last) for groups of samples, the number that is held at a time.
  template <class Body>
  void for_samples(const Body& body) {
    static thread_local Workspace workspace;
    const int64_t bytes = length() * static_cast<int64_t>(sizeof(T));
    // The pixels that a thread transposes stay in its second-level cache.
    const int64_t most = planes_.parallel.threads() * kBytesOfThread;
    const int64_t together = std::clamp<int64_t>(most / bytes, 1, planes_.samples);
    pixels_ = workspace.get<T>(together * length());
    for (first_ = 0; first_ < planes_.samples; first_ += together) {
      const int64_t last = std::min(planes_.samples, first_ + together);
      fill(last);
      body(first_, last);
    }
  }

  const T* of(int64_t sample) const { return pixels_ + (sample - first_) * length(); }

 private:
  static constexpr int64_t kBytesOfThread = 512 << 10;

  int64_t length() const { return (planes_.size + 1) * width; }

  void fill(int64_t last) {
    const auto move =
        form_for<T>(lanes, [](auto n) { return form<to_pixels<T, n>, n * sizeof(T)>(); });
    const int64_t size = planes_.size;
    planes_.parallel.for_range((last - first_) * size, std::max<int64_t>(1, 4 * kGrain / width),
                               [&](int64_t begin, int64_t end) {
                                 while (begin < end) {
                                   const int64_t sample = begin / size, from = begin % size;
                                   const int64_t to = std::min(size, from + end - begin);
                                   T* to_pixel = pixels_ + sample * length();
                                   if (from == 0) std::fill_n(to_pixel, width, T(0));
                                   move(x_ + (first_ + sample) * planes_.channels * size, size,
                                        planes_.channels, width, from, to, to_pixel + width);
                                   begin += to - from;
                                 }
                               });
  }

  const Planes<T>& planes_;
  const T* x_;
  T* pixels_ = nullptr;
  int64_t first_ = 0;  ///< the first sample that is held
};

/// The sums over the taps of `count` points, `lanes` channels at a time, stored to rows that are
/// `stride` apart.
template <class T, int lanes>
void blend_pixels(const T* pixels, int64_t width, int64_t channels, const BlockTaps<T>* block,
                  int taps, int64_t count, T* out, int64_t stride) {
  using Vector = typename LanesOf<T, lanes>::Vector;
  for (int64_t first = 0; first < count; first += lanes) {
    const int64_t together = std::min<int64_t>(lanes, count - first);
    for (int64_t c = 0; c < channels; c += lanes) {
      Vector sums[lanes] = {};
      for (int64_t p = 0; p < together; ++p) {
        Vector sum, pixel;
        for (int tap = 0; tap < taps; ++tap) {
          std::memcpy(&pixel, pixels + block->at[tap][first + p] * width + c, sizeof pixel);
          pixel *= block->weights[tap][first + p];
          sum = tap == 0 ? pixel : sum + pixel;
        }
        sums[p] = sum;
      }
      store_block<T, lanes>(sums, out + c * stride + first, stride, channels - c, together);
    }
  }
}

template <class T>
void sample_by_pixels(const Planes<T>& planes, const Grid<T>& grid, const T* x, T* out) {
  TransposedPixels<T> pixels(planes, x);
  const auto blend =
      form_for<T>(pixels.lanes, [](auto n) { return form<blend_pixels<T, n>, n * sizeof(T)>(); });
  pixels.for_samples([&](int64_t from, int64_t to) {
    planes.for_points(from, to, [&](int64_t sample, int64_t first, int64_t count) {
      BlockTaps<T> block;
      AxisTaps<T> found[kMostAxes];
      grid.find(sample, first, count, block, found);
      blend(pixels.of(sample), pixels.width, planes.channels, &block, grid.taps, count,
            out + sample * planes.channels * planes.points + first, planes.points);
    });
  });
}

/// Samples the nearest pixels by rows: each plane fits in the first-level cache.
template <class T>
void sample_nearest(const Planes<T>& planes, const Grid<T>& grid, const T* x, T* out) {
  static const auto take = fastest<pick<T>>();
  planes.for_points(0, planes.samples, [&](int64_t sample, int64_t first, int64_t count) {
    BlockTaps<T> block;
    AxisTaps<T> found[kMostAxes];
    grid.find(sample, first, count, block, found);
    for (int64_t plane = sample * planes.channels; plane < (sample + 1) * planes.channels; ++plane)
      take(x + plane * planes.size, block.at[0], count, out + plane * planes.points + first);
  });
}

/// Samples by rows: one channel after the other.
template <class T>
void sample_by_rows(const Planes<T>& planes, const Grid<T>& grid, const T* x, T* out) {
  static const auto pick = fastest<pick_products<T>>();
  static const auto add = fastest<add_all<T>>();
  planes.for_points(0, planes.samples, [&](int64_t sample, int64_t first, int64_t count) {
    BlockTaps<T> block;
    AxisTaps<T> found[kMostAxes];
    grid.find(sample, first, count, block, found);
    T sums[kGridBlock], terms[kGridBlock];
    for (int64_t plane = sample * planes.channels; plane < (sample + 1) * planes.channels;
         ++plane) {
      const T* row = x + plane * planes.size;
      pick(row, block.at[0], block.weights[0], count, sums);
      for (int tap = 1; tap < grid.taps; ++tap) {
        pick(row, block.at[tap], block.weights[tap], count, terms);
        add(terms, count, sums);
      }
      std::copy_n(sums, count, out + plane * planes.points + first);
    }
  });
}

/// slopes[tap][p], the gradients of the weights: sums over the channels, in order.
template <class T, int lanes>
void dot_pixels(const T* pixels, int64_t width, int64_t channels, const BlockTaps<T>* block,
                int taps, int64_t count, const T* dy, int64_t stride, T (*slopes)[kGridBlock]) {
  using Vector = typename LanesOf<T, lanes>::Vector;
  for (int64_t first = 0; first < count; first += lanes) {
    const int64_t together = std::min<int64_t>(lanes, count - first);
    for (int64_t c = 0; c < channels; c += lanes) {
      Vector rises[lanes];
      load_block<T, lanes>(dy + c * stride + first, stride, channels - c, together, rises);
      for (int tap = 0; tap < taps; ++tap) {
        Vector products[lanes] = {}, sum = {};
        for (int64_t p = 0; p < together; ++p) {
          Vector pixel;
          std::memcpy(&pixel, pixels + block->at[tap][first + p] * width + c, sizeof pixel);
          products[p] = pixel * rises[p];
        }
        transpose<T, lanes>(products);
        if (c > 0) std::memcpy(&sum, slopes[tap] + first, sizeof sum);
        for (int64_t row = 0; row < std::min<int64_t>(lanes, channels - c); ++row)
          sum += products[row];
        std::memcpy(slopes[tap] + first, &sum, sizeof sum);
      }
    }
  }
}

/// The gradient of the grid.
template <class T>
void grid_gradient(const Planes<T>& planes, const Grid<T>& grid, const T* dy, const T* x, T* out) {
  if (grid.mode == GridMode::nearest)
    return void(std::fill_n(out, planes.samples * planes.points * grid.axes, T(0)));
  static const auto pick = fastest<pick_products<T>>();
  static const auto add = fastest<add_all<T>>();
  static const auto clear = fastest<clear_outside<T>>();
  TransposedPixels<T> pixels(planes, x);
  const auto dot =
      form_for<T>(pixels.lanes, [](auto n) { return form<dot_pixels<T, n>, n * sizeof(T)>(); });
  const bool transposed = planes.transposing_pays();
  const auto run = [&](int64_t from, int64_t to) {
    planes.for_points(from, to, [&](int64_t sample, int64_t first, int64_t count) {
      BlockTaps<T> block;
      AxisTaps<T> found[kMostAxes];
      grid.find(sample, first, count, block, found);
      T slopes[kMostTaps][kGridBlock] = {}, terms[kGridBlock];
      const T* rise = dy + sample * planes.channels * planes.points + first;
      if (transposed) {
        dot(pixels.of(sample), pixels.width, planes.channels, &block, grid.taps, count, rise,
            planes.points, slopes);
        for (int tap = 0; tap < grid.taps; ++tap) clear(block.at[tap], count, slopes[tap]);
      } else {
        for (int64_t c = 0; c < planes.channels; ++c)
          for (int tap = 0; tap < grid.taps; ++tap) {
            pick(x + (sample * planes.channels + c) * planes.size, block.at[tap],
                 rise + c * planes.points, count, terms);
            add(terms, count, slopes[tap]);
          }
      }
      grid.backward(sample, first, count, found, slopes, out);
    });
  };
  transposed ? pixels.for_samples(run) : run(0, planes.samples);
}

/// Adds the contributions of `lanes` channels of `count` points to their pixels, point by point.
template <class T, int lanes>
void spread_pixels(const T* dy, int64_t stride, int64_t channels, const BlockTaps<T>* block,
                   int taps, int64_t count, T* pixels) {
  using Vector = typename LanesOf<T, lanes>::Vector;
  for (int64_t first = 0; first < count; first += lanes) {
    const int64_t together = std::min<int64_t>(lanes, count - first);
    Vector rises[lanes];
    load_block<T, lanes>(dy + first, stride, channels, together, rises);
    for (int64_t p = 0; p < together; ++p)
      for (int tap = 0; tap < taps; ++tap) {
        T* const to = pixels + int64_t{block->at[tap][first + p]} * lanes;
        Vector pixel;
        std::memcpy(&pixel, to, sizeof pixel);
        pixel += rises[p] * block->weights[tap][first + p];
        std::memcpy(to, &pixel, sizeof pixel);
      }
  }
}

/// The gradient of x. Points may share pixels, so one part takes all points of some channels, in
/// order.
template <class T>
void spread_by_pixels(const Planes<T>& planes, const Grid<T>& grid, const T* dy, T* dx) {
  const int lanes = lanes_for<T>(planes.channels);
  const auto spread =
      form_for<T>(lanes, [](auto n) { return form<spread_pixels<T, n>, n * sizeof(T)>(); });
  const auto move =
      form_for<T>(lanes, [](auto n) { return form<from_pixels<T, n>, n * sizeof(T)>(); });
  const int64_t groups = (planes.channels + lanes - 1) / lanes;
  planes.parallel.for_range(planes.samples * groups, 1, [&](int64_t begin, int64_t end) {
    static thread_local Workspace workspace;
    T* const pixels = workspace.get<T>((planes.size + 1) * lanes);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t sample = i / groups, c = i % groups * lanes;
      const int64_t plane = sample * planes.channels + c;
      std::fill_n(pixels, (planes.size + 1) * lanes, T(0));
      for (int64_t first = 0; first < planes.points; first += kGridBlock) {
        const int64_t count = std::min(kGridBlock, planes.points - first);
        BlockTaps<T> block;
        AxisTaps<T> found[kMostAxes];
        grid.find(sample, first, count, block, found);
        spread(dy + plane * planes.points + first, planes.points, planes.channels - c, &block,
               grid.taps, count, pixels);
      }
      move(pixels + lanes, planes.size, planes.channels - c, dx + plane * planes.size);
    }
  });
}

/// Computes it by rows, with the channels split so that each thread has a part.
template <class T>
void spread_by_rows(const Planes<T>& planes, const Grid<T>& grid, const T* dy, T* dx) {
  const int64_t parts = (planes.parallel.threads() + planes.samples - 1) / planes.samples;
  const int64_t groups = std::min(planes.channels, parts);
  const int64_t size = planes.size;
  planes.parallel.for_range(planes.samples * groups, 1, [&](int64_t begin, int64_t end) {
    static thread_local Workspace workspace;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t sample = i / groups, group = i % groups;
      const int64_t from = sample * planes.channels + planes.channels * group / groups;
      const int64_t to = sample * planes.channels + planes.channels * (group + 1) / groups;
      T* const sums = dx + from * size;
      std::fill_n(sums, (to - from) * size, T(0));
      for (int64_t first = 0; first < planes.points; first += kGridBlock) {
        const int64_t count = std::min(kGridBlock, planes.points - first);
        BlockTaps<T> block;
        AxisTaps<T> found[kMostAxes];
        grid.find(sample, first, count, block, found);
        for (int64_t plane = from; plane < to; ++plane) {
          const T* rises = dy + plane * planes.points + first;
          T* const pixels = sums + (plane - from) * size;
          for (int64_t p = 0; p < count; ++p)
            for (int tap = 0; tap < grid.taps; ++tap)
              if (const int32_t at = block.at[tap][p])
                pixels[at - 1] += rises[p] * block.weights[tap][p];
        }
      }
    }
  });
}

template <class T>
void sample(ComputeCall& call) {
  const Grid<T> grid(call.inputs[1], unpack<GridAttributes>(call.attributes));
  const Planes<T> planes(call, call.inputs[0], grid);
  const auto* x = static_cast<const T*>(call.inputs[0].data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  constexpr int64_t kNearBytes = 32 << 10;
  if (grid.mode == GridMode::nearest && planes.size * int64_t{sizeof(T)} <= kNearBytes)
    return sample_nearest(planes, grid, x, out);
  planes.transposing_pays() ? sample_by_pixels(planes, grid, x, out)
                            : sample_by_rows(planes, grid, x, out);
}

template <class T>
void sample_backward(ComputeCall& call) {
  const auto attributes = unpack<GridBackwardAttributes>(call.attributes);
  const Grid<T> grid(call.inputs[2], attributes.grid);
  const Planes<T> planes(call, call.inputs[1], grid);
  const auto* dy = static_cast<const T*>(call.inputs[0].data);
  const bool of_x = attributes.of_x, of_grid = attributes.of_grid;
  if (of_x && call.outputs[0].layout.shape.numel() > 0) {
    auto* dx = static_cast<T*>(call.outputs[0].data);
    planes.transposing_pays() ? spread_by_pixels(planes, grid, dy, dx)
                              : spread_by_rows(planes, grid, dy, dx);
  }
  const ArrayView* out = of_grid ? &call.outputs[of_x ? 1 : 0] : nullptr;
  if (out && out->layout.shape.numel() > 0)
    grid_gradient(planes, grid, dy, static_cast<const T*>(call.inputs[1].data),
                  static_cast<T*>(out->data));
}

}  // namespace

void compute_grid_sample(ComputeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  call.inputs[0].type == DType::f64 ? sample<double>(call) : sample<float>(call);
}

void compute_grid_sample_backward(ComputeCall& call) {
  call.inputs[0].type == DType::f64 ? sample_backward<double>(call) : sample_backward<float>(call);
}

}  // namespace tide
