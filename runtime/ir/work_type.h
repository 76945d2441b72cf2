// The type in which a step computes, derived from its operands.
#pragma once

#include "runtime/types/dtype.h"

namespace tide {

/// The widest floating type among the operands of a step, else the first type.
class WorkType {
 public:
  void add(DType type) {
    const bool wider = is_floating(type) && size_of(type) > size_of(type_);
    if (!is_known_ || (is_floating(type) && (!is_floating(type_) || wider))) type_ = type;
    is_known_ = true;
  }
  bool is_known() const { return is_known_; }
  /// float32 if none was added.
  DType type() const { return type_; }

 private:
  DType type_ = DType::f32;
  bool is_known_ = false;
};

/// The work type of a compute op: the first floating type among its inputs, which is the type of
/// its factors. Sums and statistics, which may be wider, come later. `inputs` and `outputs`:
/// anything with a type.
template <class Operands>
WorkType work_type(const Operands& inputs, const Operands& outputs) {
  WorkType type;
  for (const auto& operand : inputs.empty() ? outputs : inputs)
    if (!type.is_known() || !is_floating(type.type())) type.add(operand.type);
  return type;
}

/// The work type of a loop over these operands.
template <class Operands>
WorkType work_type(const Operands& operands) {
  WorkType type;
  for (const auto& operand : operands) type.add(operand.type);
  return type;
}

}  // namespace tide
