// What one stream needs to run kernels: loaded kernels, libraries, and workspace.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/launch/launch_graphs.h"
#include "runtime/cuda/launch/loaded_kernels.h"
#include "runtime/cuda/libraries/blas.h"
#include "runtime/cuda/libraries/dnn.h"
#include "runtime/device/backend.h"
#include "runtime/ir/loop_passes.h"

namespace tide::cuda {

/// Used by the thread of the device's queue, with its context current.
class CudaKernels {
 public:
  CudaKernels(int capability, std::shared_ptr<LoadedKernels> loaded)
      : loaded_(std::move(loaded)), blas_(capability, workspace_), dnn_(capability, workspace_) {}

  /// Launches a fused loop.
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters,
              LaunchGraphs& launches);

  /// Moves calls of one kernel that one launch can serve to the front, keeping their order; returns
  /// their number, at least one.
  size_t gather(std::span<LoopCall> calls);
  /// Launches calls that `gather` has grouped as one.
  void launch_together(std::span<const LoopCall> calls, LaunchGraphs& launches);

  /// The kernel of a fused loop for arrays at these addresses; a null function if there is no work.
  KernelShape shape_of(const LoopStep& step, void* const* bases);

  LoadedKernels& loaded() { return *loaded_; }
  Blas& blas() { return blas_; }
  Dnn& dnn() { return dnn_; }

  Workspace& workspace() { return workspace_; }
  /// Allocates the workspace of matrix products if memory is available: later, values may fill the
  /// device.
  void reserve(CudaStream stream);

  /// Where kernels of the stream record the smallest index of an invalid input element: all ones if
  /// there is none.
  unsigned long long* first_wrong(CudaStream stream);

 private:
  /// What a fused loop requires.
  struct LoopWork {
    GpuForm form;
    int64_t units = 0;        ///< of work; may be 0
    size_t shared_bytes = 0;  ///< of a block, for staging
  };
  /// Staging without kept values (GpuForm::keeps), and with them.
  struct RowStages {
    RowStage read_again, kept;
  };
  LoopWork work_of(const LoopStep& step, void* const* bases);
  KernelShape shape_of(const LoopStep& step, const LoopWork& work);
  size_t stage(const LoopStep& step, void* const* bases, GpuForm& form);

  const std::shared_ptr<LoadedKernels> loaded_;
  /// For reductions along rows, by structure: the part of a row that shared memory may hold.
  std::unordered_map<const Kernel*, RowStages> stages_;
  std::vector<uint64_t> words_;
  std::vector<int64_t> units_;  ///< of work, of each loop of a batch
  DevicePointer first_wrong_ = 0;
  Workspace workspace_;
  Blas blas_;
  Dnn dnn_;
};

}  // namespace tide::cuda
