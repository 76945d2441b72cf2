// How the definition of an op states its gradient, next to its value: a template over the tensor
// type, whose functions are known only where it is instantiated (ops/elementwise).
//
// One tensor argument, followed by scalars:
//   static constexpr unsigned kNeeds = kNeedsY;     what the gradient reads besides dy
//   template <class Tensor, class Number>
//   static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy, Number...);
// Several arguments, one gradient for each:
//   static constexpr unsigned kNeeds[] = {kNeedsB, kNeedsA};
//   template <class Tensor> static Tensor gradient_a(const Operands<Tensor>&); and gradient_b, ...
// Anything not listed as needed is not saved, and must not be read. Gradients may have any shape
// and type that broadcast to the result's: they are then summed and converted to the argument's.
// They see half types as f32. Because they are written as tensor ops, they can be differentiated
// again.
#pragma once

namespace tide {

/// What a gradient reads besides dy.
enum Needs : unsigned { kNeedsNothing = 0, kNeedsA = 1, kNeedsB = 2, kNeedsC = 4, kNeedsY = 16 };

/// The arguments a, b, c and d of an op (if needed; scalars always), its result y, and the result's
/// gradient dy.
template <class Tensor>
struct Operands;

}  // namespace tide
