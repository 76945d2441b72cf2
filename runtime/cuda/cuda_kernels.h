// The kernels of one device: fused loops and the embedded ones, loaded into its context.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/codegen/gpu_form.h"
#include "runtime/cuda/blas.h"
#include "runtime/cuda/dnn.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/launch_graphs.h"
#include "runtime/cuda/launch_shape.h"
#include "runtime/graph/backend.h"

namespace tide::cuda {

/// A kernel in the device's context.
struct LoadedKernel {
  Function function = nullptr;
  KernelRoom room;
};

/// Used by the thread of the device's queue, with its context current.
class CudaKernels {
 public:
  CudaKernels(int capability, int multiprocessors)
      : capability_(capability),
        multiprocessors_(multiprocessors),
        blas_(capability, workspace_),
        dnn_(capability, workspace_) {}

  /// Launches a fused loop. The first run of a structure generates and loads its code.
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters,
              LaunchGraphs& launches);

  /// The kernel `name` of kernels/`file`.cu, which must be there; it runs in blocks of so many
  /// threads.
  const LoadedKernel& embedded(const char* file, const std::string& name, int threads);

  Blas& blas() { return blas_; }
  Dnn& dnn() { return dnn_; }

  Workspace& workspace() { return workspace_; }

  /// Where kernels of the stream note the least place of what is wrong with their input: all ones
  /// if nothing is.
  unsigned long long* first_wrong(Stream stream);

 private:
  const LoadedKernel& fused(const LoopStep& step, GpuForm form);
  KernelRoom room_of(Function function, int threads) const;
  Module load(const char* ptx) const;
  Module load_embedded(const char* file) const;

  const int capability_, multiprocessors_;
  /// Per structure, by form.
  std::unordered_map<const Kernel*, std::array<LoadedKernel, 4>> fused_;
  std::unordered_map<std::string, Module> modules_;         ///< of embedded files
  std::unordered_map<std::string, LoadedKernel> embedded_;  ///< by name and threads
  std::vector<uint64_t> words_;
  DevicePointer first_wrong_ = 0;
  Workspace workspace_;
  Blas blas_;
  Dnn dnn_;
};

}  // namespace tide::cuda
