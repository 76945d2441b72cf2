// The backend's calls of the driver.
#include "runtime/cuda/cuda_backend.h"

#include <cstring>

#include "runtime/cuda/host_fallback.h"
#include "runtime/cuda/native_kernels.h"

namespace tide::cuda {
namespace {

thread_local Context current_context = nullptr;

DevicePointer pointer(const void* data) { return reinterpret_cast<DevicePointer>(data); }

}  // namespace

CudaBackend::CudaBackend(int ordinal, HostNative host_native)
    : facts_(driver_report().devices.at(static_cast<size_t>(ordinal))), host_native_(host_native) {
  DeviceOrdinal device = 0;
  int multiprocessors = 0;
  check(driver().device_get(&device, ordinal), "cuDeviceGet");
  check(driver().device_attribute(&multiprocessors, kMultiprocessors, device),
        "cuDeviceGetAttribute");
  check(driver().context_retain(&context_, device), "cuDevicePrimaryCtxRetain");
  use();
  queue_lane_ = make_lane();
  guest_lane_ = make_lane();
  kernels_ = std::make_unique<CudaKernels>(facts_.capability(), multiprocessors);
  launches_ = std::make_unique<LaunchGraphs>(queue_lane_.stream);
}

std::string CudaBackend::description() const {
  return facts_.name + ", compute capability " + std::to_string(facts_.major) + "." +
         std::to_string(facts_.minor);
}

/// Makes the device's context the calling thread's.
void CudaBackend::use() const {
  if (current_context == context_) return;
  check(driver().context_use(context_), "cuCtxSetCurrent");
  current_context = context_;
}

CudaBackend::Lane CudaBackend::make_lane() const {
  Lane lane;
  check(driver().stream_create(&lane.stream, kStreamNonBlocking), "cuStreamCreate");
  lane.staging = std::make_unique<Staging>(lane.stream);
  return lane;
}

void* CudaBackend::allocate(size_t bytes) {
  use();
  DevicePointer data = 0;
  const Result result = driver().allocate(&data, bytes);
  if (result == kOutOfMemory) return nullptr;
  check(result, "cuMemAlloc");
  return reinterpret_cast<void*>(data);
}

void CudaBackend::release(void* data, size_t) {
  use();
  // Only what the queue is through with is given back; if the device is lost, so is its memory.
  driver().release(pointer(data));
}

Backend::DeviceMemory CudaBackend::device_memory() {
  use();
  DeviceMemory memory;
  check(driver().memory_info(&memory.available, &memory.total), "cuMemGetInfo");
  return memory;
}

void* CudaBackend::allocate_host(size_t bytes) {
  use();
  void* data = nullptr;
  const Result result = driver().host_allocate(&data, bytes, kHostPortable);
  if (result == kOutOfMemory) return nullptr;
  check(result, "cuMemHostAlloc");
  return data;
}

void CudaBackend::release_host(void* data, size_t) {
  use();
  driver().host_release(data);
}

void CudaBackend::begin_queue() {
  queue_thread_ = std::this_thread::get_id();
  // A device that was lost while it was set up shows at the first launch.
  if (driver().context_use(context_) == kSuccess) current_context = context_;
}

void CudaBackend::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) {
  kernels_->launch(step, bases, parameters, *launches_);
}

void CudaBackend::begin_plan(const Plan& plan) { launches_->begin(plan); }

void CudaBackend::end_plan() { launches_->end(); }

int64_t CudaBackend::graph_runs() const { return launches_->replays(); }

std::optional<PositionFailure> CudaBackend::launch(const NativeStep& step, void* const* addresses) {
  launches_->flush();
  NativeLaunch call{step, addresses, *kernels_, queue_lane_.stream, *queue_lane_.staging, {}};
  if (launch_native(call)) return call.failure;
  return run_on_host(step, addresses, host_native_(step.op), *queue_lane_.staging);
}

void CudaBackend::copy(void* destination, const void* source, size_t bytes, CopyKind kind) {
  use();
  if (on_queue()) {
    launches_->flush();
    return copy_on(queue_lane_, destination, source, bytes, kind);
  }
  const std::lock_guard lock(guest_mutex_);
  copy_on(guest_lane_, destination, source, bytes, kind);
}

void CudaBackend::copy_on(Lane& lane, void* destination, const void* source, size_t bytes,
                          CopyKind kind) {
  if (bytes == 0) return;
  switch (kind) {
    case CopyKind::to_device:
      return lane.staging->upload(pointer(destination), source, bytes);
    case CopyKind::from_pinned:
      check(driver().copy_to_device(pointer(destination), source, bytes, lane.stream),
            "cuMemcpyHtoDAsync");
      // The driver reads it while the stream runs; whoever called may change it after this.
      return check(driver().stream_synchronize(lane.stream), "cuStreamSynchronize");
    case CopyKind::to_host:
      return lane.staging->download(destination, pointer(source), bytes);
    case CopyKind::within:
      return check(driver().copy_within(pointer(destination), pointer(source), bytes, lane.stream),
                   "cuMemcpyDtoDAsync");
    case CopyKind::between:
      // The driver tells by the addresses where they lie.
      return check(driver().copy(pointer(destination), pointer(source), bytes, lane.stream),
                   "cuMemcpyAsync");
  }
}

void CudaBackend::finish() {
  use();
  if (on_queue())
    return check(driver().stream_synchronize(queue_lane_.stream), "cuStreamSynchronize");
  const std::lock_guard lock(guest_mutex_);
  check(driver().stream_synchronize(guest_lane_.stream), "cuStreamSynchronize");
}

void CudaBackend::note(uint64_t ticket) {
  noted_ = ticket;
  Event event = nullptr;
  if (!spare_events_.empty()) {
    event = spare_events_.back();
    spare_events_.pop_back();
  } else if (driver().event_create(&event, kEventNoTiming) != kSuccess) {
    return;
  }
  if (driver().event_record(event, queue_lane_.stream) == kSuccess)
    points_.push_back({ticket, event});
  else
    spare_events_.push_back(event);
}

/// A lost device is done with everything: whoever reads a value is told by the copy.
uint64_t CudaBackend::done() {
  while (!points_.empty()) {
    const Result result = driver().event_query(points_.front().event);
    if (result == kNotReady) return done_;
    done_ = points_.front().ticket;
    spare_events_.push_back(points_.front().event);
    points_.pop_front();
  }
  return done_ = noted_;
}

void CudaBackend::call_when_done(void (*function)(void*), void* data) {
  if (driver().host_function(queue_lane_.stream, function, data) != kSuccess) function(data);
}

}  // namespace tide::cuda
