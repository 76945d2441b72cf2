// Grid sampling is one compute op, and its gradients another; on GPUs, and for second derivatives,
// both are composed of gathers and elementwise ops that fuse.
#include "runtime/ops/nn/grid_sample.h"

#include <span>
#include <string>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/backward/backward.h"
#include "runtime/device/registry.h"
#include "runtime/ir/grid_mode.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Maps grid coordinates to pixels, in the computation type.
struct Sampling {
  GridPadding padding;
  bool align_corners;

  /// -1..1 as 0..size - 1, or to the outer edges of the pixels.
  Tensor to_pixels(const Tensor& coordinate, int64_t size) const {
    const double n = static_cast<double>(size);
    if (align_corners) return (coordinate + 1.0) * ((n - 1) / 2);
    return ((coordinate + 1.0) * n - 1.0) * 0.5;
  }

  /// Clamped to 0..size - 1; nan becomes 0.
  static Tensor clip(const Tensor& x, int64_t size) {
    const double last = static_cast<double>(size - 1);
    const Tensor low = where(gt(x, 0), x, 0.0);
    return where(lt(low, last), low, last);
  }

  /// Reflected at the edges, which are at pixel centers or between pixels.
  Tensor reflect(const Tensor& x, int64_t size) const {
    const double low = align_corners ? 0 : -0.5;
    const double span = align_corners ? static_cast<double>(size - 1) : static_cast<double>(size);
    if (span <= 0) return x * 0.0;
    const Tensor way = abs(x - low);
    const Tensor rest = fmod(way, span);
    const Tensor turns = floor(way / span);
    const Tensor odd = ne(remainder(turns, 2.0), 0);
    return where(odd, span - rest, rest) + low;
  }

  Tensor pad(const Tensor& x, int64_t size) const {
    if (padding == GridPadding::zeros) return x;
    return clip(padding == GridPadding::reflection ? reflect(x, size) : x, size);
  }
};

/// A pixel that a sample reads, along one dimension: its floating-point index from 0, possibly
/// outside, and its weight (undefined: 1).
struct Tap {
  Tensor pixel, weight;
};

std::vector<Tap> nearest_taps(const Tensor& coordinate) {
  const Tensor pixel = round(coordinate);
  // A weight of 1 with a gradient of 0, like that of rounding.
  return {{pixel, needs_grad_fn(coordinate) ? pixel - detach(pixel) + 1.0 : Tensor()}};
}

std::vector<Tap> linear_taps(const Tensor& coordinate) {
  const Tensor below = detach(floor(coordinate));
  const Tensor share = coordinate - below;
  return {{below, 1.0 - share}, {below + 1.0, share}};
}

/// Keys' cubic convolution with a = -0.75.
std::vector<Tap> cubic_taps(const Tensor& coordinate) {
  constexpr double a = kGridCubic;
  const Tensor below = detach(floor(coordinate));
  const Tensor t = coordinate - below, u = 1.0 - t;
  const auto near = [](const Tensor& x) { return ((a + 2) * x - (a + 3)) * x * x + 1.0; };
  const auto far = [](const Tensor& x) {  // of x + 1
    const Tensor y = x + 1.0;
    return ((a * y - 5 * a) * y + 8 * a) * y - 4 * a;
  };
  return {{below - 1.0, far(t)}, {below, near(t)}, {below + 1.0, near(u)}, {below + 2.0, far(u)}};
}

void check_sampling(const Tensor& x, const Tensor& grid, const std::string& mode) {
  const int dims = x.rank() - 2;
  check_rank("grid_sample", x, 4, 5);
  check_same_rank("grid_sample", x, grid);
  if (grid.shape()[dims + 1] != dims || grid.shape()[0] != x.shape()[0])
    throw ShapeError("grid_sample: a grid of shape " + grid.shape().text() +
                     " does not fit an input of " + x.shape().text());
  check_floating("grid_sample", x.dtype());
  check_same_type("grid_sample", x.dtype(), grid.dtype());
  for (int d = 2; d < x.rank(); ++d)
    if (x.shape()[d] == 0)
      throw ShapeError("grid_sample: the input has no pixels: " + x.shape().text());
  if (mode == "bicubic" && dims != 2)
    throw Error("grid_sample: mode bicubic is for planes only: " + x.shape().text());
}

/// One combination of taps, one for each dimension, slowest first: linear positions from 0, their
/// weights, and whether they are inside (undefined: all are).
struct Corner {
  Tensor position, weight, inside;
};

/// The pixel indices of the taps of one dimension, clamped to the inside, and whether the tap was
/// inside (undefined: it was).
struct HeldTap {
  Tensor pixel, weight, inside;
};

/// A call, with the grid in the computation type.
struct Grid {
  Tensor coordinates;
  std::string mode;
  Sampling sampling;
  Shape x;

  int dims() const { return x.rank() - 2; }
  /// The number of sampling points per image.
  int64_t count() const {
    int64_t count = 1;
    for (int d = 1; d < coordinates.rank() - 1; ++d) count *= coordinates.shape()[d];
    return count;
  }

  /// The taps of each dimension, slowest first.
  std::vector<std::vector<Tap>> taps() const {
    std::vector<std::vector<Tap>> all;
    for (int d = 0; d < dims(); ++d) {
      const int64_t size = x[d + 2];
      // The grid's last dimension begins with the fastest one.
      const Tensor coordinate =
          sampling.to_pixels(select(coordinates, Dim{-1}, Position{dims() - d}), size);
      if (mode == "bicubic") {
        all.push_back(cubic_taps(coordinate));
        for (Tap& tap : all.back()) tap.pixel = sampling.pad(tap.pixel, size);
      } else {
        const Tensor padded = sampling.pad(coordinate, size);
        all.push_back(mode == "nearest" ? nearest_taps(padded) : linear_taps(padded));
      }
    }
    return all;
  }
};

/// All combinations of the taps of the dimensions. Positions are computed in the type of the grid
/// if it can represent all indices, else as integers.
std::vector<Corner> corners_of(const Grid& grid) {
  const std::vector<std::vector<Tap>> taps = grid.taps();
  const Shape& x = grid.x;
  const Sampling& sampling = grid.sampling;
  const DType place_type = taps[0][0].pixel.dtype();
  const int64_t elements = x.numel() / (x[0] * x[1]);
  const bool exact = elements < (int64_t{1} << (place_type == DType::f64 ? 53 : 24));
  std::vector<Corner> corners(1);
  for (size_t d = 0; d < taps.size(); ++d) {
    const int64_t size = x[static_cast<int>(d) + 2];
    std::vector<HeldTap> held;
    for (const Tap& tap : taps[d]) {
      const Tensor pixel = detach(tap.pixel), inner = Sampling::clip(pixel, size);
      Tensor inside;
      if (sampling.padding == GridPadding::zeros)
        inside = logical_and(ge(pixel, 0), lt(pixel, static_cast<double>(size)));
      held.push_back({convert(inner, exact ? place_type : DType::i64), tap.weight, inside});
    }
    std::vector<Corner> longer;
    for (const Corner& corner : corners)
      for (const HeldTap& tap : held) {
        if (d == 0) {
          longer.push_back({tap.pixel, tap.weight, tap.inside});
          continue;
        }
        Corner next = corner;
        next.position = corner.position * Number(size) + tap.pixel;
        if (tap.inside.defined()) next.inside = logical_and(corner.inside, tap.inside);
        if (tap.weight.defined()) next.weight = corner.weight * tap.weight;
        longer.push_back(next);
      }
    corners = std::move(longer);
  }
  return corners;
}

/// The weighted sum over the corners of `count` sampling points, corner by corner. x is (n, c,
/// pixels).
Tensor gather_corners(const Tensor& x, const std::vector<Corner>& corners, int64_t count) {
  const DType type = compute_type(x.dtype());
  const Shape wide{x.shape()[0], x.shape()[1], count};
  const auto across = [&](const Tensor& t) { return reshape_to(t, {x.shape()[0], 1, count}); };
  Tensor sum;
  for (const Corner& corner : corners) {
    const Tensor at = broadcast_to(across(convert(corner.position, DType::i64)) + 1, wide);
    Tensor term = convert(lookup_along("grid_sample", x, 2, at), type);
    if (corner.weight.defined()) term = term * across(corner.weight);
    // Not times 0: values outside may be infinite.
    if (corner.inside.defined()) term = where(across(corner.inside), term, 0.0);
    sum = sum.defined() ? sum + term : term;
  }
  return convert(sum, x.dtype());
}

/// The number of pixels that `ComputeOp::grid_sample` can index.
constexpr int64_t kMostPixels = int64_t{1} << 30;

Tensor composed(const Tensor& x, const Grid& grid) {
  return gather_corners(x, corners_of(grid), grid.count());
}

GridAttributes attributes_of(const Grid& grid) {
  const GridMode mode = grid.mode == "bicubic"   ? GridMode::bicubic
                        : grid.mode == "nearest" ? GridMode::nearest
                                                 : GridMode::bilinear;
  GridAttributes attributes{.mode = mode,
                            .padding = grid.sampling.padding,
                            .align_corners = grid.sampling.align_corners,
                            .sizes = {}};
  for (int d = 0; d < grid.dims(); ++d) attributes.sizes[d] = static_cast<int32_t>(grid.x[d + 2]);
  return attributes;
}

/// Gradients of x (n, c, pixels) and of the grid (n, count, dims), as needed.
std::vector<Tensor> gradients_of(const Tensor& x, const Grid& grid, const Tensor& dy,
                                 std::span<const bool> needed) {
  if (GradientMode::enabled()) {
    Grid copy = grid;
    copy.coordinates = clone(grid.coordinates);  // hooks of the inputs must not run in this pass
    const Tensor x_copy = clone(x), y = composed(x_copy, copy);
    std::vector<Tensor> from, result(2);
    if (needed[0]) from.push_back(x_copy);
    if (needed[1]) from.push_back(copy.coordinates);
    std::vector<Tensor> found = gradients({&y, 1}, from, {&dy, 1}, {.create_graph = true});
    if (needed[1]) result[1] = found.back();
    if (needed[0]) result[0] = found.front();
    return result;
  }
  const auto attributes = pack(GridBackwardAttributes{needed[0], needed[1], attributes_of(grid)});
  const Tensor inputs[] = {contiguous(dy), x, grid.coordinates};
  std::vector<ComputeResult> outputs;
  if (needed[0]) outputs.push_back({x.shape(), x.dtype()});
  if (needed[1]) outputs.push_back({grid.coordinates.shape(), grid.coordinates.dtype()});
  const std::vector<Tensor> found =
      record_compute(ComputeOp::grid_sample_backward, "grid_sample", inputs, outputs, attributes);
  return {needed[0] ? found.front() : Tensor(), needed[1] ? found.back() : Tensor()};
}

/// x (n, c, pixels) sampled by one op.
Tensor sampled(const Tensor& planes, Grid grid) {
  const Tensor x = contiguous(planes);
  grid.coordinates =
      contiguous(reshape_to(grid.coordinates, {grid.x[0], grid.count(), grid.dims()}));
  const Tensor inputs[] = {x, grid.coordinates};
  const ComputeResult result{{x.shape()[0], x.shape()[1], grid.count()}, x.dtype()};
  const Tensor y = record_compute(ComputeOp::grid_sample, "grid_sample", inputs, {&result, 1},
                                  pack(attributes_of(grid)))[0];
  if (!needs_grad_fn(x) && !needs_grad_fn(grid.coordinates)) return y;
  set_grad_fn(
      y, "grid_sample", {x, grid.coordinates}, false,
      [mode = grid.mode, sampling = grid.sampling, shape = grid.x, x = Saved(x),
       coordinates = Saved(grid.coordinates)](const GradientCall& call) -> std::vector<Tensor> {
        const bool needed[] = {call.needed[0], call.needed[1]};
        return gradients_of(x.get(), {coordinates.get(), mode, sampling, shape}, call.dy, needed);
      });
  return y;
}

}  // namespace

Tensor grid_sample(const Tensor& x, const Tensor& grid, const std::optional<std::string>& mode,
                   const std::optional<std::string>& padding_mode, bool align_corners) {
  const std::string how = mode.value_or("bilinear");
  choose("grid_sample", "mode", how, {"bilinear", "nearest", "bicubic"});
  const Sampling sampling{
      static_cast<GridPadding>(choose("grid_sample", "padding_mode", padding_mode.value_or("zeros"),
                                      {"zeros", "border", "reflection"})),
      align_corners};
  check_sampling(x, grid, how);
  const DType type = compute_type(x.dtype());
  const Grid call{convert(grid, type), how, sampling, x.shape()};
  const Tensor flat = flatten(x, Dim{2});
  const bool by_one_op =
      has_kernel(ComputeOp::grid_sample, x.device()) && flat.shape()[2] < kMostPixels;
  const Tensor y =
      by_one_op ? convert(sampled(convert(flat, type), call), x.dtype()) : composed(flat, call);
  Shape shape{x.shape()[0], x.shape()[1]};
  for (int d = 1; d < grid.rank() - 1; ++d) shape.push_back(grid.shape()[d]);
  return reshape_to(y, shape);
}

Tensor affine_grid(const Tensor& theta, const Shape& size, bool align_corners) {
  const int dims = size.rank() - 2;
  if (dims != 2 && dims != 3)
    throw ShapeError("affine_grid: expected a size of 4 or 5 numbers, got " + size.text());
  check_floating("affine_grid", theta.dtype());
  if (theta.rank() != 3 || theta.shape()[0] != size[0] || theta.shape()[1] != dims ||
      theta.shape()[2] != dims + 1)
    throw ShapeError("affine_grid: theta of shape " + theta.shape().text() +
                     " does not fit a size of " + size.text());
  Shape sizes;
  for (int d = 0; d < dims; ++d) sizes.push_back(size[d + 2]);
  const TensorOptions options{.dtype = theta.dtype(), .device = theta.device()};
  std::vector<Tensor> columns;
  for (int d = dims - 1; d >= 0; --d) {
    const int64_t n = sizes[d];
    const double edge = n < 2           ? 0
                        : align_corners ? 1
                                        : static_cast<double>(n - 1) / static_cast<double>(n);
    Shape along;
    for (int k = 0; k < dims; ++k) along.push_back(k == d ? n : 1);
    columns.push_back(
        broadcast_to(reshape_to(linspace(-edge, edge, Number(n), options), along), sizes));
  }
  columns.push_back(ones(sizes, options));
  const Tensor base = reshape_to(stack(columns, Dim{-1}), {1, sizes.numel(), dims + 1});
  Shape shape{size[0]};
  for (int d = 0; d < dims; ++d) shape.push_back(sizes[d]);
  shape.push_back(dims);
  return reshape_to(matmul(base, matrix_transpose(theta)), shape);
}

}  // namespace tide
