// The kernels that are loaded into a device's context, for all its streams: fused loops and the
// embedded ones.
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

/// Thread-safe; the context is to be the calling thread's. What it returns stays where it is.
class LoadedKernels {
 public:
  /// `most_threads`: that a multiprocessor holds at once. `shared_bytes`: what a block may have of
  /// shared memory if it asks for it.
  LoadedKernels(int capability, int multiprocessors, int most_threads, size_t shared_bytes = 0)
      : capability_(capability),
        multiprocessors_(multiprocessors),
        most_threads_(most_threads),
        shared_bytes_(shared_bytes) {}
  LoadedKernels(const LoadedKernels&) = delete;

  int multiprocessors() const { return multiprocessors_; }
  /// The most that is staged of a row (GpuForm::staged).
  size_t most_staged() const { return std::max(shared_bytes_, kOwnSharedBytes) - kOwnSharedBytes; }

  /// A fused loop's. The first time that a structure comes its code is generated and loaded.
  const LoadedKernel& fused(const LoopStep& step, GpuForm form);
  /// What there is room for of a kernel whose blocks have so much shared memory beside their own.
  KernelResidency residency_with(const LoadedKernel& kernel, size_t shared_bytes);

  /// How much of the device a launch takes up. Throws DriverError.
  profile::KernelLaunch figures_of(Function function, LaunchShape shape) const;

  /// The kernel `name` of kernels/`file`.cu, which must be there; it runs in blocks of so many
  /// threads.
  const LoadedKernel& embedded(const char* file, const std::string& name, int threads);

 private:
  KernelResidency residency_of(Function function, int threads, size_t shared_bytes = 0) const;
  Module load(const char* ptx) const;
  Module load_embedded(const char* file) const;

  /// Shared memory of a fused kernel's own, at most: a number for each thread of a block and more.
  static constexpr size_t kOwnSharedBytes = 4096;

  const int capability_, multiprocessors_, most_threads_;
  const size_t shared_bytes_;
  std::mutex mutex_;
  /// Per structure, by form.
  std::unordered_map<const Kernel*, std::array<LoadedKernel, GpuForm::kForms>> fused_;
  std::map<std::pair<Function, size_t>, KernelResidency>
      residencies_;                                         ///< with so much shared memory
  std::unordered_map<std::string, Module> modules_;         ///< of embedded files
  std::unordered_map<std::string, LoadedKernel> embedded_;  ///< by name and threads
};

}  // namespace tide::cuda
