// How an elementwise op becomes a node with a gradient: one template for all definitions.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "runtime/autograd/autograd.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/ops/elementwise/elementwise_gradient.h"
#include "runtime/tensor/record.h"

namespace tide {

/// The gradients of an op, one for each tensor argument that is not an option.
struct GradientRule {
  std::array<unsigned, 3> needs{};
  std::array<Tensor (*)(const Operands&), 3> gradients{};
};

/// Calls the gradient of a definition with one tensor argument and up to two numbers.
template <class Definition>
Tensor unary_gradient(const Operands& operands) {
  const UnaryOperands v{operands.a.tensor, operands.y, operands.dy};
  const Number& b = operands.b.number;
  if constexpr (requires { Definition::gradient(v); })
    return Definition::gradient(v);
  else if constexpr (requires { Definition::gradient(v, b); })
    return Definition::gradient(v, b);
  else
    return Definition::gradient(v, b, operands.c.number);
}

template <class Definition>
constexpr GradientRule make_rule() {
  GradientRule rule;
  std::ranges::copy(Definition::kNeeds, rule.needs.begin());
  constexpr size_t count = std::size(Definition::kNeeds);
  if constexpr (count == 1) {
    rule.gradients[0] = unary_gradient<Definition>;
  } else {
    rule.gradients[0] = Definition::gradient_a;
    rule.gradients[1] = Definition::gradient_b;
    if constexpr (count > 2) rule.gradients[2] = Definition::gradient_c;
  }
  return rule;
}

template <class Definition>
inline constexpr GradientRule kRule = make_rule<Definition>();

/// Attaches to y, just recorded from `operands`, the grad function that `rule` describes. Called
/// only if an operand needs it.
void attach_grad_fn(const Tensor& y, const char* name, std::span<const TensorOrNumber> operands,
                    const GradientRule& rule);

inline bool any_needs_grad_fn(std::span<const TensorOrNumber> operands) {
  for (const TensorOrNumber& operand : operands)
    if (operand.tensor.defined() && needs_grad_fn(operand.tensor)) return true;
  return false;
}

/// Records y = op(operands...) and its grad function. Types are record_map's.
template <class Definition, size_t kCount>
Tensor record_differentiable(ElementwiseOp op, const char* name, DType result_type,
                             DType operand_type, const TensorOrNumber (&operands)[kCount]) {
  Tensor y = record_map(op, name, result_type, operand_type, operands);
  if (any_needs_grad_fn(operands)) [[unlikely]]
    attach_grad_fn(y, name, operands, kRule<Definition>);
  return y;
}

}  // namespace tide
