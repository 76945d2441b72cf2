// The kernels of one device: fused loops and the embedded ones, loaded into its context.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/codegen/gpu_form.h"
#include "runtime/cuda/blas.h"
#include "runtime/cuda/driver.h"
#include "runtime/graph/backend.h"

namespace tide::cuda {

/// Used by the thread of the device's queue, with its context current.
class CudaKernels {
 public:
  CudaKernels(int capability, int multiprocessors)
      : capability_(capability), multiprocessors_(multiprocessors) {}

  /// Enqueues a fused loop. The first run of a structure generates and loads its code.
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters, Stream stream);

  /// The kernel `name` of the embedded PTX `module`; both outlive the process.
  Function embedded(const char* ptx, const std::string& name);

  Blas& blas() { return blas_; }

  /// 16 bytes of device memory for what a kernel reports.
  void* slot();

  /// Blocks that fill the device some times over; loops over the grid do the rest.
  int64_t most_blocks() const { return int64_t{multiprocessors_} * 64; }

 private:
  Function fused(const LoopStep& step, GpuForm form);
  Module load(const char* ptx) const;

  const int capability_, multiprocessors_;
  /// Per structure, by form.
  std::unordered_map<const Kernel*, std::array<Function, 4>> fused_;
  std::unordered_map<const char*, Module> modules_;
  std::unordered_map<std::string, Function> embedded_;
  std::vector<uint64_t> words_;
  DevicePointer slot_ = 0;
  Blas blas_;
};

}  // namespace tide::cuda
