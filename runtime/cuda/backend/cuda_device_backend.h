// A CUDA device: its context and memory, through the driver.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/launch/loaded_kernels.h"
#include "runtime/device/backend.h"

namespace tide::cuda {

/// Finds the host's routine of a compute op that has no CUDA kernel.
using HostCompute = ComputeFunction (*)(ComputeOp op);

/// Lives until the process ends. If the device is lost, its calls throw DriverError.
class CudaDeviceBackend : public DeviceBackend {
 public:
  /// Throws DriverError if the device cannot be set up.
  CudaDeviceBackend(int ordinal, HostCompute host_compute);

  void* allocate(size_t bytes, Memory memory = Memory::device) override;
  void release(void* data, size_t bytes, Memory memory = Memory::device) override;
  MemoryUse memory() override;
  std::unique_ptr<StreamBackend> make_stream() override;
  /// See Platform::launch_of.
  std::optional<profile::KernelLaunch> launch_of(const LoopStep& step);

  // For streams:
  /// Makes the device's context current for the calling thread; `use` throws if that fails.
  Result make_current() const;
  void use() const { check(make_current(), "cuCtxSetCurrent"); }
  int capability() const { return facts_.capability(); }
  const std::shared_ptr<LoadedKernels>& loaded() const { return loaded_; }
  const HostCompute host_compute;

 private:
  static void* allocate_pinned(size_t bytes);

  const DeviceFacts facts_;
  Context context_ = nullptr;
  std::shared_ptr<LoadedKernels> loaded_;
  std::atomic<bool> has_streams_{false};
};

}  // namespace tide::cuda
