// Contexts and memory.
#include "runtime/cuda/backend/cuda_device_backend.h"

#include <cstdlib>
#include <vector>

#include "runtime/cuda/backend/cuda_stream_backend.h"
#include "runtime/cuda/backend/peers.h"
#include "runtime/os/environment.h"
#include "runtime/os/huge_pages.h"

namespace tide::cuda {
namespace {

/// The device whose context is the calling thread's current one.
thread_local const void* current = nullptr;

}  // namespace

CudaDeviceBackend::CudaDeviceBackend(int ordinal, HostCompute host_compute)
    : host_compute(host_compute), facts_(driver_report().devices.at(static_cast<size_t>(ordinal))) {
  DeviceOrdinal device = 0;
  check(driver().device_get(&device, ordinal), "cuDeviceGet");
  const auto ask = [&](Attribute which) {
    int value = 0;
    check(driver().device_attribute(&value, which, device), "cuDeviceGetAttribute");
    return value;
  };
  loaded_ = std::make_shared<LoadedKernels>(capability(), ask(kMultiprocessors),
                                            ask(kMaxThreadsPerMultiprocessor),
                                            static_cast<size_t>(ask(kSharedMemoryPerBlockOptIn)));
  const Result retained = driver().context_retain(&context_, device);
  if (retained == kDeviceUnavailable)
    throw DeviceError("cuda:" + std::to_string(facts_.ordinal) + " (" + facts_.name +
                      ") is in exclusive use by another process: see nvidia-smi (compute mode "
                      "EXCLUSIVE_PROCESS)");
  check(retained, "cuDevicePrimaryCtxRetain");
  use();
  connect_to_peers(device, context_);
  const size_t bytes = memory_of_environment();
  if (bytes) memory_limit = {bytes, name_of(Variable::cuda_memory)};
}

Result CudaDeviceBackend::make_current() const {
  if (current == this) return kSuccess;
  const Result result = driver().context_use(context_);
  if (result == kSuccess) current = this;
  return result;
}

void* CudaDeviceBackend::allocate(size_t bytes, Memory memory) {
  use();
  if (memory == Memory::pinned_host) return allocate_pinned(bytes);
  DevicePointer data = 0;
  const Result result = driver().allocate(&data, bytes);
  if (result == kOutOfMemory) return nullptr;
  check(result, "cuMemAlloc");
  return reinterpret_cast<void*>(data);
}

/// Host memory that the driver pins: it outlives the loss of the device. Large blocks use huge
/// pages, as fewer pages are faster to pin.
void* CudaDeviceBackend::allocate_pinned(size_t bytes) {
  void* data = allocate_pages(bytes, bytes < kHugePage ? 4096 : kHugePage);
  if (!data) return nullptr;
  const Result result = driver().host_register(data, bytes, kHostPortable);
  if (result != kSuccess) std::free(data);
  if (result == kOutOfMemory) return nullptr;
  check(result, "cuMemHostRegister");
  return data;
}

/// The queue has finished with the memory. If the device is lost, so is its memory.
void CudaDeviceBackend::release(void* data, size_t, Memory memory) {
  const bool works = make_current() == kSuccess;
  if (memory == Memory::pinned_host) {
    if (works) driver().host_unregister(data);
    std::free(data);
  } else if (works) {
    driver().release(reinterpret_cast<DevicePointer>(data));
  }
}

DeviceBackend::MemoryUse CudaDeviceBackend::memory() {
  use();
  MemoryUse use;
  check(driver().memory_info(&use.available, &use.total), "cuMemGetInfo");
  return use;
}

std::unique_ptr<StreamBackend> CudaDeviceBackend::make_stream() {
  auto stream = std::make_unique<CudaStreamBackend>(*this);
  if (!has_streams_.exchange(true)) stream->reserve_workspace();
  return stream;
}

std::optional<profile::KernelLaunch> CudaDeviceBackend::launch_of(const LoopStep& step) {
  use();
  CudaKernels kernels(capability(), loaded_);
  const std::vector<void*> aligned(step.program.operands.size(), nullptr);
  const KernelShape launch = kernels.shape_of(step, aligned.data());
  if (!launch.function) return std::nullopt;
  return loaded_->figures_of(launch.function, launch.shape);
}

}  // namespace tide::cuda
