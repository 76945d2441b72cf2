// Linear algebra: decompositions, solvers, norms and other properties of matrices.
//
// Arguments are matrices (..., m, n) of f32 or f64; leading dimensions are stacks, and broadcast
// where there are two arguments. Everything is differentiable, also twice, where PyTorch's is.
// LAPACK computes on the host, also for tensors on a GPU. A matrix that cannot be inverted, or an
// iteration that fails, is an error when a result is read.
#pragma once

#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/tensor/tensor.h"

namespace tide {

// --- solving ------------------------------------------------------------------------------------

/// X with A X = B (X A = B if not left); B may be a vector. Fails for a singular A.
Tensor linalg_solve(const Tensor& a, const Tensor& b, std::optional<bool> left = {});
/// X with A X = B (X A = B) for a triangular A; no check for zeros on the diagonal.
Tensor solve_triangular(const Tensor& a, const Tensor& b, bool upper, std::optional<bool> left = {},
                        bool unitriangular = false);
/// The inverse. Fails for a singular matrix.
Tensor linalg_inv(const Tensor& a);
Tensor linalg_det(const Tensor& a);
/// Sign and logarithm of the absolute value of the determinant.
std::tuple<Tensor, Tensor> linalg_slogdet(const Tensor& a);
/// log(det(a)): nan if the determinant is negative.
Tensor logdet(const Tensor& a);
/// X that minimizes |A X - B|: (solution, residuals, rank, singular values). Waits for the rank if
/// there are more rows than columns.
std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq(const Tensor& a, const Tensor& b,
                                                        std::optional<double> rcond = {});
/// The inverse of a tensor as a linear map from its last dimensions to its first `ind`.
Tensor linalg_tensorinv(const Tensor& a, std::optional<int64_t> ind = {});
/// x with tensordot(a, x, x.dim()) = b.
Tensor linalg_tensorsolve(const Tensor& a, const Tensor& b, const std::optional<Dims>& dims = {});

// --- factors ------------------------------------------------------------------------------------

/// L with L L' = A, or with `upper` U with U' U = A. Fails unless A is positive-definite.
Tensor linalg_cholesky(const Tensor& a, bool upper = false);
/// X with A X = B, given A's Cholesky factor.
Tensor cholesky_solve(const Tensor& b, const Tensor& factor, bool upper = false);
/// The inverse of the matrix with this Cholesky factor.
Tensor cholesky_inverse(const Tensor& factor, bool upper = false);
/// Q, R with Q R = A: `mode` "reduced" (default), "complete", or "r" (Q is empty).
std::tuple<Tensor, Tensor> linalg_qr(const Tensor& a, const std::optional<std::string>& mode = {});
/// P, L, U with P L U = A.
std::tuple<Tensor, Tensor, Tensor> linalg_lu(const Tensor& a);
/// L below and U on and above the diagonal of one matrix, and the i32 pivots. Fails for a zero
/// pivot.
std::tuple<Tensor, Tensor> linalg_lu_factor(const Tensor& a);
/// Variants that do not fail: the last result, i32, is for each matrix 0, or the order of the
/// leading minor that is not positive-definite, or the index of the first zero pivot; the other
/// results are then undefined. With check_errors they do fail.
std::tuple<Tensor, Tensor> linalg_cholesky_ex(const Tensor& a, bool upper = false,
                                              bool check_errors = false);
std::tuple<Tensor, Tensor> linalg_inv_ex(const Tensor& a, bool check_errors = false);
std::tuple<Tensor, Tensor> linalg_solve_ex(const Tensor& a, const Tensor& b,
                                           std::optional<bool> left = {},
                                           bool check_errors = false);
std::tuple<Tensor, Tensor, Tensor> linalg_lu_factor_ex(const Tensor& a, bool check_errors = false);
/// The first n columns of H1 H2 ... Hk, with Hi = I - tau[i] v v' for v = (0, ..., 0, 1, and below
/// it column i of A (..., m, n)).
Tensor householder_product(const Tensor& a, const Tensor& tau);
/// H1 H2 ... Hk C, with `transpose` Hk ... H2 H1 C, or if not left, C times this product.
Tensor ormqr(const Tensor& a, const Tensor& tau, const Tensor& c, std::optional<bool> left = {},
             bool transpose = false);
/// R on and above the diagonal and the vectors of Householder reflections below it, and their
/// factors tau. Not differentiable.
std::tuple<Tensor, Tensor> geqrf(const Tensor& a);
/// L and D of a symmetric A = L D L' in one matrix, and the i32 pivots, negative for blocks of two,
/// as LAPACK's sytrf returns for the lower triangle. Waits; fails for a singular D. `hermitian` has
/// no effect on real matrices. Not differentiable.
std::tuple<Tensor, Tensor> linalg_ldl_factor(const Tensor& a, bool hermitian = false);
/// ldl_factor without waiting or failing: the last result is 0, or the index of the singular block
/// of D.
std::tuple<Tensor, Tensor, Tensor> linalg_ldl_factor_ex(const Tensor& a, bool hermitian = false,
                                                        bool check_errors = false);
/// X with A X = B from the results of ldl_factor for A. Only B gets a gradient.
Tensor linalg_ldl_solve(const Tensor& ld, const Tensor& pivots, const Tensor& b,
                        bool hermitian = false);
/// X with A X = B (X A = B if not left; A transposed if adjoint) from the results of lu_factor for
/// A.
Tensor linalg_lu_solve(const Tensor& lu, const Tensor& pivots, const Tensor& b,
                       std::optional<bool> left = {}, bool adjoint = false);

// --- eigenvalues and singular values
// ------------------------------------------------------------------------------------

/// Ascending eigenvalues and eigenvectors (columns) of symmetric matrices; the triangle `uplo`
/// ("L", default, or "U") is read.
std::tuple<Tensor, Tensor> linalg_eigh(const Tensor& a,
                                       const std::optional<std::string>& uplo = {});
Tensor linalg_eigvalsh(const Tensor& a, const std::optional<std::string>& uplo = {});
/// U, S, V' with U diag(S) V' = A, S descending.
std::tuple<Tensor, Tensor, Tensor> linalg_svd(const Tensor& a,
                                              std::optional<bool> full_matrices = {});
Tensor linalg_svdvals(const Tensor& a);

/// PyTorch's older signatures: U, S, V with U diag(S) V' = A, reduced unless `some` is false.
std::tuple<Tensor, Tensor, Tensor> svd(const Tensor& a, std::optional<bool> some = {});
/// Q, R, reduced unless `some` is false.
std::tuple<Tensor, Tensor> qr(const Tensor& a, std::optional<bool> some = {});
/// X with A X = B from the results of lu_factor for A.
Tensor lu_solve(const Tensor& b, const Tensor& lu, const Tensor& pivots);
/// P, L, U with P L U = A from the results of lu_factor for A.
std::tuple<Tensor, Tensor, Tensor> lu_unpack(const Tensor& lu, const Tensor& pivots);
/// X with A X = B, or A' X = B, for a triangular A (upper unless said otherwise); and A.
std::tuple<Tensor, Tensor> triangular_solve(const Tensor& b, const Tensor& a,
                                            std::optional<bool> upper = {}, bool transpose = false,
                                            bool unitriangular = false);
/// The Moore-Penrose pseudoinverse; singular values up to max(atol, rtol * largest) count as 0.
Tensor linalg_pinv(const Tensor& a, const std::optional<TensorOrNumber>& atol = {},
                   const std::optional<TensorOrNumber>& rtol = {}, bool hermitian = false);
/// The number of singular values above max(atol, rtol * largest).
Tensor linalg_matrix_rank(const Tensor& a, const std::optional<TensorOrNumber>& atol = {},
                          const std::optional<TensorOrNumber>& rtol = {}, bool hermitian = false);
/// The condition number in the norm p (default 2), or in a named norm.
Tensor linalg_cond(const Tensor& a, std::optional<double> p = {});
Tensor linalg_cond_named(const Tensor& a, const std::string& p);
/// Norms of the matrices in two dimensions: "fro", "nuc", or 1, 2, infinity and their negatives.
Tensor linalg_matrix_norm(const Tensor& a, double order, const OptionalDims& dims = {},
                          bool keepdim = false, std::optional<DType> dtype = {});
Tensor linalg_matrix_norm_named(const Tensor& a, const std::optional<std::string>& order = {},
                                const OptionalDims& dims = {}, bool keepdim = false,
                                std::optional<DType> dtype = {});

// --- products -----------------------------------------------------------------------------------

/// The n-th power of square matrices; negative n inverts.
Tensor matrix_power(const Tensor& a, int64_t n);
/// The exponential of square matrices. Waits for their norm.
Tensor matrix_exp(const Tensor& a);
/// The product of a chain of matrices in the cheapest order; the ends may be vectors. Always
/// throws: the eigenvalues may be complex, and there is no complex type.
std::tuple<Tensor, Tensor> linalg_eig(const Tensor& a);
Tensor linalg_eigvals(const Tensor& a);
Tensor multi_dot(const std::vector<Tensor>& tensors);
/// The cross product of vectors of 3 elements along dim.
Tensor linalg_cross(const Tensor& a, const Tensor& b, std::optional<Dim> dim = {});
/// Inner products along dim (default the last).
Tensor linalg_vecdot(const Tensor& a, const Tensor& b, std::optional<Dim> dim = {});
/// Powers 0..n-1 of each element as a new last dimension.
Tensor linalg_vander(const Tensor& x, std::optional<int64_t> n = {});
/// The diagonals of the last two dimensions.
Tensor linalg_diagonal(const Tensor& a, std::optional<int64_t> offset = {},
                       std::optional<Dim> dim1 = {}, std::optional<Dim> dim2 = {});

/// Row i has the powers count - 1, ..., 1, 0 of x[i]; ascending on request. count defaults to the
/// number of rows.
Tensor vander(const Tensor& x, std::optional<int64_t> count = {}, bool increasing = false);

/// "fro", the root of the sum of squares.
Tensor named_norm(const Tensor& x, const std::string& order, const OptionalDims& dims = {},
                  bool keepdim = false, std::optional<DType> dtype = {});
/// The norm of vectors (one dim, or no order and no dims) or of matrices (two dims).
Tensor linalg_norm(const Tensor& x, std::optional<double> order = {}, const OptionalDims& dims = {},
                   bool keepdim = false, std::optional<DType> dtype = {});

}  // namespace tide
