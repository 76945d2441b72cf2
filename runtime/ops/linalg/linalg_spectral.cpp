// Eigenvalues and singular values, and properties computed from them: rank, norms, inverses.
#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/linalg/linalg.h"
#include "runtime/ops/linalg/linalg_blocks.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

double epsilon_of(DType type) {
  return type == DType::f64 ? std::numeric_limits<double>::epsilon()
                            : std::numeric_limits<float>::epsilon();
}

/// x_j - x_i, with ones on the diagonal.
Tensor differences(const Tensor& x) {
  const int64_t n = x.shape()[x.rank() - 1];
  const Tensor on_diagonal = eye(n, {}, {.dtype = DType::boolean, .device = x.device()});
  return where(on_diagonal, 1, as_row(x) - as_column(x));
}

/// x - x', which is 0 where x is symmetric.
Tensor skew(const Tensor& x) { return x - matrix_transpose(x); }

Tensor first_columns(const Tensor& x, int64_t count) {
  return columns_of(x) == count ? x : slice(x, x.rank() - 1, 0, count);
}

Tensor first_rows(const Tensor& x, int64_t count) {
  return rows_of(x) == count ? x : slice(x, x.rank() - 2, 0, count);
}

// --- symmetric matrices -------------------------------------------------------------------------

struct Eigen {
  Tensor values, vectors;
};

/// The gradient of A = V diag(w) V' from dw and dV, of which one may be undefined. Only the
/// skew-symmetric part of V' dV affects eigenvectors.
Tensor eigen_gradient(const Tensor& w, const Tensor& v, const Tensor& dw, const Tensor& dv) {
  Tensor middle;
  if (dv.defined()) middle = skew(matmul(matrix_transpose(v), dv)) / differences(w) * 0.5;
  if (dw.defined()) {
    const Tensor from_values = diagonal_matrix(dw);
    middle = middle.defined() ? middle + from_values : from_values;
  }
  return matmul(matmul(v, middle), matrix_transpose(v));
}

/// From the lower triangle; vectors are undefined if not requested. Differentiable.
Eigen decompose_symmetric(const char* name, const Tensor& a, bool wants_vectors) {
  // Gradients of values need the vectors too.
  const bool differentiable = needs_grad_fn(a);
  const bool vectors = wants_vectors || differentiable;
  const ComputeResult outputs[] = {{stack_shape(a, {rows_of(a)}), a.dtype()},
                                   {a.shape(), a.dtype()}};
  const auto results =
      record_compute(ComputeOp::eigh, name, {&a, 1}, std::span(outputs, vectors ? 2 : 1), {});
  const Eigen eigen{results[0], vectors ? results[1] : Tensor()};
  if (!differentiable) return eigen;
  const auto factors = [=, a = Saved(a), w = Saved(eigen.values), v = Saved(eigen.vectors)] {
    return GradientMode::enabled() ? decompose_symmetric(name, a.get(), true)
                                   : Eigen{w.get(), v.get()};
  };
  const Tensor parts[] = {eigen.values, eigen.vectors};
  set_joint_grad_fn(parts, name, {&a, 1}, false,
                    [factors](const GradientCall& call) -> std::vector<Tensor> {
                      const auto [w, v] = factors();
                      return {eigen_gradient(w, v, call.parts[0], call.parts[1])};
                    });
  return eigen;
}

Tensor lower_of(const char* name, const Tensor& a, const std::optional<std::string>& uplo) {
  check_square(name, a);
  const bool upper = choose(name, "the triangle", uplo.value_or("L"), {"L", "l", "U", "u"}) >= 2;
  return upper ? matrix_transpose(a) : a;
}

// --- any matrices -------------------------------------------------------------------------------

struct Singular {
  Tensor u, s, vh;
};

/// The gradient of A = U diag(s) V' from dU, ds and dV', of which one or two may be undefined. U
/// and V' have min(m, n) vectors.
Tensor svd_gradient(const Singular& svd, const Tensor& du, const Tensor& ds, const Tensor& dvh) {
  const auto& [u, s, vh] = svd;
  const int64_t rank = columns_of(u);
  const Tensor spacing = differences(square(s));
  Tensor middle;
  const auto include = [&](const Tensor& term) {
    middle = middle.defined() ? middle + term : term;
  };
  if (ds.defined()) include(diagonal_matrix(ds));
  if (du.defined()) include(skew(matmul(matrix_transpose(u), du)) / spacing * as_row(s));
  if (dvh.defined()) include(as_column(s) * (skew(matmul(vh, matrix_transpose(dvh))) / spacing));
  Tensor da = matmul(matmul(u, middle), vh);
  // The part outside the spaces spanned by U and V'.
  if (du.defined() && rows_of(u) > rank) {
    const Tensor outer = du / as_row(s);
    da = da + matmul(outer - matmul(u, matmul(matrix_transpose(u), outer)), vh);
  }
  if (dvh.defined() && columns_of(vh) > rank) {
    const Tensor outer = dvh / as_column(s);
    da = da + matmul(u, outer - matmul(matmul(outer, matrix_transpose(vh)), vh));
  }
  return da;
}

/// U and V' are undefined if not requested. Differentiable.
Singular decompose_singular(const char* name, const Tensor& a, bool wants_vectors, bool full) {
  const bool differentiable = needs_grad_fn(a);
  const bool vectors = wants_vectors || differentiable;
  const int64_t rows = rows_of(a), columns = columns_of(a), rank = std::min(rows, columns);
  const bool whole = full && wants_vectors;
  const ComputeResult outputs[] = {{stack_shape(a, {rank}), a.dtype()},
                                   {stack_shape(a, {rows, whole ? rows : rank}), a.dtype()},
                                   {stack_shape(a, {whole ? columns : rank, columns}), a.dtype()}};
  const auto results =
      record_compute(ComputeOp::svd, name, {&a, 1}, std::span(outputs, vectors ? 3 : 1), {});
  Singular svd{{}, results[0], {}};
  if (vectors) svd.u = results[1], svd.vh = results[2];
  if (!differentiable) return svd;
  // In complete bases, the vectors beyond the first min(m, n) are arbitrary, and have no gradient.
  const auto factors = [=, a = Saved(a), u = Saved(first_columns(svd.u, rank)), s = Saved(svd.s),
                        vh = Saved(first_rows(svd.vh, rank))] {
    return GradientMode::enabled() ? decompose_singular(name, a.get(), true, false)
                                   : Singular{u.get(), s.get(), vh.get()};
  };
  const Tensor parts[] = {svd.u, svd.s, svd.vh};
  set_joint_grad_fn(
      parts, name, {&a, 1}, false, [=](const GradientCall& call) -> std::vector<Tensor> {
        const auto& [du, ds, dvh] = std::tie(call.parts[0], call.parts[1], call.parts[2]);
        return {svd_gradient(factors(), du.defined() ? first_columns(du, rank) : du, ds,
                             dvh.defined() ? first_rows(dvh, rank) : dvh)};
      });
  return svd;
}

// --- tolerances ------------------------------------------------------------------------

Tensor as_tensor(const TensorOrNumber& value, const Tensor& like) {
  if (!value.tensor.defined())
    return full({}, value.number.as_double(), {.dtype = like.dtype(), .device = like.device()});
  return convert(value.tensor, like.dtype());
}

/// max(atol, rtol * largest) for values (..., k) of matrices (m, n). Without rtol it is
/// max(m, n) * epsilon, but 0 if atol is given.
Tensor zero_limit(const Tensor& a, const Tensor& values, const std::optional<TensorOrNumber>& atol,
                  const std::optional<TensorOrNumber>& rtol) {
  const double usual =
      static_cast<double>(std::max(rows_of(a), columns_of(a))) * epsilon_of(a.dtype());
  const Tensor largest = amax(values, Dims{-1}, true);
  const bool rtol_by_atol = atol && !rtol;
  Tensor relative = rtol ? as_tensor(*rtol, values)
                         : as_tensor(TensorOrNumber(rtol_by_atol ? 0.0 : usual), values);
  if (rtol_by_atol && atol->tensor.defined())
    relative = where(gt(as_tensor(*atol, values), 0), 0.0, usual);
  else if (rtol_by_atol && atol->number.as_double() == 0)
    relative = as_tensor(TensorOrNumber(usual), values);
  if (relative.rank() > 0) relative = as_column(relative);
  Tensor absolute = as_tensor(atol ? *atol : TensorOrNumber(0.0), values);
  if (absolute.rank() > 0) absolute = as_column(absolute);
  return maximum(absolute, relative * largest);
}

/// Singular values; of a symmetric matrix the absolute values of its eigenvalues.
Tensor sizes_of_values(const char* name, const Tensor& a, bool hermitian) {
  return hermitian ? abs(decompose_symmetric(name, a, false).values)
                   : decompose_singular(name, a, false, false).s;
}

/// 1 / values, but 0 for those up to the limit.
Tensor inverted(const Tensor& values, const Tensor& sizes, const Tensor& limit) {
  const Tensor above_limit = gt(sizes, limit);
  return where(above_limit, 1.0 / where(above_limit, values, 1.0), 0);
}

Tensor pinv_value(const Tensor& a, const std::optional<TensorOrNumber>& atol,
                  const std::optional<TensorOrNumber>& rtol, bool hermitian) {
  const char* name = "linalg.pinv";
  if (hermitian) {
    const auto [w, v] = decompose_symmetric(name, a, true);
    const Tensor sizes = abs(w);
    const Tensor inverse = inverted(w, sizes, zero_limit(a, sizes, atol, rtol));
    return matmul(v * as_row(inverse), matrix_transpose(v));
  }
  const auto [u, s, vh] = decompose_singular(name, a, true, false);
  const Tensor inverse = inverted(s, s, zero_limit(a, s, atol, rtol));
  return matmul(matrix_transpose(vh) * as_row(inverse), matrix_transpose(u));
}

/// Gradient of P = pinv(A) for constant rank: dP = -P dA P + P P' dA' (1 - A P) + (1 - P A) dA' P'
/// P
Tensor pinv_gradient(const Tensor& a, const Tensor& p, const Tensor& dp) {
  const Tensor pt = matrix_transpose(p), dt = matrix_transpose(dp);
  const Tensor inside = matmul(matmul(pt, dp), pt);
  const Tensor left = matmul(matmul(dt - matmul(a, matmul(p, dt)), p), pt);
  const Tensor right = matmul(pt, matmul(p, dt - matmul(matmul(dt, p), a)));
  return left + right - inside;
}

/// max(rows, columns) == 0 or no singular values: there is no largest value.
bool is_empty(const Tensor& a) { return rows_of(a) == 0 || columns_of(a) == 0; }

Tensor last_two(const char* name, const Tensor& a, const OptionalDims& dims) {
  if (!dims || dims->empty()) return a;
  if (dims->size() != 2) throw ShapeError(std::string(name) + ": two dimensions make a matrix");
  const int rows = resolve_dim(name, Dim{(*dims)[0]}, a.rank());
  const int columns = resolve_dim(name, Dim{(*dims)[1]}, a.rank());
  check_distinct_dims(name, rows, columns);
  return movedim(a, Dims{rows, columns}, Dims{-2, -1});
}

/// A norm (...) of the last two dimensions in the requested shape.
Tensor with_kept_dims(const char* name, const Tensor& norm, const Tensor& a,
                      const OptionalDims& dims, bool keepdim) {
  if (!keepdim) return norm;
  const Dims both = dims && !dims->empty() ? *dims : Dims{-2, -1};
  return reshape_to(norm, reduced_shape(a.shape(), resolve_dims(name, both, a.rank()), true));
}

Tensor in_type(const Tensor& a, std::optional<DType> dtype) {
  return dtype ? convert(a, *dtype) : a;
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& a, const std::optional<std::string>& uplo) {
  const Eigen eigen = decompose_symmetric("linalg.eigh", lower_of("linalg.eigh", a, uplo), true);
  return {eigen.values, eigen.vectors};
}

Tensor linalg_eigvalsh(const Tensor& a, const std::optional<std::string>& uplo) {
  const char* name = "linalg.eigvalsh";
  return decompose_symmetric(name, lower_of(name, a, uplo), false).values;
}

std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& a, std::optional<bool> full_matrices) {
  check_matrix("linalg.svd", a);
  const Singular svd = decompose_singular("linalg.svd", a, true, full_matrices.value_or(true));
  return {svd.u, svd.s, svd.vh};
}

std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& a, std::optional<bool> some) {
  const auto [u, s, vh] = linalg_svd(a, !some.value_or(true));
  return {u, s, matrix_transpose(vh)};
}

Tensor linalg_svdvals(const Tensor& a) {
  check_matrix("linalg.svdvals", a);
  return decompose_singular("linalg.svdvals", a, false, false).s;
}

Tensor linalg_pinv(const Tensor& input, const std::optional<TensorOrNumber>& atol,
                   const std::optional<TensorOrNumber>& rtol, bool hermitian) {
  const char* name = "linalg.pinv";
  check_matrix(name, input);
  if (hermitian) check_square(name, input);
  // Several tolerances for one matrix give several results.
  Shape leading = stack_shape(input, {});
  for (const auto& tolerance : {atol, rtol})
    if (tolerance && tolerance->tensor.defined())
      leading = broadcast(name, leading, tolerance->tensor.shape());
  leading.push_back(rows_of(input));
  leading.push_back(columns_of(input));
  const Tensor a = broadcast_to(input, leading);
  if (is_empty(a)) return new_zeros(a, stack_shape(a, {columns_of(a), rows_of(a)}));
  Tensor p;
  {
    GradientMode off(false);
    p = pinv_value(a, atol, rtol, hermitian);
  }
  if (needs_grad_fn(a)) {
    set_grad_fn(p, name, {a}, true,
                [a = Saved(a)](const GradientCall& call) -> std::vector<Tensor> {
                  return {pinv_gradient(a.get(), call.y, call.dy)};
                });
  }
  return p;
}

Tensor linalg_matrix_rank(const Tensor& a, const std::optional<TensorOrNumber>& atol,
                          const std::optional<TensorOrNumber>& rtol, bool hermitian) {
  const char* name = "linalg.matrix_rank";
  check_matrix(name, a);
  if (hermitian) check_square(name, a);
  GradientMode off(false);
  if (is_empty(a)) return convert(new_zeros(a, stack_shape(a, {})), DType::i64);
  const Tensor sizes = sizes_of_values(name, a, hermitian);
  return sum(gt(sizes, zero_limit(a, sizes, atol, rtol)), Dims{-1});
}

std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const Tensor& a, const Tensor& b,
                                                        std::optional<double> rcond) {
  const char* name = "linalg.lstsq";
  check_matrix(name, a);
  check_same_type(name, a.dtype(), b.dtype());
  const bool vector = b.rank() == a.rank() - 1 && b.rank() > 0;
  const Tensor right = vector ? as_column(b) : b;
  if (right.rank() < 2 || rows_of(right) != rows_of(a))
    throw ShapeError("linalg.lstsq: " + a.shape().text() + " and " + b.shape().text() +
                     " have different numbers of rows");
  std::optional<TensorOrNumber> rtol;
  if (rcond) rtol = TensorOrNumber(*rcond);
  const Tensor x = matmul(linalg_pinv(a, {}, rtol), right);
  const Tensor rank = linalg_matrix_rank(a, {}, rtol);
  Tensor residuals = new_zeros(a, {0});
  if (rows_of(a) > columns_of(a)) {
    const std::vector<int64_t> ranks = read_integers(name, reshape_to(rank, {rank.numel()}));
    const bool whole = std::all_of(ranks.begin(), ranks.end(),
                                   [&](int64_t each) { return each == columns_of(a); });
    if (whole) residuals = sum(square(matmul(a, x) - right), Dims{-2});
  }
  return {vector ? squeeze(x, Dims{-1}) : x, residuals, rank, new_zeros(a, {0})};
}

Tensor linalg_matrix_norm(const Tensor& input, double order, const OptionalDims& dims, bool keepdim,
                          std::optional<DType> dtype) {
  const char* name = "linalg.matrix_norm";
  const Tensor x = in_type(input, dtype);
  check_min_rank(name, x, 2);
  const Tensor a = last_two(name, x, dims);
  const double size = std::abs(order);
  Tensor values;
  if (size == 2) {
    check_matrix(name, a);
    values = decompose_singular(name, a, false, false).s;
  } else if (size == 1 || std::isinf(size)) {
    values = vector_norm(a, 1.0, Dims{size == 1 ? -2 : -1});
  } else {
    throw Error(std::string(name) + ": the order is 1, 2, infinity, their negatives, fro or nuc");
  }
  // The largest of no values is 0; there is no smallest.
  const bool none = values.shape()[values.rank() - 1] == 0;
  const Tensor largest = none ? sum(values, Dims{-1}) : amax(values, Dims{-1});
  const Tensor norm = order > 0 ? largest : amin(values, Dims{-1});
  return with_kept_dims(name, norm, x, dims, keepdim);
}

Tensor linalg_matrix_norm_named(const Tensor& input, const std::optional<std::string>& order,
                                const OptionalDims& dims, bool keepdim,
                                std::optional<DType> dtype) {
  const char* name = "linalg.matrix_norm";
  const std::string word = order.value_or("fro");
  choose(name, "the order", word, {"fro", "nuc"});
  const Tensor x = in_type(input, dtype);
  check_min_rank(name, x, 2);
  const Tensor a = last_two(name, x, dims);
  if (word == "fro")
    return with_kept_dims(name, vector_norm(a, 2.0, Dims{-2, -1}), x, dims, keepdim);
  check_matrix(name, a);
  const Tensor norm = sum(decompose_singular(name, a, false, false).s, Dims{-1});
  return with_kept_dims(name, norm, x, dims, keepdim);
}

Tensor linalg_cond(const Tensor& a, std::optional<double> p) {
  const char* name = "linalg.cond";
  check_matrix(name, a);
  if (rows_of(a) == 0 && columns_of(a) == 0) {
    Shape leading = a.shape();
    leading.erase(a.rank() - 2);
    leading.erase(a.rank() - 2);
    return new_zeros(a, leading);
  }
  const double order = p.value_or(2);
  if (std::abs(order) == 2) {
    const Tensor s = decompose_singular(name, a, false, false).s;
    const Tensor largest = amax(s, Dims{-1}), least = amin(s, Dims{-1});
    return order > 0 ? largest / least : least / largest;
  }
  check_square(name, a);
  const auto [lu, pivots] = factor_lu(name, a, false);
  const Tensor right = broadcast_to(identity_like(a, rows_of(a)), a.shape());
  const Tensor inverse = solve_factored(name, lu, pivots, a, right, false);
  const Tensor product = linalg_matrix_norm(a, order) * linalg_matrix_norm(inverse, order);
  // A singular matrix gives infinities and nans.
  return where(isnan(product), std::numeric_limits<double>::infinity(), product);
}

Tensor linalg_cond_named(const Tensor& a, const std::string& p) {
  const char* name = "linalg.cond";
  check_square(name, a);
  return linalg_matrix_norm_named(a, p) * linalg_matrix_norm_named(linalg_inv(a), p);
}

std::tuple<Tensor, Tensor> linalg_eig(const Tensor& a) {
  throw DTypeError("linalg.eig: eigenvalues of " + a.shape().text() +
                   " may be complex, and no type holds complex numbers: use linalg.eigh for a "
                   "symmetric matrix");
}

Tensor linalg_eigvals(const Tensor& a) {
  throw DTypeError("linalg.eigvals: eigenvalues of " + a.shape().text() +
                   " may be complex, and no type holds complex numbers: use linalg.eigvalsh for a "
                   "symmetric matrix");
}

Tensor named_norm(const Tensor& x, const std::string& order, const OptionalDims& dims, bool keepdim,
                  std::optional<DType> dtype) {
  if (choose("norm", "the order", order, {"fro", "nuc"}) == 1)
    return linalg_matrix_norm_named(x, order, dims, keepdim, dtype);
  return vector_norm(x, 2.0, dims, keepdim, dtype);
}

Tensor linalg_norm(const Tensor& x, std::optional<double> order, const OptionalDims& dims,
                   bool keepdim, std::optional<DType> dtype) {
  if (!order) return vector_norm(x, 2.0, dims, keepdim, dtype);
  const bool has_dims = dims && !dims->empty();
  if (!has_dims && x.rank() > 2)
    throw ShapeError("norm: dim is required for shape " + x.shape().text());
  const int count = has_dims ? dims->size() : x.rank();
  if (count > 2) throw ShapeError("norm: at most 2 dimensions make a matrix");
  if (count < 2) return vector_norm(x, order, dims, keepdim, dtype);
  return linalg_matrix_norm(x, *order, dims, keepdim, dtype);
}

}  // namespace tide
