// Pooling over planes, and other numbers of dimensions as planes.
#include "runtime/ops/nn/pooling.h"

#include <array>
#include <string>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/nn/integer_convolution.h"
#include "runtime/ops/nn/planes.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

using Pair = std::array<int64_t, 2>;

/// Parameters of windows over a plane.
struct PoolingWindow {
  const char* name;
  Pair kernel, stride, padding, dilation;
  bool ceil_mode;
  bool channels_last = false;  ///< memory layout of all arrays
};

auto attributes_of(const PoolingWindow& w) {
  return pack(MaxPoolAttributes{.kernel = {w.kernel[0], w.kernel[1]},
                                .stride = {w.stride[0], w.stride[1]},
                                .padding = {w.padding[0], w.padding[1]},
                                .dilation = {w.dilation[0], w.dilation[1]},
                                .channels_last = w.channels_last});
}

/// One value for each dimension of a plane; a line is a plane of height 1, with `outer` for the
/// height.
Pair per_plane_dim(const char* name, const char* what, const Sizes& sizes, int dims, int64_t outer,
                   int64_t least) {
  check_one_or_each(name, what, sizes.size(), dims);
  for (int64_t size : sizes) check_amount(name, what, size, least);
  if (dims == 1) return {outer, sizes[0]};
  return {sizes[0], sizes[sizes.size() - 1]};
}

PoolingWindow pooling_window(const char* name, int dims, const Sizes& kernel,
                             const std::optional<Sizes>& stride,
                             const std::optional<Sizes>& padding,
                             const std::optional<Sizes>& dilation, bool ceil_mode) {
  PoolingWindow w{name, {}, {}, {}, {}, ceil_mode};
  w.kernel = per_plane_dim(name, "kernel_size", kernel, dims, 1, 1);
  w.stride =
      stride && !stride->empty() ? per_plane_dim(name, "stride", *stride, dims, 1, 1) : w.kernel;
  w.padding = per_plane_dim(name, "padding", padding.value_or(Sizes{0}), dims, 0, 0);
  w.dilation = per_plane_dim(name, "dilation", dilation.value_or(Sizes{1}), dims, 1, 1);
  for (int d = 0; d < 2; ++d)
    if (w.padding[d] > w.kernel[d] / 2)
      throw ShapeError(std::string(name) + ": padding must be at most half the kernel: " +
                       std::to_string(w.padding[d]) + " of " + std::to_string(w.kernel[d]));
  return w;
}

/// x as (n, c, h, w): without a batch, or as lines, dimensions of size 1 are added. With `whole`
/// integers are allowed. Dimensions from `filled` must not be empty; by default only the batch may
/// be.
Tensor as_planes(const char* name, const Tensor& x, int dims, bool whole = false,
                 std::optional<int> filled = {}) {
  check_rank(name, x, dims + 1, dims + 2);
  for (int d = filled.value_or(x.rank() - dims - 1); d < x.rank(); ++d)
    if (x.shape()[d] == 0) throw_no_elements(name, x.shape());
  if (!whole || !is_integer(x.dtype())) check_floating(name, x.dtype());
  Tensor planes = x.rank() == dims + 1 ? unsqueeze(x, Dim{0}) : x;
  return dims == 1 ? unsqueeze(planes, Dim{2}) : planes;
}

/// The result for x's own number of dimensions.
Tensor from_planes(const Tensor& y, const Tensor& x, int dims) {
  Tensor result = dims == 1 ? squeeze(y, Dims{2}) : y;
  return x.rank() == dims + 1 ? squeeze(result, Dims{0}) : result;
}

int64_t result_size(const PoolingWindow& w, int64_t size, int d) {
  const int64_t reach = w.dilation[d] * (w.kernel[d] - 1) + 1;
  const int64_t span = size + 2 * w.padding[d] - reach;
  int64_t count = span < 0 ? 0 : (span + (w.ceil_mode ? w.stride[d] - 1 : 0)) / w.stride[d] + 1;
  if (span < 0 && w.ceil_mode && -span < w.stride[d]) count = 1;
  // The last window must start inside the input or the padding before it.
  if (w.ceil_mode && (count - 1) * w.stride[d] >= size + w.padding[d]) --count;
  if (count < 1) throw_kernel_too_large(w.name, w.kernel[d], size + 2 * w.padding[d]);
  return count;
}

Shape result_shape(const PoolingWindow& w, const Tensor& x) {
  const Shape& shape = x.shape();
  return {shape[0], shape[1], result_size(w, shape[2], 0), result_size(w, shape[3], 1)};
}

/// dy scattered to `positions` of planes of `shape`: the gradient of max pooling. Its gradient is a
/// gather.
Tensor unpool(const PoolingWindow& w, const Tensor& dy, const Tensor& positions,
              const Shape& shape) {
  const Tensor inputs[] = {arranged(dy, w.channels_last), positions};
  const ComputeResult result{shape, dy.dtype()};
  const Tensor dx = record_on_planes(ComputeOp::max_pool2d_backward, w.name, inputs, {&result, 1},
                                     attributes_of(w), PlanesLayout(w.channels_last))[0];
  if (needs_grad_fn(dy)) {
    set_grad_fn(dx, w.name, {dy}, false,
                [positions = Saved(positions)](const GradientCall& call) -> std::vector<Tensor> {
                  const Tensor at = positions.get();
                  const Tensor picked =
                      lookup_along("max_pool2d", flatten(call.dy, Dim{2}), 2, flatten(at, Dim{2}));
                  return {reshape_to(picked, at.shape())};
                });
  }
  return dx;
}

/// Maxima and, if requested, their positions in the planes (n, c, h, w).
std::pair<Tensor, Tensor> max_planes(PoolingWindow w, const Tensor& input, bool positions_wanted) {
  w.channels_last = stays_channels_last(input);
  const Tensor x = arranged(input, w.channels_last);
  const Shape shape = result_shape(w, x);
  const ComputeResult results[] = {{shape, x.dtype()}, {shape, DType::i64}};
  const bool with_positions = positions_wanted || needs_grad_fn(x);
  const auto y = record_on_planes(ComputeOp::max_pool2d, w.name, {&x, 1},
                                  std::span(results, with_positions ? 2 : 1), attributes_of(w),
                                  PlanesLayout(w.channels_last));
  if (!with_positions) return {in_format_of(y[0], input), Tensor()};
  if (needs_grad_fn(x)) {
    set_grad_fn(y[0], w.name, {x}, false,
                [w, positions = Saved(y[1]),
                 shape = x.shape()](const GradientCall& call) -> std::vector<Tensor> {
                  return {unpool(w, call.dy, positions.get(), shape)};
                });
  }
  return {in_format_of(y[0], input), in_format_of(y[1], input)};
}

/// PyTorch's max_pool1d accepts integers if positions are requested.
Results max_pool(const PoolingWindow& w, const Tensor& x, int dims, bool return_indices) {
  const bool whole = dims == 2 || return_indices;
  const auto [values, positions] = max_planes(w, as_planes(w.name, x, dims, whole), return_indices);
  Results results{from_planes(values, x, dims)};
  if (return_indices) results.push_back(from_planes(positions, x, dims));
  return results;
}

struct Averaging {
  PoolingWindow window;
  bool count_include_pad;
  int64_t divisor;  ///< 0: the number of elements

  auto attributes() const {
    const PoolingWindow& w = window;
    return pack(AvgPoolAttributes{.kernel = {w.kernel[0], w.kernel[1]},
                                  .stride = {w.stride[0], w.stride[1]},
                                  .padding = {w.padding[0], w.padding[1]},
                                  .count_include_pad = count_include_pad,
                                  .divisor_override = divisor,
                                  .channels_last = w.channels_last});
  }
};

Tensor average(const Averaging& a, const Tensor& input);

/// The gradient of average pooling, whose gradient is average pooling.
Tensor spread_average(const Averaging& a, const Tensor& dy, const Shape& shape) {
  const PoolingWindow& w = a.window;
  const Tensor dense = arranged(dy, w.channels_last);
  const ComputeResult result{shape, dy.dtype()};
  const Tensor dx =
      record_on_planes(ComputeOp::avg_pool2d_backward, w.name, {&dense, 1}, {&result, 1},
                       a.attributes(), PlanesLayout(w.channels_last))[0];
  if (needs_grad_fn(dense)) {
    set_grad_fn(dx, w.name, {dense}, false, [a](const GradientCall& call) -> std::vector<Tensor> {
      return {average(a, call.dy)};
    });
  }
  return dx;
}

/// Of a floating type or i64.
Tensor average(const Averaging& averaging, const Tensor& input) {
  Averaging a = averaging;
  a.window.channels_last = stays_channels_last(input);
  if (input.dtype() == DType::i64) {
    const auto pool = [&](const Tensor& x, bool divided) {
      return average({a.window, a.count_include_pad, divided ? 0 : 1}, x);
    };
    return whole::average(input, pool,
                          a.divisor ? std::optional<int64_t>(a.divisor) : std::nullopt);
  }
  const PoolingWindow& w = a.window;
  const Tensor x = arranged(input, w.channels_last);
  const ComputeResult result{result_shape(w, x), x.dtype()};
  const Tensor y = record_on_planes(ComputeOp::avg_pool2d, w.name, {&x, 1}, {&result, 1},
                                    a.attributes(), PlanesLayout(w.channels_last))[0];
  if (needs_grad_fn(x)) {
    set_grad_fn(y, w.name, {x}, false,
                [a, shape = x.shape()](const GradientCall& call) -> std::vector<Tensor> {
                  return {spread_average(a, call.dy, shape)};
                });
  }
  return in_format_of(y, input);
}

/// The requested size of each of `dims` dimensions.
std::vector<int64_t> adaptive_sizes(const char* name, const Sizes& size, int dims) {
  check_one_or_each(name, "output_size", size.size(), dims);
  std::vector<int64_t> sizes;
  for (int d = 0; d < dims; ++d) {
    sizes.push_back(size[size.size() == 1 ? 0 : d]);
    check_amount(name, "output_size", sizes.back(), 0);
  }
  return sizes;
}

/// Window i of `count` over n elements: from floor(i n / count) up to ceil((i + 1) n / count).
struct AdaptiveWindows {
  int64_t n, count;
  int64_t begin(int64_t i) const { return i * n / count; }
  int64_t end(int64_t i) const { return ((i + 1) * n + count - 1) / count; }
  int64_t longest() const {
    int64_t length = 0;
    for (int64_t i = 0; i < count; ++i) length = std::max(length, end(i) - begin(i));
    return length;
  }
};

/// The positions (from 1) of the elements of each adaptive window, one after the other; shorter
/// windows repeat their last element, which changes neither the maximum nor its first position.
std::vector<int64_t> window_positions(const AdaptiveWindows& windows) {
  std::vector<int64_t> positions;
  check_list_length("adaptive_max_pool", windows.n, windows.count);
  const int64_t length = windows.longest();
  for (int64_t i = 0; i < windows.count; ++i)
    for (int64_t j = 0; j < length; ++j)
      positions.push_back(std::min(windows.begin(i) + j, windows.end(i) - 1) + 1);
  return positions;
}

Tensor constant(const std::vector<int64_t>& values, const Shape& shape, Device device) {
  return record_constant(values.data(), shape, DType::i64, device);
}

/// Means along one dimension.
Tensor adaptive_mean(const Tensor& x, int dim, int64_t count) {
  const int64_t n = x.shape()[dim];
  if (count == n) return x;
  if (count == 1) return mean(x, Dims{dim}, true);
  const AdaptiveWindows windows{n, count};
  const int64_t length = count ? windows.longest() : 0;
  Shape shape = x.shape();
  shape[dim] = count;
  shape.insert(dim + 1, length);
  if (count && n % count == 0) return mean(reshape_to(x, shape), Dims{dim + 1});
  const std::vector<int64_t> positions = window_positions(windows);
  const Tensor parts = reshape_to(
      index_select(x, Dim{dim}, constant(positions, {count * length}, x.device())), shape);
  // Repeated elements of shorter windows are masked; not with a weight of 0, as they may be
  // infinite.
  std::vector<double> sizes;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(static_cast<double>(windows.end(i) - windows.begin(i)));
  Shape across;
  for (int d = dim; d < x.rank(); ++d) across.push_back(d == dim ? count : 1);
  const Tensor size =
      convert(record_constant(sizes.data(), across, DType::f64, x.device()), x.dtype());
  Shape along{length};
  for (int d = dim + 1; d < x.rank(); ++d) along.push_back(1);
  const Tensor index = reshape_to(arange_to(length, {.dtype = {}, .device = x.device()}), along);
  const Tensor counted = lt(index, unsqueeze(size, Dim{1}));
  return sum(where(counted, parts, 0), Dims{dim + 1}) / size;
}

Tensor adaptive_average(const char* name, const Tensor& x, const Sizes& size, int dims) {
  const std::vector<int64_t> sizes = adaptive_sizes(name, size, dims);
  as_planes(name, x, dims, false, x.rank() - dims);
  if (dims == 2 && sizes[0] == 1 && sizes[1] == 1) return mean(x, Dims{-2, -1}, true);
  Tensor y = convert(x, compute_type(x.dtype()));
  for (int d = 0; d < dims; ++d) y = adaptive_mean(y, x.rank() - dims + d, sizes[d]);
  return unshared(convert(contiguous(y), x.dtype()), x);
}

Results adaptive_max(const char* name, const Tensor& input, const Sizes& size, int dims,
                     bool return_indices) {
  const std::vector<int64_t> sizes = adaptive_sizes(name, size, dims);
  const Tensor x = as_planes(name, input, dims, false, 1);
  const Device device = x.device();
  const AdaptiveWindows rows{x.shape()[2], dims == 1 ? 1 : sizes[0]};
  const AdaptiveWindows columns{x.shape()[3], sizes.back()};
  const std::vector<int64_t> row_at = window_positions(rows), column_at = window_positions(columns);
  // Without windows, the number of their elements may be anything but 0.
  const int64_t h = rows.count, w = columns.count, kh = h ? rows.longest() : 1,
                kw = w ? columns.longest() : 1;
  // Windows are gathered next to each other, then reduced along one dimension.
  Tensor windows = index_select(x, Dim{2}, constant(row_at, {h * kh}, device));
  windows = index_select(windows, Dim{3}, constant(column_at, {w * kw}, device));
  const Shape& shape = x.shape();
  windows = reshape_to(windows, {shape[0], shape[1], h, kh, w, kw});
  windows = reshape_to(permute(windows, {0, 1, 2, 4, 3, 5}), {shape[0], shape[1], h, w, kh * kw});
  const auto [values, within] = max_along(windows, Dim{4}, true);
  Results results{from_planes(squeeze(values, Dims{4}), input, dims)};
  if (!return_indices) return results;

  std::vector<int64_t> in_plane;
  for (int64_t i = 0; i < h; ++i)
    for (int64_t j = 0; j < w; ++j)
      for (int64_t k = 0; k < kh * kw; ++k)
        in_plane.push_back((row_at[static_cast<size_t>(i * kh + k / kw)] - 1) * shape[3] +
                           column_at[static_cast<size_t>(j * kw + k % kw)]);
  const Tensor table = broadcast_to(constant(in_plane, {h, w, kh * kw}, device), windows.shape());
  const Tensor positions = lookup_along(name, table, 4, within);
  results.push_back(from_planes(squeeze(positions, Dims{4}), input, dims));
  return results;
}

}  // namespace

Results max_pool1d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride,
                   const std::optional<Sizes>& padding, const std::optional<Sizes>& dilation,
                   bool ceil_mode, bool return_indices) {
  return max_pool(pooling_window("max_pool1d", 1, kernel, stride, padding, dilation, ceil_mode), x,
                  1, return_indices);
}

Results max_pool2d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride,
                   const std::optional<Sizes>& padding, const std::optional<Sizes>& dilation,
                   bool ceil_mode, bool return_indices) {
  return max_pool(pooling_window("max_pool2d", 2, kernel, stride, padding, dilation, ceil_mode), x,
                  2, return_indices);
}

Tensor avg_pool1d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride,
                  const std::optional<Sizes>& padding, bool ceil_mode,
                  std::optional<bool> count_include_pad) {
  const Averaging a{pooling_window("avg_pool1d", 1, kernel, stride, padding, {}, ceil_mode),
                    count_include_pad.value_or(true), 0};
  return from_planes(average(a, as_planes("avg_pool1d", x, 1, x.dtype() == DType::i64)), x, 1);
}

Tensor avg_pool2d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride,
                  const std::optional<Sizes>& padding, bool ceil_mode,
                  std::optional<bool> count_include_pad, std::optional<int64_t> divisor_override) {
  if (divisor_override && *divisor_override == 0)
    throw Error("avg_pool2d: divisor_override must not be 0");
  const Averaging a{pooling_window("avg_pool2d", 2, kernel, stride, padding, {}, ceil_mode),
                    count_include_pad.value_or(true), divisor_override.value_or(0)};
  return from_planes(average(a, as_planes("avg_pool2d", x, 2, x.dtype() == DType::i64)), x, 2);
}

Tensor adaptive_avg_pool1d(const Tensor& x, const Sizes& size) {
  return adaptive_average("adaptive_avg_pool1d", x, size, 1);
}

Tensor adaptive_avg_pool2d(const Tensor& x, const Sizes& size) {
  return adaptive_average("adaptive_avg_pool2d", x, size, 2);
}

Results adaptive_max_pool1d(const Tensor& x, const Sizes& size, bool return_indices) {
  return adaptive_max("adaptive_max_pool1d", x, size, 1, return_indices);
}

Results adaptive_max_pool2d(const Tensor& x, const Sizes& size, bool return_indices) {
  return adaptive_max("adaptive_max_pool2d", x, size, 2, return_indices);
}

}  // namespace tide
