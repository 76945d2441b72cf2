// Histograms: how many elements lie between the edges of bins.
#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/reduce/scan.h"
#include "runtime/ops/reduce/statistics.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

void check_values(const Tensor& x, const std::optional<Tensor>& weight) {
  check_floating("histogram", x.dtype());
  if (weight) check_shape("histogram", "weights", *weight, x.shape());
}

/// The range of the bins: the given one, else the minimum and maximum of x, which waits. Without
/// elements it is 0 and 1, and equal ends are moved apart.
std::pair<double, double> ends_of(const Tensor& x,
                                  const std::optional<std::vector<double>>& range) {
  if (range && range->size() != 2) throw Error("histogram: the range is two numbers");
  double ends[2] = {0, x.numel() > 0 ? 0.0 : 1.0};
  if (range)
    std::copy(range->begin(), range->end(), ends);
  else if (x.numel() > 0)
    convert(stack({min_all(x), max_all(x)}), DType::f64).read(ends, "histogram");
  if (!(ends[0] <= ends[1]) || !std::isfinite(ends[0]) || !std::isfinite(ends[1]))
    throw Error("histogram: the range is not finite, or its ends are in the wrong order: " +
                std::to_string(ends[0]) + " and " + std::to_string(ends[1]));
  if (ends[0] == ends[1]) ends[0] -= 0.5, ends[1] += 0.5;
  return {ends[0], ends[1]};
}

/// The sums of weights (default 1) of the elements in each `bin` (from 1), or their density;
/// elements outside the first and the last edge are ignored.
Tensor sums_of(const Tensor& x, const Tensor& bin, const Tensor& edges,
               const std::optional<Tensor>& weight, bool density) {
  const int64_t bins = edges.numel() - 1;
  const Tensor inside = logical_and(ge(x, slice(edges, 0, 0, 1)), le(x, slice(edges, 0, bins, 1)));
  const Tensor counted = weight ? flatten(convert(*weight, x.dtype())) : ones_like(x);
  const Tensor sums =
      scatter_add(new_zeros(x, {bins}), Dim{0}, where(inside, bin, 1), where(inside, counted, 0.0));
  return density ? sums / (sum(sums) * diff(edges)) : sums;
}

}  // namespace

std::tuple<Tensor, Tensor> histogram(const Tensor& x, int64_t bins,
                                     const std::optional<std::vector<double>>& range,
                                     const std::optional<Tensor>& weight, bool density) {
  check_values(x, weight);
  check_least("histogram", "bins", bins, 1);
  GradientMode off(false);
  const auto [low, high] = ends_of(x, range);
  const Tensor edges =
      linspace(low, high, Number(bins + 1), {.dtype = x.dtype(), .device = x.device()});
  const Tensor flat = flatten(x);
  const double width = (high - low) / static_cast<double>(bins);
  const Tensor bin_index =
      convert(clamp(floor((convert(flat, DType::f64) - low) / width), TensorOrNumber(0.0),
                    TensorOrNumber(static_cast<double>(bins - 1))),
              DType::i64);
  // Edges are rounded, so that a value near one may belong to the adjacent bin.
  const auto edge = [&](const Tensor& position) { return gather(edges, Dim{0}, position); };
  const Tensor above = logical_and(ge(flat, edge(bin_index + 2)), lt(bin_index, Number(bins - 1)));
  const Tensor below = logical_and(lt(flat, edge(bin_index + 1)), gt(bin_index, 0));
  const Tensor bin = bin_index + 1 + convert(above, DType::i64) - convert(below, DType::i64);
  return {sums_of(flat, bin, edges, weight, density), edges};
}

std::tuple<Tensor, Tensor> histogram_between(const Tensor& x, const Tensor& edges,
                                             const std::optional<Tensor>& weight, bool density) {
  check_values(x, weight);
  if (edges.rank() != 1 || edges.numel() < 2)
    throw ShapeError("histogram: expected 2 edges or more in one dimension, got " +
                     edges.shape().text());
  check_same_type("histogram", x.dtype(), edges.dtype());
  GradientMode off(false);
  const Tensor flat = flatten(x);
  // The number of edges up to a value is its bin, and one more at the last edge.
  const Tensor bin = clamp_max(bucketize(flat, edges, false, true) - 1, Number(edges.numel() - 1));
  return {sums_of(flat, bin, edges, weight, density), clone(detach(edges))};
}

Tensor histc(const Tensor& x, std::optional<int64_t> bins, std::optional<double> min,
             std::optional<double> max) {
  std::optional<std::vector<double>> range;
  const double low = min.value_or(0), high = max.value_or(0);
  // Without a range, or with an empty one, that of the data.
  if (low != high || x.numel() == 0) range = {low, high};
  return std::get<0>(histogram(x, bins.value_or(100), range));
}

}  // namespace tide
