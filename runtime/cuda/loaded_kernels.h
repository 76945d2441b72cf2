// The kernels that are loaded into a device's context, for all its streams: fused loops and the
// embedded ones.
#pragma once

#include <array>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/codegen/gpu_form.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/launch_shape.h"
#include "runtime/graph/plan.h"

namespace tide::cuda {

/// A kernel in the device's context.
struct LoadedKernel {
  Function function = nullptr;
  KernelRoom room;
};

/// Thread-safe; the context is to be the calling thread's. What it returns stays where it is.
class LoadedKernels {
 public:
  LoadedKernels(int capability, int multiprocessors)
      : capability_(capability), multiprocessors_(multiprocessors) {}
  LoadedKernels(const LoadedKernels&) = delete;

  int multiprocessors() const { return multiprocessors_; }

  /// A fused loop's. The first time that a structure comes its code is generated and loaded.
  const LoadedKernel& fused(const LoopStep& step, GpuForm form);

  /// The kernel `name` of kernels/`file`.cu, which must be there; it runs in blocks of so many
  /// threads.
  const LoadedKernel& embedded(const char* file, const std::string& name, int threads);

 private:
  KernelRoom room_of(Function function, int threads) const;
  Module load(const char* ptx) const;
  Module load_embedded(const char* file) const;

  const int capability_, multiprocessors_;
  std::mutex mutex_;
  /// Per structure, by form.
  std::unordered_map<const Kernel*, std::array<LoadedKernel, GpuForm::kForms>> fused_;
  std::unordered_map<std::string, Module> modules_;         ///< of embedded files
  std::unordered_map<std::string, LoadedKernel> embedded_;  ///< by name and threads
};

}  // namespace tide::cuda
