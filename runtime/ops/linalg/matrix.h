// Products of vectors and matrices. Both operands have one type.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Vectors, matrices, or stacks of matrices whose leading dimensions broadcast. `out_dtype`: the
/// operands' type, or the accumulation type: f32 for half types, i32 for i8.
Tensor matmul(const Tensor& a, const Tensor& b, std::optional<DType> out_dtype = {});
/// matmul without rounding to half types: the result is float32.
Tensor matmul_unrounded(const Tensor& a, const Tensor& b);
Tensor mm(const Tensor& a, const Tensor& b, std::optional<DType> out_dtype = {});
Tensor bmm(const Tensor& a, const Tensor& b, std::optional<DType> out_dtype = {});
Tensor mv(const Tensor& a, const Tensor& b);
Tensor dot(const Tensor& a, const Tensor& b);
Tensor outer(const Tensor& a, const Tensor& b);
/// beta * x + alpha * (a b), in the shape of the product, to which x is broadcast. For integers
/// beta and alpha are truncated; with beta = 0, x is ignored, including nan and infinities.
Tensor addmm(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta = {},
             std::optional<Number> alpha = {});
Tensor baddbmm(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta = {},
               std::optional<Number> alpha = {});
Tensor addmv(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta = {},
             std::optional<Number> alpha = {});
/// As addmm, with the sum of a stack of products, and with the outer product of vectors, where
/// integer types require integer beta and alpha.
Tensor addbmm(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta = {},
              std::optional<Number> alpha = {});
Tensor addr(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> beta = {},
            std::optional<Number> alpha = {});

/// a (m, k) times b (k, n), both of float8, times their scales, plus a bias (n) of the result's
/// type: bf16, f16 or f32, rounded once. A scale is a float32 scalar, or one value for each row of
/// a (m, 1) or each column of b (1, n). Accumulates in float32. Throws if an argument requires a
/// gradient.
Tensor scaled_mm(const Tensor& a, const Tensor& b, const TensorOrNumber& scale_a,
                 const TensorOrNumber& scale_b, const std::optional<Tensor>& bias = {},
                 std::optional<DType> out_dtype = {});

/// x W' + bias over the last dimension of x.
Tensor linear(const Tensor& x, const Tensor& weight, const std::optional<Tensor>& bias = {});
/// Sums of products by Einstein's convention: "ij,jk->ik".
Tensor einsum(const std::string& equation, const std::vector<Tensor>& operands);

/// Inner products of the last dimensions; of two vectors.
Tensor inner(const Tensor& a, const Tensor& b);
/// The product over the last n dimensions of a and the first n of b (default 2).
Tensor tensordot(const Tensor& a, const Tensor& b, std::optional<int64_t> dims = {});
/// The product over pairs of dimensions: the first list names dimensions of a, the second those of
/// b.
Tensor tensordot_pairs(const Tensor& a, const Tensor& b, const DimLists& dims);

}  // namespace tide
