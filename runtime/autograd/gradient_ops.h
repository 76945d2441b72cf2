// The differentiable ops that gradients are gathered with. Ops lie above autograd, so it knows
// those it needs as a table, which runtime/gradient_ops.cpp fills.
#pragma once

#include "runtime/core/shape.h"
#include "runtime/tensor/tensor.h"

namespace tide {

struct GradientOps {
  Tensor (*add)(const Tensor& a, const Tensor& b);
  Tensor (*convert)(const Tensor& x, DType type);
  /// x in the order of the format, x itself if it lies so.
  Tensor (*in_format)(const Tensor& x, MemoryFormat format);
  /// A row-major tensor of its own.
  Tensor (*copy)(const Tensor& x);
  /// Sums x to `shape`, to which x's shape was broadcast.
  Tensor (*sum_to)(const Tensor& x, const Shape& shape);
  /// The elements of x that `part` names, a layout of a dense tensor of x's shape.
  Tensor (*take_part)(const char* name, const Tensor& x, const Layout& part);
  /// Zeros of `shape` with x at the places that `part` names: the gradient of take_part.
  Tensor (*place_part)(const char* name, const Tensor& x, const Shape& shape, const Layout& part);
  /// Whether no element is nan or infinite: one boolean.
  Tensor (*all_finite)(const Tensor& x);
};
extern const GradientOps gradient_ops;

}  // namespace tide
