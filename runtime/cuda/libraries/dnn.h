// Convolutions and attention by cuDNN's backend (graph) interface, which is opened at run time
// where it is installed.
#pragma once

#include "runtime/core/dtype.h"
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/libraries/dnn_plans.h"
#include "runtime/ir/compute_op.h"

namespace tide::cuda {

/// What cuDNN does for one device. Used by its queue's thread, with its context current. An engine
/// is chosen once by types, shapes, layouts and alignment alone, among those that give the same
/// bits in every run and round nothing that they were not allowed to.
class Dnn {
 public:
  /// For a card of this compute capability (90 is 9.0). `workspace` outlives it.
  Dnn(int capability, Workspace& workspace) : capability_(capability), plans_(workspace) {}

  /// Enqueues a convolution or one of its gradients, with arrays as `op` reads them, without bias;
  /// unless cuDNN is not there or has no engine for it. `tf32`: factors of float32 may be rounded
  /// to TF32.
  LibraryOutcome convolve(const ConvolutionArguments& convolution, ComputeOp op, DType type,
                          bool tf32, Stream stream);

  /// Whether it has attention for cards of this compute capability.
  static bool takes_attention(int capability) { return capability >= 80; }
  /// Enqueues attention of half types, or its gradients, unless cuDNN is not there or has no engine
  /// for it. Weights, and in the backward pass their gradients, are rounded to the type before they
  /// are factors of products, as in all libraries that never store them.
  LibraryOutcome attend(const AttentionArguments& attention, DType type, Stream stream);
  LibraryOutcome attend_backward(const AttentionArguments& attention, DType type, Stream stream);

 private:
  int64_t attention_workspace();

  const int capability_;
  int64_t attention_workspace_ = 0;  ///< not known yet
  DnnPlans plans_;
};

}  // namespace tide::cuda
