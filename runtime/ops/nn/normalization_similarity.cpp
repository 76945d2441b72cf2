// normalize, cosine similarity and pairwise distance of vectors.

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/elementwise/elementwise_types.h"
#include "runtime/ops/nn/normalization.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/shape_ops.h"

namespace tide {

Tensor normalize(const Tensor& x, std::optional<double> p, std::optional<Dim> dim,
                 std::optional<double> eps) {
  const Tensor length = vector_norm(x, p.value_or(2), Dims{dim.value_or(Dim{1}).value}, true);
  return x / maximum(length, eps.value_or(1e-12));
}

Tensor cosine_similarity(const Tensor& given_a, const Tensor& given_b, std::optional<Dim> dim,
                         std::optional<double> eps) {
  const DType type = common_type("cosine_similarity", given_a, given_b);
  const Tensor a = convert(given_a, type), b = convert(given_b, type);
  const Dims along{dim.value_or(Dim{1}).value};
  const double smallest = eps.value_or(1e-8);
  // Norms are those of the broadcast vectors.
  const Shape shape = broadcast("cosine_similarity", a.shape(), b.shape());
  check_non_negative("cosine_similarity", "eps", smallest);
  // Norms below eps are raised to it by adding a constant, so that their gradient stays, as in
  // PyTorch.
  const auto unit = [&](const Tensor& x) {
    const Tensor whole = broadcast_to(x, shape), length = vector_norm(whole, 2.0, along, true);
    return whole / (length + relu(smallest - detach(length)));
  };
  return sum(unit(a) * unit(b), along);
}

Tensor pairwise_distance(const Tensor& a, const Tensor& b, std::optional<double> p,
                         std::optional<double> eps, bool keepdim) {
  return vector_norm(a - b + eps.value_or(1e-6), p.value_or(2), Dims{-1}, keepdim);
}

}  // namespace tide
