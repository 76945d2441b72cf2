// The graph that backward goes through, as programs look at it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/call_site.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// One op that backward goes through, or a leaf at which gradients add up. Keeps the ops before it
/// alive. Belongs to the thread that recorded them.
class GradFunction {
 public:
  /// The op that gave x; none if x is a leaf.
  static std::optional<GradFunction> of(const Tensor& x);

  /// "MulBackward", by the name of the op; of a leaf "AccumulateGrad".
  std::string name() const;
  /// Where the op was recorded; not known of a leaf.
  CallSite site() const;
  /// The leaf; undefined for an op.
  Tensor variable() const;

  struct Input;
  /// What the op was computed from, in the order of its tensors.
  std::vector<Input> inputs() const;

  friend bool operator==(const GradFunction& a, const GradFunction& b);

 private:
  struct State;
  explicit GradFunction(State state);
  std::shared_ptr<const State> state_;
};

struct GradFunction::Input {
  std::optional<GradFunction> function;  ///< none: it needs no gradient
  int result = 0;                        ///< which result of that function it is
};

}  // namespace tide
