// Convolutions by cuDNN's backend (graph) interface, which is opened at run time where it is
// installed.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "runtime/core/dtype.h"
#include "runtime/cuda/dnn_descriptor.h"
#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/tensor_cores.h"
#include "runtime/cuda/workspace.h"
#include "runtime/graph/native.h"

namespace tide::cuda {

/// The convolutions of one device. Used by its queue's thread, with its context current.
class Dnn {
 public:
  /// For a card of this compute capability (90 is 9.0). `workspace` outlives it.
  Dnn(int capability, Workspace& workspace) : capability_(capability), workspace_(workspace) {}
  Dnn(const Dnn&) = delete;

  /// Enqueues a convolution or one of its gradients, with arrays as `op` reads them, without bias;
  /// unless cuDNN is not there or has no engine for it. `tf32`: factors of float32 may be rounded
  /// to TF32. The engine is chosen once by types, shapes and alignment alone, among those that give
  /// the same bits in every run and round nothing that they were not allowed to.
  LibraryOutcome convolve(const ConvolutionArguments& convolution, NativeOp op, DType type,
                          bool tf32, Stream stream);

 private:
  struct Plan {
    DnnDescriptor choice, plan;
    int64_t workspace_bytes = 0;
    bool possible = false;
    const char* obstacle = nullptr;
  };
  bool open();
  Plan make_plan(const std::vector<int64_t>& key);
  std::optional<Plan> choose(const DnnDescriptor& graph, int mode, const std::vector<int64_t>& key);

  const int capability_;
  Workspace& workspace_;
  bool tried_ = false;
  dnn::Handle handle_ = nullptr;
  std::map<std::vector<int64_t>, Plan> plans_;
};

}  // namespace tide::cuda
