// Implements streams with calls of the driver.
#include "runtime/cuda/backend/cuda_stream_backend.h"

#include <utility>

#include "runtime/cuda/backend/host_fallback.h"
#include "runtime/cuda/launchers/compute_launch.h"

namespace tide::cuda {
namespace {

DevicePointer pointer(const void* data) { return reinterpret_cast<DevicePointer>(data); }

/// A stream of the device, whose context becomes current.
CudaStream new_stream(const CudaDeviceBackend& device) {
  device.use();
  CudaStream stream = nullptr;
  check(driver().stream_create(&stream, kStreamNonBlocking), "cuStreamCreate");
  return stream;
}

}  // namespace

CudaStreamBackend::CudaStreamBackend(CudaDeviceBackend& device)
    : device_(device),
      stream_(new_stream(device)),
      wake_stream_(new_stream(device)),
      kernels_(device.capability(), device.loaded()) {
  begin_clock();
}

void CudaStreamBackend::launch(const LoopStep& step, void* const* bases,
                               const uint64_t* parameters) {
  device_.use();
  kernels_.launch(step, bases, parameters, launches_);
}

size_t CudaStreamBackend::launch_together(std::span<LoopCall> calls) {
  device_.use();
  const size_t count = kernels_.gather(calls);
  if (count > 1)
    kernels_.launch_together(calls.first(count), launches_);
  else
    kernels_.launch(*calls[0].step, calls[0].bases, calls[0].parameters, launches_);
  return count;
}

void CudaStreamBackend::run_plan(const PlanInfo* plan) {
  if (plan) return launches_.begin(*plan);
  launches_.end();
  graph_runs.store(launches_.replays(), std::memory_order_relaxed);
}

ComputeOutcome CudaStreamBackend::launch(const ComputeStep& step, void* const* addresses,
                                         const LoopCall*) {
  device_.use();
  ComputeLaunch call{step, addresses, kernels_, launches_, stream_, reports_, {}};
  if (!launch_compute(call)) {
    launches_.flush();
    return {run_on_host(step, addresses, device_.host_compute(step.op), staging_), {}};
  }
  return {{}, call.report};
}

void CudaStreamBackend::release_workspace() {
  device_.use();
  kernels_.workspace().release_large();
}

std::optional<std::string> CudaStreamBackend::take_report(uint64_t report) {
  return reports_.close(report);
}

void CudaStreamBackend::copy(void* destination, const void* source, size_t bytes, CopyKind kind) {
  device_.use();
  launches_.flush();
  if (bytes == 0) return;
  switch (kind) {
    case CopyKind::to_device:
      return staging_.upload(pointer(destination), source, bytes);
    case CopyKind::from_pinned:
      return check(driver().copy_to_device(pointer(destination), source, bytes, stream_),
                   "cuMemcpyHtoDAsync");
    case CopyKind::to_host:
      return staging_.download(destination, pointer(source), bytes);
    case CopyKind::to_pinned:
      return check(driver().copy_to_host(destination, pointer(source), bytes, stream_),
                   "cuMemcpyDtoHAsync");
    case CopyKind::within:
      return check(driver().copy_within(pointer(destination), pointer(source), bytes, stream_),
                   "cuMemcpyDtoDAsync");
    case CopyKind::between:
      // The driver derives the devices from the addresses, and copies directly if peers.h has
      // enabled it.
      return check(driver().copy(pointer(destination), pointer(source), bytes, stream_),
                   "cuMemcpyAsync");
  }
}

void CudaStreamBackend::note(uint64_t ticket) {
  device_.make_current();  // work before may not have used the device
  const std::lock_guard lock(points_mutex_);
  noted_ = ticket;
  Event event = nullptr;
  if (!spare_events_.empty()) {
    event = spare_events_.back();
    spare_events_.pop_back();
  } else if (record_loss(driver().event_create(&event, kEventNoTiming)) != kSuccess) {
    return drain_stream();
  }
  try {
    points_.push_back({ticket, event});
  } catch (const std::bad_alloc&) {
    return drain_stream();
  }
  if (record_loss(driver().event_record(event, stream_)) == kSuccess) return;
  points_.pop_back();
  drain_stream();
}

/// Records a result that shows that the device is lost.
Result CudaStreamBackend::record_loss(Result result) {
  if (is_lost(result) && !lost_) lost_ = result;
  return result;
}

/// Synchronizes the stream after an event failed, so that all tickets so far are done. If that
/// fails, too, the device is lost.
void CudaStreamBackend::drain_stream() {
  if (lost_) return;
  const Result result = driver().stream_synchronize(stream_);
  if (result != kSuccess) lost_ = result;
}

uint64_t CudaStreamBackend::done() {
  const std::lock_guard lock(points_mutex_);
  while (!points_.empty()) {
    const Result result = record_loss(driver().event_query(points_.front().event));
    if (result == kNotReady) return done_;
    if (result != kSuccess) drain_stream();
    done_ = points_.front().ticket;
    spare_events_.push_back(points_.front().event);
    points_.pop_front();
  }
  check(lost_, "cuda");
  return done_ = noted_;
}

void CudaStreamBackend::wait(uint64_t ticket) {
  device_.use();
  if (ticket == kAll) {
    launches_.flush();
    return check(driver().stream_synchronize(stream_), "cuStreamSynchronize");
  }
  for (const Point& point : points_)  // only this thread removes points
    if (point.ticket >= ticket)
      return check(driver().event_synchronize(point.event), "cuEventSynchronize");
}

void CudaStreamBackend::follow(StreamBackend& other, uint64_t ticket) {
  device_.use();
  auto& before = static_cast<CudaStreamBackend&>(other);
  const std::lock_guard lock(before.points_mutex_);
  for (const Point& point : before.points_)
    if (point.ticket >= ticket)
      return check(driver().stream_wait(stream_, point.event, 0), "cuStreamWaitEvent");
}

/// Aligns the device's clock with the host's at an event of an idle stream. If that fails, times
/// are taken by the host.
void CudaStreamBackend::begin_clock() {
  if (driver().event_create(&last_time_, kEventTiming) != kSuccess ||
      driver().event_record(last_time_, wake_stream_) != kSuccess ||
      driver().event_synchronize(last_time_) != kSuccess)
    last_time_ = nullptr;
  last_seconds_ = seconds();
}

void CudaStreamBackend::take_time(uint64_t ticket) {
  Event event = nullptr;
  if (!last_time_ || device_.make_current() != kSuccess) return;
  launches_.flush();
  if (record_loss(driver().event_create(&event, kEventTiming)) != kSuccess) return;
  times_.push_back({ticket, event});
  record_loss(driver().event_record(event, stream_));
}

/// Adds the time elapsed on the device to the last time reported, so rounding errors of long times
/// do not accumulate. Returns the current time if no event was recorded.
MarkTime CudaStreamBackend::time_taken(uint64_t ticket) {
  if (times_.empty() || times_.front().ticket != ticket) return {seconds(), false};
  const Event event = times_.front().event;
  times_.pop_front();
  float milliseconds = 0;
  if (record_loss(driver().event_elapsed(&milliseconds, last_time_, event)) != kSuccess)
    return {seconds(), false};
  driver().event_destroy(last_time_);
  last_time_ = event;
  return {last_seconds_ += double{milliseconds} / 1e3, false};
}

const profile::KernelLaunch* CudaStreamBackend::take_launch() {
  const KernelShape largest = launches_.take_largest();
  if (!largest.function) return nullptr;
  try {
    profile::KernelLaunch launch = device_.loaded()->figures_of(largest.function, largest.shape);
    launch.loops = largest.loops;
    return profile::keep_launch(launch);
  } catch (const std::exception&) {  // the next launch reports a failing driver
    return nullptr;
  }
}

void CudaStreamBackend::enter_step(std::optional<int64_t> step) {
  struct Leave {
    const bool is_needed;
    ~Leave() {
      if (is_needed) Cupti::of_process().leave();
    }
  } const leave{!step};
  launches_.flush();
  if (step) Cupti::of_process().enter(*step);
}

void CudaStreamBackend::call_when_done(void (*function)(void*), void* data) {
  const bool enqueued = !points_.empty() &&
                        driver().stream_wait(wake_stream_, points_.back().event, 0) == kSuccess &&
                        driver().host_function(wake_stream_, function, data) == kSuccess;
  if (!enqueued) function(data);
}

}  // namespace tide::cuda
