// Triangular and orthogonal factors: Cholesky, QR, LU.
#include <algorithm>
#include <string>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/linalg.h"
#include "runtime/ops/linalg/linalg_blocks.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/joining.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

Tensor solve_upper(const Tensor& a, const Tensor& b) { return solve_triangular(a, b, true); }

/// x R'^-1 for an upper R.
Tensor divide_by_upper(const Tensor& x, const Tensor& r) {
  return solve_triangular(matrix_transpose(r), x, false, false);
}

/// L of A = L L', from A's lower triangle, with a grad function. If the last argument is not null,
/// failures are stored there instead of raised.
Tensor cholesky_lower(const Tensor& a, Tensor* info = nullptr) {
  const char* name = "linalg.cholesky";
  const ComputeResult outputs[] = {{a.shape(), a.dtype()}, {stack_shape(a, {}), DType::i32}};
  const auto results =
      record_compute(ComputeOp::cholesky, name, {&a, 1}, {outputs, info ? 2u : 1u}, {});
  if (info) *info = results[1];
  const Tensor& l = results[0];
  if (needs_grad_fn(a)) {
    set_grad_fn(l, name, {a}, true, [](const GradientCall& call) -> std::vector<Tensor> {
      // The symmetric part of L^-T tril(L' dL) L^-1, its diagonal halved.
      const Tensor& l = call.y;
      const Tensor lower = tril(matmul(matrix_transpose(l), call.dy));
      const Tensor middle = (lower + matrix_transpose(tril(lower, -1))) * 0.5;
      const Tensor left = solve_upper(matrix_transpose(l), middle);
      return {solve_triangular(l, left, false, false)};
    });
  }
  return l;
}

struct QR {
  Tensor q, r;
};

QR decompose_qr(const Tensor& a, bool complete);

/// dA of A = Q R with as many columns as Q, from dQ and dR, either of which may be undefined:
/// (dQ + Q sym(R dR' - dQ' Q)) R'^-1, where sym mirrors the lower triangle.
Tensor qr_gradient_tall(const QR& qr, const Tensor& dq, const Tensor& dr) {
  Tensor middle;
  if (dr.defined()) middle = matmul(qr.r, matrix_transpose(dr));
  if (dq.defined()) {
    const Tensor part = matmul(matrix_transpose(dq), qr.q);
    middle = middle.defined() ? middle - part : -part;
  }
  Tensor sum = matmul(qr.q, tril(middle) + matrix_transpose(tril(middle, -1)));
  if (dq.defined()) sum = sum + dq;
  return divide_by_upper(sum, qr.r);
}

/// The last two dimensions' columns from `first` on.
Tensor columns_from(const Tensor& x, int64_t first, int64_t count) {
  return slice(x, x.rank() - 1, first, count);
}

Tensor rows_from(const Tensor& x, int64_t first, int64_t count) {
  return slice(x, x.rank() - 2, first, count);
}

Tensor qr_gradient(const Tensor& a, const QR& qr, const Tensor& dq, const Tensor& dr) {
  const int64_t rows = rows_of(a), columns = columns_of(a);
  if (rows >= columns) return qr_gradient_tall(qr, dq, dr);
  // A = (X Y), R = (U V): X = Q U is square, and Y = Q V.
  const QR square{qr.q, columns_from(qr.r, 0, rows)};
  if (!dr.defined())
    return cat(
        {qr_gradient_tall(square, dq, {}), columns_from(zeros_like(a), rows, columns - rows)},
        Dim{-1});
  const Tensor du = columns_from(dr, 0, rows), dv = columns_from(dr, rows, columns - rows);
  const Tensor y = columns_from(a, rows, columns - rows);
  Tensor total = matmul(y, matrix_transpose(dv));
  if (dq.defined()) total = total + dq;
  return cat({qr_gradient_tall(square, total, du), matmul(qr.q, dv)}, Dim{-1});
}

QR decompose_qr(const Tensor& a, bool complete) {
  const char* name = "linalg.qr";
  const int64_t rows = rows_of(a), columns = columns_of(a);
  const int64_t width = complete ? rows : std::min(rows, columns);
  const ComputeResult outputs[] = {{stack_shape(a, {rows, width}), a.dtype()},
                                   {stack_shape(a, {width, columns}), a.dtype()}};
  const auto results = record_compute(ComputeOp::qr, name, {&a, 1}, outputs, {});
  const QR qr{results[0], results[1]};
  if (!needs_grad_fn(a)) return qr;
  if (complete && rows > columns) {
    // Q's last columns complete the basis arbitrarily: their derivative is undefined.
    set_joint_grad_fn(results, name, {&a, 1}, true, [](const GradientCall&) -> std::vector<Tensor> {
      throw Error(
          "linalg.qr: mode \"complete\" has no gradient if there are more rows "
          "than columns");
    });
    return qr;
  }
  // Second derivatives need factors with a grad function: they are recomputed.
  const auto factors = [=, a = Saved(a), q = Saved(qr.q), r = Saved(qr.r)] {
    return GradientMode::enabled() ? decompose_qr(a.get(), complete) : QR{q.get(), r.get()};
  };
  set_joint_grad_fn(results, name, {&a, 1}, false,
                    [factors, a = Saved(a)](const GradientCall& call) -> std::vector<Tensor> {
                      return {qr_gradient(a.get(), factors(), call.parts[0], call.parts[1])};
                    });
  return qr;
}

// --- LU -----------------------------------------------------------------------------------------

/// The permutation matrix from the rows of A to those of the factors: row i of P' A is row order[i]
/// of A.
Tensor reordering(const Tensor& pivots, int64_t rows, DType type) {
  Shape shape = pivots.shape();
  shape[shape.rank() - 1] = rows;
  const ComputeResult output{shape, DType::i64};
  const auto attributes = pack(PivotRowsAttributes{rows});
  const Tensor dense = contiguous(pivots);
  const Tensor order =
      record_compute(ComputeOp::pivot_rows, "linalg.lu", {&dense, 1}, {&output, 1}, attributes)[0];
  return convert(one_hot(order, rows), type);
}

/// L (m, k) and U (k, n) of what LAPACK packs into one matrix.
std::pair<Tensor, Tensor> unpack_lu(const Tensor& lu) {
  const int64_t rank = std::min(rows_of(lu), columns_of(lu));
  const Tensor lower = columns_from(lu, 0, rank), upper = rows_from(lu, 0, rank);
  const Tensor unit = eye(rows_of(lu), rank, {.dtype = lu.dtype(), .device = lu.device()});
  return {tril(lower, -1) + unit, triu(upper)};
}

/// d(P' A) of a square P' A = L U.
Tensor lu_gradient_square(const Tensor& l, const Tensor& u, const Tensor& dl, const Tensor& du) {
  const Tensor middle =
      tril(matmul(matrix_transpose(l), dl), -1) + triu(matmul(du, matrix_transpose(u)));
  const Tensor left = solve_triangular(matrix_transpose(l), middle, true, true, true);
  return divide_by_upper(left, u);
}

/// d(P' A) of P' A = L U from dL and dU, of any shape.
Tensor lu_gradient(const Tensor& l, const Tensor& u, const Tensor& dl, const Tensor& du) {
  const int64_t rows = rows_of(l), columns = columns_of(u), rank = columns_of(l);
  if (rows == columns) return lu_gradient_square(l, u, dl, du);
  if (rows < columns) {
    // U = (U1 U2): U2 = L^-1 A2
    const int64_t remaining = columns - rank;
    const Tensor u1 = columns_from(u, 0, rank), u2 = columns_from(u, rank, remaining);
    const Tensor da2 =
        solve_triangular(matrix_transpose(l), columns_from(du, rank, remaining), true, true, true);
    const Tensor total = dl - matmul(da2, matrix_transpose(u2));
    return cat({lu_gradient_square(l, u1, total, columns_from(du, 0, rank)), da2}, Dim{-1});
  }
  // L = (L1; L2): L2 = A2 U^-1
  const int64_t remaining = rows - rank;
  const Tensor l1 = rows_from(l, 0, rank), l2 = rows_from(l, rank, remaining);
  const Tensor da2 = divide_by_upper(rows_from(dl, rank, remaining), u);
  const Tensor total = du - matmul(matrix_transpose(l2), da2);
  return cat({lu_gradient_square(l1, u, rows_from(dl, 0, rank), total), da2}, Dim{-2});
}

/// For each matrix 0, or the first index (from 1) at which U's diagonal is 0, as i32.
Tensor first_zero_pivot(const Tensor& lu) {
  GradientMode off(false);
  const Tensor zero = eq(diagonal(lu, 0, Dim{-2}, Dim{-1}), 0);
  const int64_t rank = std::min(rows_of(lu), columns_of(lu));
  if (rank == 0) return zeros(stack_shape(lu, {}), {.dtype = DType::i32, .device = lu.device()});
  const Tensor first = argmax(convert(zero, DType::u8), Dim{-1});
  return convert(where(any(zero, Dims{-1}), first, Number(int64_t{0})), DType::i32);
}

/// LU in one matrix, with a grad function, and the pivots.
std::pair<Tensor, Tensor> packed_lu(const char* name, const Tensor& a, bool singular_fails) {
  const auto [lu, pivots] = factor_lu(name, a, singular_fails);
  if (needs_grad_fn(a)) {
    set_grad_fn(lu, name, {a}, true,
                [pivots = Saved(pivots)](const GradientCall& call) -> std::vector<Tensor> {
                  const auto [l, u] = unpack_lu(call.y);
                  const int64_t rank = columns_of(l);
                  const Tensor dl = tril(columns_from(call.dy, 0, rank), -1);
                  const Tensor du = triu(rows_from(call.dy, 0, rank));
                  const Tensor order = reordering(pivots.get(), rows_of(l), l.dtype());
                  return {matmul(matrix_transpose(order), lu_gradient(l, u, dl, du))};
                });
  }
  return {lu, pivots};
}

}  // namespace

Tensor linalg_cholesky(const Tensor& a, bool upper) {
  check_square("linalg.cholesky", a);
  return upper ? matrix_transpose(cholesky_lower(matrix_transpose(a))) : cholesky_lower(a);
}

std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& a, bool upper, bool check_errors) {
  check_square("linalg.cholesky_ex", a);
  Tensor info;
  const Tensor l = cholesky_lower(upper ? matrix_transpose(a) : a, check_errors ? nullptr : &info);
  if (check_errors) info = zeros(stack_shape(a, {}), {.dtype = DType::i32, .device = a.device()});
  return {upper ? matrix_transpose(l) : l, info};
}

Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper) {
  const Tensor l = upper ? matrix_transpose(factor) : factor;
  return solve_upper(matrix_transpose(l), solve_triangular(l, b, false));
}

Tensor cholesky_inverse(const Tensor& factor, bool upper) {
  check_square("cholesky_inverse", factor);
  return cholesky_solve(identity_like(factor, rows_of(factor)), factor, upper);
}

std::tuple<Tensor, Tensor> linalg_qr(const Tensor& a, const std::optional<std::string>& mode) {
  check_matrix("linalg.qr", a);
  const std::string way = mode.value_or("reduced");
  choose("linalg.qr", "mode", way, {"reduced", "complete", "r"});
  const QR qr = decompose_qr(a, way == "complete");
  if (way == "r") return {new_zeros(a, {0}), qr.r};
  return {qr.q, qr.r};
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& a) {
  check_matrix("linalg.lu", a);
  const auto [lu, pivots] = packed_lu("linalg.lu", a, false);
  const auto [l, u] = unpack_lu(lu);
  return {matrix_transpose(reordering(pivots, rows_of(a), a.dtype())), l, u};
}

std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& a) {
  check_matrix("linalg.lu_factor", a);
  const auto [lu, pivots] = packed_lu("linalg.lu_factor", a, true);
  return {lu, pivots};
}

std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& a, bool check_errors) {
  check_matrix("linalg.lu_factor_ex", a);
  const auto [lu, pivots] = packed_lu("linalg.lu_factor_ex", a, check_errors);
  return {lu, pivots, first_zero_pivot(lu)};
}

std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& a, bool check_errors) {
  check_square("linalg.inv_ex", a);
  const Tensor identity = broadcast_to(identity_like(a, rows_of(a)), a.shape());
  return linalg_solve_ex(a, identity, {}, check_errors);
}

std::tuple<Tensor, Tensor> qr(const Tensor& a, std::optional<bool> some) {
  return linalg_qr(a, some.value_or(true) ? "reduced" : "complete");
}

Tensor lu_solve(const Tensor& b, const Tensor& lu, const Tensor& pivots) {
  return linalg_lu_solve(lu, pivots, b);
}

std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& lu, const Tensor& pivots) {
  check_matrix("lu_unpack", lu);
  const int64_t rank = std::min(rows_of(lu), columns_of(lu));
  if (pivots.dtype() != DType::i32 || !(stack_shape(lu, {rank}) == pivots.shape()))
    throw ShapeError("lu_unpack: pivots " + std::string(name_of(pivots.dtype())) + " " +
                     pivots.shape().text() + " do not fit factors of shape " + lu.shape().text());
  const auto [l, u] = unpack_lu(lu);
  return {matrix_transpose(reordering(pivots, rows_of(lu), lu.dtype())), l, u};
}

std::tuple<Tensor, Tensor> triangular_solve(const Tensor& b, const Tensor& a,
                                            std::optional<bool> upper, bool transpose,
                                            bool unitriangular) {
  const bool is_upper = upper.value_or(true);
  return {transpose ? solve_triangular(matrix_transpose(a), b, !is_upper, true, unitriangular)
                    : solve_triangular(a, b, is_upper, true, unitriangular),
          a};
}

Tensor linalg_lu_solve(const Tensor& lu, const Tensor& pivots, const Tensor& b,
                       std::optional<bool> left, bool adjoint) {
  const char* name = "linalg.lu_solve";
  check_square(name, lu);
  check_matrix(name, b);
  check_same_type(name, lu.dtype(), b.dtype());
  if (pivots.dtype() != DType::i32)
    throw_type("linalg.lu_solve", "type int32", pivots.dtype(), "pivots");
  check_shape("linalg.lu_solve", "pivots", pivots, stack_shape(lu, {rows_of(lu)}), &lu);
  if (!left.value_or(true))
    return matrix_transpose(linalg_lu_solve(lu, pivots, matrix_transpose(b), true, !adjoint));
  const auto [l, u] = unpack_lu(lu);
  const Tensor order = reordering(pivots, rows_of(lu), lu.dtype());
  if (adjoint) {
    const Tensor y = solve_triangular(matrix_transpose(u), b, false);
    return matmul(matrix_transpose(order),
                  solve_triangular(matrix_transpose(l), y, true, true, true));
  }
  return solve_upper(u, solve_triangular(l, matmul(order, b), false, true, true));
}

}  // namespace tide
