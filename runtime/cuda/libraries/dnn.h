// Convolutions and attention by cuDNN's backend (graph) interface, which is opened at run time if
// installed.
#pragma once

#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/libraries/dnn_plans.h"
#include "runtime/ir/compute_op.h"
#include "runtime/types/dtype.h"

namespace tide::cuda {

/// cuDNN for one device. Used by its queue's thread, with its context current. The choice of an
/// engine depends only on types, shapes, layouts and alignment; engines must be deterministic and
/// must not round more than allowed.
class Dnn {
 public:
  /// For a device of this compute capability (90 is 9.0). `workspace` must outlive it.
  Dnn(int capability, Workspace& workspace) : capability_(capability), plans_(workspace) {}

  /// Enqueues a convolution or one of its gradients, with arrays as `op` defines them, without
  /// bias, if cuDNN is available and has an engine for it. `tf32`: factors of float32 may be
  /// rounded to TF32.
  LibraryOutcome convolve(const ConvolutionArguments& convolution, ComputeOp op, DType type,
                          bool tf32, CudaStream stream);

  /// Whether cuDNN has attention for devices of this compute capability.
  static bool takes_attention(int capability) { return capability >= 80; }
  /// Enqueues attention of half types, or its gradients, if cuDNN is available and has an engine
  /// for it. Weights, and in the backward pass their gradients, are rounded to the type before the
  /// matrix products, as in all implementations of flash attention.
  LibraryOutcome attend(const AttentionArguments& attention, DType type, CudaStream stream);
  LibraryOutcome attend_backward(const AttentionArguments& attention, DType type,
                                 CudaStream stream);

 private:
  int64_t attention_workspace();

  const int capability_;
  int64_t attention_workspace_ = 0;  ///< 0: not queried yet
  DnnPlans plans_;
};

}  // namespace tide::cuda
