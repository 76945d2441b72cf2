// Systems of equations, inverses and determinants, from factors L and U.
#include <limits>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/linalg.h"
#include "runtime/ops/linalg/linalg_blocks.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {

std::pair<Tensor, Tensor> factor_lu(const char* name, const Tensor& a, bool singular_fails) {
  const int64_t rank = std::min(rows_of(a), columns_of(a));
  const ComputeResult outputs[] = {{a.shape(), a.dtype()}, {stack_shape(a, {rank}), DType::i32}};
  const auto attributes = pack(LuAttributes{singular_fails});
  auto results = record_compute(ComputeOp::lu, name, {&a, 1}, outputs, attributes);
  return {results[0], results[1]};
}

Tensor solve_factored(const char* name, const Tensor& lu, const Tensor& pivots, const Tensor& a,
                      const Tensor& b, bool transposed) {
  const Tensor inputs[] = {lu, pivots, b};
  const ComputeResult output{b.shape(), b.dtype()};
  const auto attributes = pack(LuSolveAttributes{transposed});
  const Tensor x = record_compute(ComputeOp::lu_solve, name, inputs, {&output, 1}, attributes)[0];
  if (!needs_grad_fn(a) && !needs_grad_fn(b)) return x;
  // A dX = dB - dA X
  set_grad_fn(x, name, {a, b}, true, [=, a = Saved(a)](const GradientCall& call) {
    std::vector<Tensor> result(2);
    const Tensor db = solve_factored(name, lu, pivots, a.get(), call.dy, !transposed);
    if (call.needed[1]) result[1] = db;
    if (call.needed[0])
      result[0] = transposed ? -matmul(call.y, matrix_transpose(db))
                             : -matmul(db, matrix_transpose(call.y));
    return result;
  });
  return x;
}

namespace {

/// Whether b is a stack of vectors for a, by PyTorch's rule.
bool is_vector_for(const Tensor& a, const Tensor& b) {
  if (b.rank() == 1) return true;
  if (b.rank() != a.rank() - 1) return false;
  for (int d = 0; d < b.rank(); ++d)
    if (b.shape()[d] != a.shape()[d]) return false;
  return true;
}

void check_system(const char* op, const Tensor& a, const Tensor& b, bool left) {
  check_same_type(op, a.dtype(), b.dtype());
  const int64_t size = left ? rows_of(b) : columns_of(b);
  if (size != rows_of(a))
    throw ShapeError(std::string(op) + ": " + a.shape().text() + " and " + b.shape().text() +
                     " have " + std::to_string(rows_of(a)) + " and " + std::to_string(size) +
                     (left ? " rows" : " columns"));
}

/// The solution of a system whose shapes fit: A X = B.
Tensor solve_left(const char* name, const Tensor& a, const Tensor& b, bool singular_fails) {
  const auto [lu, pivots] = factor_lu(name, a, singular_fails);
  return solve_factored(name, lu, pivots, a, b, false);
}

/// X with A X = B, or X A = B.
Tensor solve_system(const char* name, const Tensor& a, const Tensor& b, bool left,
                    bool singular_fails) {
  check_square(name, a);
  check_min_rank(name, b, 1);
  const bool vector = is_vector_for(a, b);
  if (!left) {
    if (vector)
      throw ShapeError(std::string(name) + ": with left = false, expected a matrix, got " +
                       b.shape().text());
    check_system(name, a, b, false);
    const auto [wide_a, wide_b] = broadcast_stacks(name, a, b);
    return matrix_transpose(
        solve_left(name, matrix_transpose(wide_a), matrix_transpose(wide_b), singular_fails));
  }
  const Tensor columns = vector ? as_column(b) : b;
  check_system(name, a, columns, true);
  const auto [wide_a, wide_b] = broadcast_stacks(name, a, columns);
  const Tensor x = solve_left(name, wide_a, wide_b, singular_fails);
  return vector ? squeeze(x, Dims{-1}) : x;
}

/// +1 or -1 for each stack of pivots: the sign of the row permutation. Not differentiable.
Tensor sign_of_pivots(const Tensor& pivots, DType type) {
  const int rank = pivots.rank();
  const Tensor unmoved = positions_along(rank, rank - 1, pivots.shape()[rank - 1], pivots.device());
  const Tensor moved = ne(pivots, unmoved);
  return prod(where(moved, full({}, -1.0, {.dtype = type, .device = pivots.device()}), 1.0),
              Dims{-1});
}

/// Factors with zero pivots replaced by a negligible number.
Tensor without_zero_pivots(const Tensor& lu) {
  const double epsilon = lu.dtype() == DType::f64 ? std::numeric_limits<double>::epsilon()
                                                  : std::numeric_limits<float>::epsilon();
  const Tensor pivot = diagonal(lu, {}, Dim{-2}, Dim{-1});
  if (pivot.numel() == 0) return lu;
  const Tensor largest = amax(abs(pivot), Dims{-1}, true);
  const Tensor tiny = where(eq(largest, 0), epsilon, largest * epsilon);
  return lu + diagonal_matrix(where(eq(pivot, 0), tiny, 0));
}

Tensor product_of_pivots(const Tensor& lu, const Tensor& pivots) {
  return prod(diagonal(lu, {}, Dim{-2}, Dim{-1}), Dims{-1}) * sign_of_pivots(pivots, lu.dtype());
}

}  // namespace

Tensor linalg_solve(const Tensor& a, const Tensor& b, std::optional<bool> left) {
  return solve_system("linalg.solve", a, b, left.value_or(true), true);
}

std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& a, const Tensor& b,
                                           std::optional<bool> left, bool check_errors) {
  const Tensor x = solve_system("linalg.solve_ex", a, b, left.value_or(true), check_errors);
  return {x, std::get<2>(linalg_lu_factor_ex(detach(a)))};
}

Tensor linalg_inv(const Tensor& a) {
  check_square("linalg.inv", a);
  return solve_left("linalg.inv", a, broadcast_to(identity_like(a, rows_of(a)), a.shape()), true);
}

Tensor linalg_det(const Tensor& a) {
  check_square("linalg.det", a);
  const auto [lu, pivots] = factor_lu("linalg.det", a, false);
  const Tensor det = product_of_pivots(lu, pivots);
  if (needs_grad_fn(a)) {
    // The cofactor matrix, det(A) A^-T. For a singular A, that of a nearby matrix.
    set_grad_fn(det, "linalg.det", {a}, true,
                [lu, pivots, a = Saved(a)](const GradientCall& call) -> std::vector<Tensor> {
                  Tensor factors, shift;
                  {
                    GradientMode off(false);
                    factors = without_zero_pivots(lu);
                    shift = product_of_pivots(factors, pivots) - call.y;
                  }
                  const Tensor scale = call.dy * (call.y + shift);
                  const Tensor right = identity_like(lu, rows_of(lu)) * as_column(as_column(scale));
                  return {solve_factored("linalg.det", factors, pivots, a.get(), right, true)};
                });
  }
  return det;
}

std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& a) {
  check_square("linalg.slogdet", a);
  const auto [lu, pivots] = factor_lu("linalg.slogdet", a, false);
  const Tensor pivot = diagonal(lu, {}, Dim{-2}, Dim{-1});
  const Tensor signs = prod(sign(pivot), Dims{-1}) * sign_of_pivots(pivots, a.dtype());
  const Tensor size = sum(log(abs(pivot)), Dims{-1});
  if (needs_grad_fn(a)) {
    set_grad_fn(size, "linalg.slogdet", {a}, false,
                [lu, pivots, a = Saved(a)](const GradientCall& call) -> std::vector<Tensor> {
                  const Tensor right =
                      identity_like(lu, rows_of(lu)) * as_column(as_column(call.dy));
                  return {solve_factored("linalg.slogdet", lu, pivots, a.get(), right, true)};
                });
  }
  return {signs, size};
}

Tensor logdet(const Tensor& a) {
  const auto [signs, size] = linalg_slogdet(a);
  return size + log(signs);
}

Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, std::optional<bool> left,
                        bool unitriangular) {
  const char* name = "linalg.solve_triangular";
  check_square(name, a);
  check_matrix(name, b);
  check_system(name, a, b, left.value_or(true));
  if (!left.value_or(true))
    return matrix_transpose(
        solve_triangular(matrix_transpose(a), matrix_transpose(b), !upper, true, unitriangular));
  const auto [wide_a, wide_b] = broadcast_stacks(name, a, b);
  const Tensor inputs[] = {wide_a, wide_b};
  const ComputeResult output{wide_b.shape(), b.dtype()};
  const auto attributes = pack(TriangularAttributes{upper, unitriangular});
  const Tensor x =
      record_compute(ComputeOp::solve_triangular, name, inputs, {&output, 1}, attributes)[0];
  if (needs_grad_fn(wide_a) || needs_grad_fn(wide_b)) {
    set_grad_fn(x, name, inputs, true, [=, a = Saved(wide_a)](const GradientCall& call) {
      std::vector<Tensor> result(2);
      const Tensor db =
          solve_triangular(matrix_transpose(a.get()), call.dy, !upper, true, unitriangular);
      if (call.needed[1]) result[1] = db;
      if (call.needed[0]) {
        const Tensor da = -matmul(db, matrix_transpose(call.y));
        result[0] = upper ? triu(da, unitriangular) : tril(da, -int64_t{unitriangular});
      }
      return result;
    });
  }
  return x;
}

Tensor linalg_tensorinv(const Tensor& a, std::optional<int64_t> ind) {
  const int64_t first = ind.value_or(2);
  if (first <= 0 || first >= a.rank())
    throw ShapeError("linalg.tensorinv: ind " + std::to_string(first) +
                     " does not lie inside the dimensions of " + a.shape().text());
  Shape rows, columns;
  for (int d = 0; d < a.rank(); ++d) (d < first ? rows : columns).push_back(a.shape()[d]);
  if (rows.numel() != columns.numel())
    throw ShapeError("linalg.tensorinv: " + rows.text() + " and " + columns.text() +
                     " have different numbers of elements");
  const Tensor inverse = linalg_inv(reshape_to(a, {rows.numel(), columns.numel()}));
  Shape shape = columns;
  for (int d = 0; d < rows.rank(); ++d) shape.push_back(rows[d]);
  return reshape_to(inverse, shape);
}

Tensor linalg_tensorsolve(const Tensor& a, const Tensor& b, const std::optional<Dims>& dims) {
  const char* name = "linalg.tensorsolve";
  Tensor moved = a;
  if (dims) {
    Dims ends;
    for (int i = 0; i < dims->size(); ++i) ends.push_back(i - dims->size());
    moved = movedim(a, *dims, ends);
  }
  Shape remaining;
  for (int d = b.rank(); d < moved.rank(); ++d) remaining.push_back(moved.shape()[d]);
  if (moved.rank() < b.rank() || b.numel() * remaining.numel() != moved.numel() ||
      remaining.numel() != b.numel())
    throw ShapeError(std::string(name) + ": " + a.shape().text() + " does not fit " +
                     b.shape().text());
  const Tensor x =
      linalg_solve(reshape_to(moved, {b.numel(), remaining.numel()}), reshape_to(b, {b.numel()}));
  return reshape_to(x, remaining);
}

}  // namespace tide
