// How a definition states its gradient, side by side with its value.
//
// One tensor argument, and numbers after it:
//   static constexpr unsigned kNeeds = kNeedsY;     what the gradient reads besides dy
//   static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy, Number...);
// Several arguments, one gradient for each:
//   static constexpr unsigned kNeeds[] = {kNeedsB, kNeedsA};
//   static Tensor gradient_a(const Operands&);  static Tensor gradient_b(const Operands&); ...
// What is not stated as needed is not saved, and must not be read. Gradients may have any shape and
// type that broadcast to the result's: they are summed and converted to the argument's afterwards.
// They see half types as f32. Being written in tensor calls, they can be differentiated again.
#pragma once

#include "runtime/ops/elementwise/elementwise.h"

namespace tide {

/// What a gradient reads besides dy.
enum Needs : unsigned { kNeedsNothing = 0, kNeedsA = 1, kNeedsB = 2, kNeedsC = 4, kNeedsY = 16 };

/// The arguments of an op (as far as they are needed; numbers always are), its result, and the
/// result's gradient.
struct Operands {
  TensorOrNumber a = 0, b = 0, c = 0, d = 0;
  Tensor y, dy;
};

}  // namespace tide
