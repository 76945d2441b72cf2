// Ops that compute each element of the result from the elements at the same position.
//
// Tensors broadcast to a common shape. Types follow PyTorch's rules: operands promote to a common
// type, where 0-d tensors and numbers count only by their category (bool, integer, floating). All
// are differentiable wherever the function is. Errors are thrown when an op is recorded:
// ShapeError, DTypeError, DeviceError.
#pragma once

#include <optional>
#include <string>

#include "runtime/ops/arguments.h"
#include "runtime/tensor/tensor.h"

namespace tide {

// Functions of one tensor (exp, silu, isnan, ...) and of two operands (hypot, maximum, lt, ...).
// The rows say what they compute and which types they take.
#define TIDE_UNARY(function, definition, types, cost) Tensor function(const Tensor& x);
#define TIDE_BINARY(function, definition, types, cost) \
  Tensor function(const TensorOrNumber& a, const TensorOrNumber& b);
#include "runtime/ir/elementwise_ops.def"

/// x in another type; x itself if it has that type. Floating to integer truncates.
Tensor convert(const Tensor& x, DType type);
/// x itself if no type is given.
inline Tensor convert(const Tensor& x, std::optional<DType> type) {
  return type ? convert(x, *type) : x;
}
/// convert to one type, as a function.
template <DType type>
Tensor convert_to(const Tensor& x) {
  return convert(x, type);
}

/// x rounded to integers, or to a number of decimals (tens if negative); ties to even.
Tensor round(const Tensor& x, std::optional<int64_t> decimals = {});

/// a + alpha * b and a - alpha * b. "Or" for bool; bool cannot be subtracted.
Tensor add(const TensorOrNumber& a, const TensorOrNumber& b, std::optional<Number> alpha = {});
Tensor sub(const TensorOrNumber& a, const TensorOrNumber& b, std::optional<Number> alpha = {});
/// a / b in a floating type; with the rounding mode "floor" or "trunc" an integer value in the
/// common type.
Tensor div(const TensorOrNumber& a, const TensorOrNumber& b,
           const std::optional<std::string>& rounding_mode = {});
/// a to the power of b. Integers wrap around; a negative number as their exponent throws.
Tensor pow(const TensorOrNumber& a, const TensorOrNumber& b);
/// All bits of integers inverted; "not" for bool.
Tensor bitwise_not(const Tensor& x);

/// a where the bool condition holds, else b.
Tensor where(const Tensor& condition, const TensorOrNumber& a, const TensorOrNumber& b);
/// where, called on the first value.
Tensor where_of(const Tensor& x, const Tensor& condition, const TensorOrNumber& other);
/// x clamped to min and max, either of which may be absent; max wins if min > max.
Tensor clamp(const Tensor& x, const std::optional<TensorOrNumber>& min = {},
             const std::optional<TensorOrNumber>& max = {});
Tensor clamp_min(const Tensor& x, const TensorOrNumber& min);
Tensor clamp_max(const Tensor& x, const TensorOrNumber& max);
/// a + weight * (b - a).
Tensor lerp(const Tensor& a, const Tensor& b, const TensorOrNumber& weight);
/// x + value * a * b.
Tensor addcmul(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> value = {});
/// x + value * a / b.
Tensor addcdiv(const Tensor& x, const Tensor& a, const Tensor& b, std::optional<Number> value = {});

/// Activations with parameters; defaults are PyTorch's.
Tensor hardtanh(const Tensor& x, std::optional<Number> min_val = {},
                std::optional<Number> max_val = {});
Tensor leaky_relu(const Tensor& x, std::optional<double> negative_slope = {});
Tensor elu(const Tensor& x, std::optional<double> alpha = {});
Tensor celu(const Tensor& x, std::optional<double> alpha = {});
/// `approximate`: "none" (default) or "tanh".
Tensor gelu(const Tensor& x, const std::optional<std::string>& approximate = {});
Tensor softplus(const Tensor& x, std::optional<double> beta = {},
                std::optional<double> threshold = {});

inline Tensor operator-(const Tensor& x) { return neg(x); }
inline Tensor operator+(const TensorOrNumber& a, const TensorOrNumber& b) { return add(a, b); }
inline Tensor operator-(const TensorOrNumber& a, const TensorOrNumber& b) { return sub(a, b); }
inline Tensor operator*(const TensorOrNumber& a, const TensorOrNumber& b) { return mul(a, b); }
inline Tensor operator/(const TensorOrNumber& a, const TensorOrNumber& b) { return div(a, b); }

}  // namespace tide
