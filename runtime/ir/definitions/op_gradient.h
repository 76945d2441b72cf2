// How the definition of an op states its gradient, side by side with its value: a template over the
// type of tensors, which knows what a Tensor can do only where it is instantiated
// (ops/elementwise).
//
// One tensor argument, and numbers after it:
//   static constexpr unsigned kNeeds = kNeedsY;     what the gradient reads besides dy
//   template <class Tensor, class Number>
//   static Tensor gradient(const Tensor& x, const Tensor& y, const Tensor& dy, Number...);
// Several arguments, one gradient for each:
//   static constexpr unsigned kNeeds[] = {kNeedsB, kNeedsA};
//   template <class Tensor> static Tensor gradient_a(const Operands<Tensor>&); and gradient_b, ...
// What is not stated as needed is not saved, and must not be read. Gradients may have any shape and
// type that broadcast to the result's: they are summed and converted to the argument's afterwards.
// They see half types as f32. Being written in tensor calls, they can be differentiated again.
#pragma once

namespace tide {

/// What a gradient reads besides dy.
enum Needs : unsigned { kNeedsNothing = 0, kNeedsA = 1, kNeedsB = 2, kNeedsC = 4, kNeedsY = 16 };

/// The arguments a, b, c and d of an op (as far as they are needed; numbers always are), its result
/// y, and the result's gradient dy.
template <class Tensor>
struct Operands;

}  // namespace tide
