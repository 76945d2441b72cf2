// Grad functions of elementwise ops.
#include "runtime/ops/elementwise/elementwise_record.h"

#include <optional>
#include <utility>
#include <vector>

#include "runtime/ops/reduce/reduction.h"
#include "runtime/tensor/transfer.h"

namespace tide {
namespace {

constexpr int kMaxArguments = 4;

/// The argument that a gradient belongs to.
struct Target {
  Shape shape;
  DType type = DType::f32;
  Device device;
  int argument = 0;
};

/// Half types as f32: a gradient is several ops, but is rounded only once.
Tensor unrounded(const Tensor& x) { return is_narrow(x.dtype()) ? convert(x, DType::f32) : x; }

/// Everything that the backward pass needs from the forward pass.
class Backward {
 public:
  Backward(std::span<const TensorOrNumber> operands, const GradientRule& rule) : rule_(rule) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const Tensor& x = operands[i].tensor;
      if (!x.defined()) {
        numbers_[i] = operands[i].number;
        continue;
      }
      targets_.push_back({x.shape(), x.dtype(), x.device(), static_cast<int>(i)});
      if (rule.gradients[i] && needs_grad_fn(x)) needs_ |= rule.needs[i];
    }
    for (const Target& target : targets_)
      if (needs_ >> target.argument & 1)
        saved_[target.argument].emplace(operands[target.argument].tensor);
  }

  bool uses_result() const { return needs_ & kNeedsY; }

  std::vector<Tensor> operator()(const GradientCall& call) const {
    Operands v;
    v.dy = unrounded(call.dy);
    if (uses_result()) v.y = unrounded(call.y);
    TensorOrNumber* slots[kMaxArguments] = {&v.a, &v.b, &v.c, &v.d};
    for (int i = 0; i < kMaxArguments; ++i) {
      if (saved_[i]) slots[i]->tensor = unrounded(saved_[i]->get());
      slots[i]->number = numbers_[i];
    }
    std::vector<Tensor> result(targets_.size());
    for (size_t i = 0; i < targets_.size(); ++i)
      if (call.needed[i])
        result[i] = returned(rule_.gradients[targets_[i].argument], v, targets_[i]);
    return result;
  }

 private:
  /// The gradient converted to the shape, type and device of the argument.
  static Tensor returned(Tensor (*gradient)(const Operands&), const Operands& v,
                         const Target& target) {
    if (!gradient) return Tensor();
    Tensor dx = gradient(v);
    if (!dx.defined()) return dx;
    dx = convert(sum_to(dx, target.shape), target.type);
    return dx.device() == target.device ? dx : record_transfer(dx, target.device);
  }

  GradientRule rule_;
  unsigned needs_ = 0;
  std::array<std::optional<Saved>, kMaxArguments> saved_;
  std::array<Number, kMaxArguments> numbers_{0, 0, 0, 0};
  std::vector<Target> targets_;
};

}  // namespace

void attach_grad_fn(const Tensor& y, const char* name, std::span<const TensorOrNumber> operands,
                    const GradientRule& rule) {
  std::vector<Tensor> inputs;
  for (const TensorOrNumber& operand : operands)
    if (operand.tensor.defined()) inputs.push_back(operand.tensor);
  Backward backward(operands, rule);
  const bool uses_result = backward.uses_result();
  set_grad_fn(y, name, std::span<const Tensor>(inputs), uses_result, std::move(backward));
}

}  // namespace tide
