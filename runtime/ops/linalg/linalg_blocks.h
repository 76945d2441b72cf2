// Building blocks of linear algebra: checks, factors, small matrices.
#pragma once

#include "runtime/autograd/autograd.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Throws ShapeError or DTypeError, naming `op`, unless `a` is a matrix of f32 or f64, or a stack.
void check_matrix(const char* op, const Tensor& a);
/// Also throws unless the matrix is square.
void check_square(const char* op, const Tensor& a);

/// The last sizes.
inline int64_t rows_of(const Tensor& a) { return a.shape()[a.rank() - 2]; }
inline int64_t columns_of(const Tensor& a) { return a.shape()[a.rank() - 1]; }

/// The leading sizes of a stack of matrices, followed by the given ones.
Shape stack_shape(const Tensor& a, std::initializer_list<int64_t> last);

/// Both with equal leading sizes. Differentiable.
std::pair<Tensor, Tensor> broadcast_stacks(const char* op, const Tensor& a, const Tensor& b);

/// The identity of n rows in the type and on the device of `like`.
Tensor identity_like(const Tensor& like, int64_t n);
/// Matrices with these vectors (..., n) on their diagonals.
Tensor diagonal_matrix(const Tensor& vectors);
/// vectors (..., n) as rows (..., 1, n), as columns (..., n, 1).
Tensor as_row(const Tensor& vectors);
Tensor as_column(const Tensor& vectors);

/// X with op(A) X = B from A's factors, where op transposes on request: A (..., n, n) and B (...,
/// n, k) have equal leading sizes. Differentiable, over A and B.
Tensor solve_factored(const char* name, const Tensor& lu, const Tensor& pivots, const Tensor& a,
                      const Tensor& b, bool transposed);
/// LU and pivots of A, without a grad function.
std::pair<Tensor, Tensor> factor_lu(const char* name, const Tensor& a, bool singular_fails);

}  // namespace tide
