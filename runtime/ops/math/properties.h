// Properties of tensors and of their elements.
#pragma once

#include <optional>

#include "runtime/tensor/tensor.h"

namespace tide {

/// Whether a and b are within atol + rtol * |b|, elementwise; and for all elements, which waits.
Tensor isclose(const Tensor& a, const Tensor& b, std::optional<double> rtol = {},
               std::optional<double> atol = {}, bool equal_nan = false);
bool allclose(const Tensor& a, const Tensor& b, std::optional<double> rtol = {},
              std::optional<double> atol = {}, bool equal_nan = false);
/// Whether the sign of x is negative, also that of -0.
Tensor signbit(const Tensor& x);
Tensor isposinf(const Tensor& x);
Tensor isneginf(const Tensor& x);
Tensor isreal(const Tensor& x);
/// Whether the only element is not 0. Waits.
bool is_nonzero(const Tensor& x);
bool is_same_size(const Tensor& x, const Tensor& other);
/// Whether the type has negative numbers.
bool is_signed(const Tensor& x);
/// False: no type is complex.
bool is_complex(const Tensor& x);

}  // namespace tide
