// Variance and standard deviation, in two passes: the mean first, then the squared distances. All
// in float64: in float32, squares of distances above 2e19 or below 1e-23 overflow or underflow, and
// the rounded mean of large values is too inaccurate.
#include <algorithm>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/tensor/record.h"

namespace tide {
namespace {

struct Spread {
  const char* name;
  unsigned dims;
  double freedom;  ///< number of elements minus the correction

  double divisor() const { return std::max(freedom, 0.0); }
};

Spread spread_of(const char* name, const Tensor& x, const OptionalDims& dims,
                 std::optional<double> correction) {
  check_floating(name, x.dtype());
  const unsigned set = reduced_dims(name, dims, x.rank());
  const double count = static_cast<double>(reduced_count(x.shape(), set));
  return {name, set, count - correction.value_or(1)};
}

/// The variance in float64, without a grad function.
Tensor variance_raw(const Spread& s, const Tensor& x, bool keepdim) {
  constexpr DType type = DType::f64;
  const auto map = [&](ElementwiseOp op, std::initializer_list<TensorOrNumber> arguments) {
    return record_map(op, s.name, type, type, arguments);
  };
  // Each pass converts x itself: a shared converted value would be stored in memory.
  const auto wide = [&] { return convert_raw(s.name, x, type); };
  const double count = static_cast<double>(reduced_count(x.shape(), s.dims));
  const Tensor sum = reduce_raw(Reduction::sum, s.name, wide(), s.dims, true);
  const Tensor distance = map(ElementwiseOp::sub, {wide(), map(ElementwiseOp::div, {sum, count})});
  const Tensor squares = map(ElementwiseOp::square, {distance});
  return map(ElementwiseOp::div,
             {reduce_raw(Reduction::sum, s.name, squares, s.dims, keepdim), s.divisor()});
}

/// The gradient of the variance: dy * 2 (x - mean) / freedom. With fewer elements than the
/// correction this still matches PyTorch, although the variance is infinite.
Tensor variance_gradient(const Spread& s, const Tensor& x, const Tensor& dy) {
  constexpr DType type = DType::f64;
  const double count = static_cast<double>(reduced_count(x.shape(), s.dims));
  const Tensor distance = convert(x, type) - sum_over(convert(x, type), s.dims, true) / count;
  const Tensor scale = convert(dy, type) * (2.0 / s.freedom);
  return convert(spread(scale, x.shape(), s.dims) * distance, x.dtype());
}

}  // namespace

Tensor var(const Tensor& x, const OptionalDims& dims, std::optional<double> correction,
           bool keepdim) {
  const Spread s = spread_of("var", x, dims, correction);
  const Tensor y = convert_raw(s.name, variance_raw(s, x, keepdim), x.dtype());
  if (needs_grad_fn(x)) {
    set_grad_fn(y, s.name, {x}, false,
                [s, saved = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  return {variance_gradient(s, saved.get(), call.dy)};
                });
  }
  return y;
}

Tensor std_deviation(const Tensor& x, const OptionalDims& dims, std::optional<double> correction,
                     bool keepdim) {
  const Spread s = spread_of("std", x, dims, correction);
  const Tensor variance = variance_raw(s, x, keepdim);
  const DType type = variance.dtype();
  const Tensor y = convert_raw(
      s.name, record_map(ElementwiseOp::sqrt, s.name, type, type, {variance}), x.dtype());
  if (needs_grad_fn(x)) {
    set_grad_fn(y, s.name, {x}, true,
                [s, saved = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  // The root is not differentiable at 0; PyTorch returns 0, too.
                  const Tensor slope = where(eq(call.y, 0), 0, call.dy / (call.y * 2));
                  return {variance_gradient(s, saved.get(), slope)};
                });
  }
  return y;
}

std::tuple<Tensor, Tensor> var_mean(const Tensor& x, const OptionalDims& dims,
                                    std::optional<double> correction, bool keepdim) {
  return {var(x, dims, correction, keepdim), mean(x, dims, keepdim)};
}

std::tuple<Tensor, Tensor> std_mean(const Tensor& x, const OptionalDims& dims,
                                    std::optional<double> correction, bool keepdim) {
  return {std_deviation(x, dims, correction, keepdim), mean(x, dims, keepdim)};
}

Tensor var_unbiased(const Tensor& x, bool unbiased) { return var(x, {}, unbiased); }

Tensor var_unbiased_over(const Tensor& x, const OptionalDims& dims, bool unbiased, bool keepdim) {
  return var(x, dims, unbiased, keepdim);
}

Tensor std_deviation_unbiased(const Tensor& x, bool unbiased) {
  return std_deviation(x, {}, unbiased);
}

Tensor std_deviation_unbiased_over(const Tensor& x, const OptionalDims& dims, bool unbiased,
                                   bool keepdim) {
  return std_deviation(x, dims, unbiased, keepdim);
}

std::tuple<Tensor, Tensor> var_mean_unbiased(const Tensor& x, bool unbiased) {
  return var_mean(x, {}, unbiased);
}

std::tuple<Tensor, Tensor> var_mean_unbiased_over(const Tensor& x, const OptionalDims& dims,
                                                  bool unbiased, bool keepdim) {
  return var_mean(x, dims, unbiased, keepdim);
}

std::tuple<Tensor, Tensor> std_mean_unbiased(const Tensor& x, bool unbiased) {
  return std_mean(x, {}, unbiased);
}

std::tuple<Tensor, Tensor> std_mean_unbiased_over(const Tensor& x, const OptionalDims& dims,
                                                  bool unbiased, bool keepdim) {
  return std_mean(x, dims, unbiased, keepdim);
}

}  // namespace tide
