// Householder reflections, and symmetric factors L D L'.
#include <algorithm>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/linalg.h"
#include "runtime/ops/linalg/linalg_blocks.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The number of reflections given by the columns of `a` and the factors tau.
int64_t count_reflections(const char* name, const Tensor& a, const Tensor& tau) {
  check_matrix(name, a);
  check_same_type(name, a.dtype(), tau.dtype());
  const int64_t count = tau.rank() == a.rank() - 1 ? tau.shape()[tau.rank() - 1] : -1;
  if (count < 0 || count > std::min(rows_of(a), columns_of(a)) ||
      !(stack_shape(a, {count}) == tau.shape()))
    throw ShapeError(std::string(name) + ": tau of shape " + tau.shape().text() +
                     " does not fit a matrix of shape " + a.shape().text());
  return count;
}

/// H1 H2 ... Hk c, or with `transposed` Hk ... H2 H1 c.
Tensor reflected(const Tensor& a, const Tensor& tau, Tensor c, bool transposed) {
  const int64_t rows = rows_of(a), count = tau.shape()[tau.rank() - 1];
  const Tensor below = tril(a, -1);
  for (int64_t step = 0; step < count; ++step) {
    const int64_t i = transposed ? step : count - 1 - step;
    const Tensor unit = reshape_to(
        convert(eq(positions_along(1, 0, rows, a.device()), Number(i + 1)), a.dtype()), {rows, 1});
    const Tensor v = slice(below, below.rank() - 1, i, 1) + unit;
    const Tensor t = unsqueeze(slice(tau, tau.rank() - 1, i, 1), Dim{-1});
    c = c - t * v * matmul(matrix_transpose(v), c);
  }
  return c;
}

/// Throws unless the pivots match these factors of ldl_factor.
void check_pivots(const Tensor& ld, const Tensor& pivots) {
  if (pivots.dtype() != DType::i32 || !(stack_shape(ld, {rows_of(ld)}) == pivots.shape()))
    throw ShapeError("linalg.ldl_solve: pivots " + std::string(name_of(pivots.dtype())) + " " +
                     pivots.shape().text() + " do not fit factors of shape " + ld.shape().text());
}

}  // namespace

Tensor householder_product(const Tensor& a, const Tensor& tau) {
  const char* name = "linalg.householder_product";
  check_matrix(name, a);
  if (rows_of(a) < columns_of(a))
    throw ShapeError("linalg.householder_product: expected at least as many rows as columns, got " +
                     a.shape().text());
  count_reflections(name, a, tau);
  const Tensor identity =
      eye(rows_of(a), columns_of(a), {.dtype = a.dtype(), .device = a.device()});
  return reflected(a, tau, broadcast_to(identity, a.shape()), false);
}

Tensor ormqr(const Tensor& a, const Tensor& tau, const Tensor& c, std::optional<bool> left,
             bool transpose) {
  const char* name = "ormqr";
  count_reflections(name, a, tau);
  check_matrix(name, c);
  check_same_type(name, a.dtype(), c.dtype());
  if (!left.value_or(true))
    return matrix_transpose(ormqr(a, tau, matrix_transpose(c), true, !transpose));
  if (rows_of(a) != rows_of(c))
    throw ShapeError("ormqr: reflections of " + std::to_string(rows_of(a)) +
                     " rows do not fit a matrix of shape " + c.shape().text());
  return reflected(a, tau, c, transpose);
}

std::tuple<Tensor, Tensor> geqrf(const Tensor& a) {
  check_matrix("geqrf", a);
  GradientMode off(false);
  const ComputeResult outputs[] = {
      {a.shape(), a.dtype()}, {stack_shape(a, {std::min(rows_of(a), columns_of(a))}), a.dtype()}};
  const auto results = record_compute(ComputeOp::geqrf, "geqrf", {&a, 1}, outputs, {});
  return {results[0], results[1]};
}

std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& a, bool, bool check_errors) {
  const char* name = "linalg.ldl_factor_ex";
  check_square(name, a);
  GradientMode off(false);
  const ComputeResult outputs[] = {{a.shape(), a.dtype()},
                                   {stack_shape(a, {rows_of(a)}), DType::i32},
                                   {stack_shape(a, {}), DType::i32}};
  const auto results = record_compute(ComputeOp::ldl_factor, name, {&a, 1}, outputs, {});
  if (check_errors) {
    bool singular;
    any(ne(results[2], 0)).read(&singular, name);
    if (singular) throw Error("linalg.ldl_factor: a block of D is singular");
  }
  return {results[0], results[1], results[2]};
}

std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& a, bool hermitian) {
  const auto [ld, pivots, info] = linalg_ldl_factor_ex(a, hermitian, true);
  return {ld, pivots};
}

Tensor linalg_ldl_solve(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian) {
  const char* name = "linalg.ldl_solve";
  check_square(name, ld);
  check_matrix(name, b);
  check_same_type(name, ld.dtype(), b.dtype());
  check_pivots(ld, pivots);
  if (rows_of(b) != rows_of(ld))
    throw ShapeError("linalg.ldl_solve: factors of shape " + ld.shape().text() +
                     " do not fit a right side of shape " + b.shape().text());
  const auto [factors, right] = broadcast_stacks(name, detach(ld), b);
  const Tensor swaps = contiguous(broadcast_to(pivots, stack_shape(factors, {rows_of(ld)})));
  const Tensor inputs[] = {factors, swaps, right};
  const ComputeResult output{right.shape(), right.dtype()};
  const Tensor x = record_compute(ComputeOp::ldl_solve, name, inputs, {&output, 1}, {})[0];
  if (needs_grad_fn(right)) {
    set_grad_fn(x, name, {right}, false,
                [=, factors = Saved(factors),
                 swaps = Saved(swaps)](const GradientCall& call) -> std::vector<Tensor> {
                  return {linalg_ldl_solve(factors.get(), swaps.get(), call.dy, hermitian)};
                });
  }
  return x;
}

}  // namespace tide
