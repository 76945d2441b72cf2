// New tensors: constants, iotas, and patterns made of them.
#pragma once

#include <optional>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// The options of a new tensor of x's type, device and format, except where `options` sets them.
TensorOptions like(const Tensor& x, TensorOptions options);
/// Applies the options other than type and device to x.
Tensor finish(Tensor x, const TensorOptions& options);

/// A tensor full of `value`. The type is that of the options, else that of the value (i64, f32,
/// bool).
Tensor full(const Shape& shape, Number value, const TensorOptions& options = {});
Tensor zeros(const Shape& shape, const TensorOptions& options = {});
Tensor ones(const Shape& shape, const TensorOptions& options = {});
/// Elements with unspecified values; currently 0.
Tensor empty(const Shape& shape, const TensorOptions& options = {});

/// Elements with unspecified values and the given strides, or dense with the dimensions in the
/// order of `physical_layout`, the last one innermost.
Tensor empty_strided(const Sizes& size, const Sizes& stride, const TensorOptions& options = {});
Tensor empty_permuted(const Shape& shape, const Dims& physical_layout,
                      const TensorOptions& options = {});
Tensor new_empty_strided(const Tensor& x, const Sizes& size, const Sizes& stride,
                         const TensorOptions& options = {});

/// Like `x` in shape, type and device unless the options differ.
Tensor full_like(const Tensor& x, Number value, const TensorOptions& options = {});
Tensor zeros_like(const Tensor& x, const TensorOptions& options = {});
Tensor ones_like(const Tensor& x, const TensorOptions& options = {});
Tensor empty_like(const Tensor& x, const TensorOptions& options = {});

/// Of x's type and device unless the options differ.
Tensor new_full(const Tensor& x, const Shape& shape, Number value,
                const TensorOptions& options = {});
Tensor new_zeros(const Tensor& x, const Shape& shape, const TensorOptions& options = {});
Tensor new_ones(const Tensor& x, const Shape& shape, const TensorOptions& options = {});
Tensor new_empty(const Tensor& x, const Shape& shape, const TensorOptions& options = {});

/// start, start + step, ... below `end` (above, if step is negative). i64 for integers, else f32.
Tensor arange(Number start, Number end, std::optional<Number> step = {},
              const TensorOptions& options = {});
Tensor arange_to(Number end, const TensorOptions& options = {});
/// first, first + step, ..., including `last` if it is reached.
Tensor range(Number first, Number last, std::optional<Number> step = {},
             const TensorOptions& options = {});
/// `steps` evenly spaced values, both ends included. 0-d tensors are read, which waits; they get no
/// gradient.
Tensor linspace(const TensorOrNumber& start, const TensorOrNumber& end, const TensorOrNumber& steps,
                const TensorOptions& options = {});
/// base to the power of linspace's values.
Tensor logspace(const TensorOrNumber& start, const TensorOrNumber& end, const TensorOrNumber& steps,
                std::optional<double> base = {}, const TensorOptions& options = {});

/// Windows of signal processing: `length` values with a maximum of 1 in the middle. Unless periodic
/// is false, a symmetric window of length + 1 without its last value.
Tensor hann_window(int64_t length, std::optional<bool> periodic = {},
                   const TensorOptions& options = {});
Tensor hamming_window(int64_t length, std::optional<bool> periodic = {},
                      std::optional<double> alpha = {}, std::optional<double> beta = {},
                      const TensorOptions& options = {});
Tensor blackman_window(int64_t length, std::optional<bool> periodic = {},
                       const TensorOptions& options = {});
Tensor bartlett_window(int64_t length, std::optional<bool> periodic = {},
                       const TensorOptions& options = {});
Tensor kaiser_window(int64_t length, std::optional<bool> periodic = {},
                     std::optional<double> beta = {}, const TensorOptions& options = {});
/// A 0-d tensor, f32 unless the options set another type.
Tensor scalar_tensor(Number value, const TensorOptions& options = {});

/// Ones on the diagonal of a matrix of n rows and m (default n) columns.
Tensor eye(int64_t n, std::optional<int64_t> m = {}, const TensorOptions& options = {});
/// The part of each matrix on and below (tril) or above (triu) a diagonal, zeros elsewhere.
Tensor tril(const Tensor& x, std::optional<int64_t> diagonal = {});
Tensor triu(const Tensor& x, std::optional<int64_t> diagonal = {});
/// A new last dimension of `num_classes` (default: the largest position; waits for it) with a 1 at
/// the position that x holds.
Tensor one_hot(const Tensor& x, std::optional<int64_t> num_classes = {});

/// The i64 number offset + sum of i_d * strides[d] at each (i0, i1, ...).
Tensor index_iota(const Layout& layout, Device device);
/// The positions 1..n along `dim`, in a shape of `rank` dimensions that broadcasts.
Tensor positions_along(int rank, int dim, int64_t n, Device device);

}  // namespace tide
