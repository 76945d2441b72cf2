// Passes the value of a tensor to another thread.
#pragma once

#include "runtime/device/failure.h"
#include "runtime/device/memory.h"
#include "runtime/tensor/tensor.h"

namespace tide {

class DeviceState;

/// The value of a tensor, to be passed to another thread. Tensors belong to the thread that made
/// them; any thread may copy or destroy this or make a tensor from it.
class SharedTensor {
 public:
  /// The current value of x, shared without copying; later writes to x do not affect it. Flushes
  /// the work that computes it, but never waits. Gradients and grad functions are not passed on.
  explicit SharedTensor(const Tensor& x);
  /// A tensor of the calling thread with this value.
  Tensor tensor() const;

 private:
  DeviceState* device_;
  DType type_;
  Shape shape_;    ///< of the dense value
  Layout layout_;  ///< layout of the tensor over it
  Ref<Storage> storage_;
  uint64_t ticket_ = 0;
  Ref<Failure> failure_;  ///< why there is no value
};

}  // namespace tide
