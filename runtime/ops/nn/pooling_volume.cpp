// Pooling over three dimensions: over planes first, then along the depth. This is equivalent:
// maxima are associative, and divisors of means are products.
#include <array>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/nn/integer_convolution.h"
#include "runtime/ops/nn/pooling.h"
#include "runtime/ops/shape/shape_ops.h"

namespace tide {
namespace {

/// One value for each of the three dimensions.
std::array<int64_t, 3> three(const char* name, const char* what, const Sizes& sizes) {
  check_one_or_each(name, what, sizes.size(), 3);
  if (sizes.size() == 1) return {sizes[0], sizes[0], sizes[0]};
  return {sizes[0], sizes[1], sizes[2]};
}

/// Parameters of windows; the depth comes first.
struct VolumeWindows {
  std::array<int64_t, 3> kernel, stride, padding, dilation;

  Sizes depth(const std::array<int64_t, 3>& of, int64_t other) const { return {other, of[0]}; }
  Sizes plane(const std::array<int64_t, 3>& of) const { return {of[1], of[2]}; }
};

VolumeWindows windows_of(const char* name, const Sizes& kernel, const std::optional<Sizes>& stride,
                         const std::optional<Sizes>& padding,
                         const std::optional<Sizes>& dilation) {
  const bool own_stride = stride && !stride->empty();
  return {three(name, "kernel_size", kernel), three(name, "stride", own_stride ? *stride : kernel),
          three(name, "padding", padding.value_or(Sizes{0})),
          three(name, "dilation", dilation.value_or(Sizes{1}))};
}

/// x (n, c, d, h, w) or (c, d, h, w) as (n * c, d, h, w): depths as channels. Dimensions from
/// `filled` (from 0, or from the end) must not be empty.
Tensor as_volumes(const char* name, const Tensor& x, int filled) {
  check_rank(name, x, 4, 5);
  for (int d = filled < 0 ? x.rank() + filled : filled; d < x.rank(); ++d)
    if (x.shape()[d] == 0) throw_no_elements(name, x.shape());
  return x.rank() == 5 ? flatten(x, Dim{0}, Dim{1}) : x;
}

/// (l, d, h, w) as (l, h * w, 1, d): the depth as the width of a plane.
Tensor depth_last(const Tensor& x) {
  return unsqueeze(flatten(permute(x, Dims{0, 2, 3, 1}), Dim{1}, Dim{2}), Dim{2});
}

/// The inverse, with the leading dimensions of `like`.
Tensor depth_back(const Tensor& x, const Shape& planes, const Tensor& like) {
  const int64_t depth = x.shape()[3];
  const Tensor volumes =
      permute(reshape_to(x, {x.shape()[0], planes[2], planes[3], depth}), Dims{0, 3, 1, 2});
  if (like.rank() == 4) return volumes;
  return unflatten(volumes, Dim{0}, {like.shape()[0], like.shape()[1]});
}

/// Values and, if requested, positions in the flattened volume, from positions in planes and along
/// the depth.
Results join_positions(const Results& flat, const Results& deep, const Tensor& x,
                       bool return_indices) {
  const Shape& planes = flat[0].shape();
  Results results{depth_back(deep[0], planes, x)};
  if (return_indices) {
    const int64_t area = x.shape()[x.rank() - 2] * x.shape()[x.rank() - 1];
    const Tensor in_plane = gather(depth_last(flat[1]), Dim{-1}, deep[1]);
    results.push_back(depth_back(in_plane + (deep[1] - 1) * Number(area), planes, x));
  }
  return results;
}

}  // namespace

Results max_pool3d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride,
                   const std::optional<Sizes>& padding, const std::optional<Sizes>& dilation,
                   bool ceil_mode, bool return_indices) {
  const VolumeWindows w = windows_of("max_pool3d", kernel, stride, padding, dilation);
  const Results flat =
      max_pool2d(as_volumes("max_pool3d", x, -4), w.plane(w.kernel), w.plane(w.stride),
                 w.plane(w.padding), w.plane(w.dilation), ceil_mode, return_indices);
  const Results deep =
      max_pool2d(depth_last(flat[0]), w.depth(w.kernel, 1), w.depth(w.stride, 1),
                 w.depth(w.padding, 0), w.depth(w.dilation, 1), ceil_mode, return_indices);
  return join_positions(flat, deep, x, return_indices);
}

Tensor avg_pool3d(const Tensor& x, const Sizes& kernel, const std::optional<Sizes>& stride,
                  const std::optional<Sizes>& padding, bool ceil_mode,
                  std::optional<bool> count_include_pad, std::optional<int64_t> divisor_override) {
  if (x.dtype() == DType::i64) {
    const auto pool = [&](const Tensor& of, bool divided) {
      return avg_pool3d(of, kernel, stride, padding, ceil_mode, count_include_pad,
                        divided ? std::nullopt : std::optional<int64_t>(1));
    };
    return whole::average(x, pool, divisor_override);
  }
  const VolumeWindows w = windows_of("avg_pool3d", kernel, stride, padding, {});
  const std::optional<int64_t> whole = divisor_override ? std::optional<int64_t>(1) : std::nullopt;
  const Tensor flat =
      avg_pool2d(as_volumes("avg_pool3d", x, -4), w.plane(w.kernel), w.plane(w.stride),
                 w.plane(w.padding), ceil_mode, count_include_pad, whole);
  const Tensor deep =
      avg_pool2d(depth_last(flat), w.depth(w.kernel, 1), w.depth(w.stride, 1),
                 w.depth(w.padding, 0), ceil_mode, count_include_pad, divisor_override);
  return depth_back(deep, flat.shape(), x);
}

Tensor adaptive_avg_pool3d(const Tensor& x, const Sizes& size) {
  const auto sizes = three("adaptive_avg_pool3d", "output_size", size);
  const Tensor flat =
      adaptive_avg_pool2d(as_volumes("adaptive_avg_pool3d", x, 1), Sizes{sizes[1], sizes[2]});
  return depth_back(adaptive_avg_pool2d(depth_last(flat), Sizes{1, sizes[0]}), flat.shape(), x);
}

Results adaptive_max_pool3d(const Tensor& x, const Sizes& size, bool return_indices) {
  const auto sizes = three("adaptive_max_pool3d", "output_size", size);
  const Results flat = adaptive_max_pool2d(as_volumes("adaptive_max_pool3d", x, 1),
                                           Sizes{sizes[1], sizes[2]}, return_indices);
  const Results deep = adaptive_max_pool2d(depth_last(flat[0]), Sizes{1, sizes[0]}, return_indices);
  return join_positions(flat, deep, x, return_indices);
}

}  // namespace tide
