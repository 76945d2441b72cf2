// The value of a tensor on its way to another thread.
#pragma once

#include "runtime/device/failure.h"
#include "runtime/device/memory.h"
#include "runtime/tensor/tensor.h"

namespace tide {

class DeviceState;

/// The value of a tensor on its way to another thread. Tensors belong to the thread that made them;
/// this may be copied, dropped and made a tensor by any.
class SharedTensor {
 public:
  /// The present value of x, which it shares: later writes to x do not show. Flushes what computes
  /// it; waits for nothing and copies nothing. What x knows of gradients stays behind.
  explicit SharedTensor(const Tensor& x);
  /// A tensor of the calling thread with this value.
  Tensor tensor() const;

 private:
  DeviceState* device_;
  DType type_;
  Shape shape_;    ///< of the dense value
  Layout layout_;  ///< how the tensor sees it
  Ref<Storage> storage_;
  uint64_t ticket_ = 0;
  Ref<Failure> failure_;  ///< why there is no value
};

}  // namespace tide
