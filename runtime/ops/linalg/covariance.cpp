// Covariances and correlations.
#include "runtime/ops/linalg/covariance.h"

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// a b' / divisor, of one row without dimensions.
Tensor covariances(const Tensor& a, const Tensor& b, const TensorOrNumber& divisor) {
  const Tensor result = matmul(a, matrix_transpose(b)) / divisor;
  return result.numel() == 1 ? reshape_to(result, {}) : result;
}

/// The weight of each of `count` observations: its frequency times its importance.
Tensor observation_weights(int64_t count, const std::optional<Tensor>& fweights,
                           const std::optional<Tensor>& aweights) {
  if (fweights) check_integer("cov", fweights->dtype(), "fweights");
  if (aweights) check_floating("cov", aweights->dtype(), "aweights");
  for (const auto* weights : {&fweights, &aweights})
    if (*weights && ((*weights)->rank() > 1 || (*weights)->numel() != count))
      throw ShapeError("cov: expected one weight for each of " + std::to_string(count) +
                       " observations, got " + (*weights)->shape().text());
  const Tensor product = fweights && aweights ? *fweights * *aweights
                         : fweights           ? *fweights
                                              : *aweights;
  const Tensor weights = reshape_to(product, {count});
  bool usable[2] = {true, false};
  GradientMode off(false);
  Tensor negative = lt(weights, 0);
  if (fweights) negative = logical_or(negative, lt(reshape_to(*fweights, {count}), 0));
  stack({any(negative), ne(sum(weights), 0)}).read(usable, "cov");
  if (usable[0]) throw Error("cov: a weight is negative");
  if (!usable[1]) throw Error("cov: the weights must not add up to 0");
  return weights;
}

/// The covariances in float64: float32 has no products of distances above 2e19.
Tensor wide_cov(const Tensor& input, std::optional<int64_t> requested_correction,
                const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights) {
  check_numbers("cov", input);
  check_max_rank("cov", input, 2);
  Tensor x = convert(input, DType::f64);
  if (x.rank() < 2) x = reshape_to(x, {1, x.numel()});
  const auto correction = static_cast<double>(requested_correction.value_or(1));
  if (!fweights && !aweights) {
    const Tensor centred = x - mean(x, Dims{1}, true);
    const double divisor = std::max(0.0, static_cast<double>(x.shape()[1]) - correction);
    return covariances(centred, centred, divisor);
  }
  const Tensor weights = observation_weights(x.shape()[1], fweights, aweights);
  const Tensor total = sum(weights);
  const Tensor centred = x - sum(x * weights, Dims{1}, true) / total;
  // Importance weights, unlike frequencies, reduce the effective number of observations.
  const Tensor lost =
      aweights ? sum(weights * reshape_to(*aweights, weights.shape())) / total : ones_like(total);
  return covariances(centred * weights, centred, clamp_min(total - lost * correction, 0));
}

}  // namespace

Tensor cov(const Tensor& x, std::optional<int64_t> correction,
           const std::optional<Tensor>& fweights, const std::optional<Tensor>& aweights) {
  return convert(wide_cov(x, correction, fweights, aweights), floating_type(x.dtype()));
}

Tensor corrcoef(const Tensor& x) {
  check_numbers("corrcoef", x);
  const DType type = floating_type(x.dtype());
  const Tensor c = wide_cov(x, {}, {}, {});
  if (c.rank() == 0) return convert(c / c, type);
  const Tensor deviation = sqrt(diagonal(c));
  const Tensor scaled = c / unsqueeze(deviation, Dim{1}) / deviation;
  return convert(clamp(scaled, TensorOrNumber(-1.0), TensorOrNumber(1.0)), type);
}

}  // namespace tide
