// The kernels loaded into a device's context, shared by all its streams: fused loops and embedded
// kernels.
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/codegen/gpu_form.h"
#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/launch/launch_shape.h"
#include "runtime/device/backend.h"
#include "runtime/profile/kernel_launch.h"

namespace tide::cuda {

/// A kernel in the device's context.
struct LoadedKernel {
  Function function = nullptr;
  KernelResidency residency;
};

/// Thread-safe; the context must be current. Returned references stay valid.
class LoadedKernels {
 public:
  /// `most_threads`: resident threads per multiprocessor. `shared_bytes`: the opt-in maximum of
  /// shared memory per block.
  LoadedKernels(int capability, int multiprocessors, int most_threads, size_t shared_bytes = 0)
      : capability_(capability),
        multiprocessors_(multiprocessors),
        most_threads_(most_threads),
        shared_bytes_(shared_bytes) {}
  LoadedKernels(const LoadedKernels&) = delete;

  int multiprocessors() const { return multiprocessors_; }
  /// The maximum size of a staged row (GpuForm::staged).
  size_t most_staged() const { return std::max(shared_bytes_, kOwnSharedBytes) - kOwnSharedBytes; }

  /// The kernel of a fused loop. Generates and loads its code on the first call per structure.
  const LoadedKernel& fused(const LoopStep& step, GpuForm form);
  /// The occupancy of a kernel whose blocks have `shared_bytes` of dynamic shared memory.
  KernelResidency residency_with(const LoadedKernel& kernel, size_t shared_bytes);

  /// The resources of the device that a launch uses. Throws DriverError.
  profile::KernelLaunch figures_of(Function function, LaunchShape shape) const;

  /// The kernel `name` of kernels/`file`.cu, which must exist, run in blocks of `threads`.
  const LoadedKernel& embedded(const char* file, const std::string& name, int threads);

 private:
  KernelResidency residency_of(Function function, int threads, size_t shared_bytes = 0) const;
  Module load(const char* ptx) const;
  Module load_embedded(const char* file) const;

  /// The maximum of static shared memory of a fused kernel: a value per thread of a block, and
  /// more.
  static constexpr size_t kOwnSharedBytes = 4096;

  const int capability_, multiprocessors_, most_threads_;
  const size_t shared_bytes_;
  std::mutex mutex_;
  /// By structure, then form.
  std::unordered_map<const Kernel*, std::array<LoadedKernel, GpuForm::kForms>> fused_;
  std::map<std::pair<Function, size_t>, KernelResidency>
      residencies_;                                         ///< by dynamic shared memory
  std::unordered_map<std::string, Module> modules_;         ///< of embedded files
  std::unordered_map<std::string, LoadedKernel> embedded_;  ///< by name and threads
};

}  // namespace tide::cuda
