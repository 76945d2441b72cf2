// Implements the backend with calls of the driver.
#include "runtime/cuda/backend/cuda_backend.h"

#include <utility>

#include "runtime/cuda/backend/host_fallback.h"
#include "runtime/cuda/backend/peers.h"
#include "runtime/cuda/launchers/compute_launch.h"
#include "runtime/os/environment.h"
#include "runtime/os/huge_pages.h"

namespace tide::cuda {
namespace {

/// The backend whose context is the calling thread's current one.
thread_local const void* current = nullptr;

DevicePointer pointer(const void* data) { return reinterpret_cast<DevicePointer>(data); }

}  // namespace

CudaBackend::CudaBackend(int ordinal, HostCompute host_compute,
                         std::shared_ptr<LoadedKernels> loaded)
    : facts_(driver_report().devices.at(static_cast<size_t>(ordinal))),
      host_compute_(host_compute) {
  check(driver().device_get(&device_, ordinal), "cuDeviceGet");
  const bool is_first = !loaded;
  if (is_first) {
    const auto ask = [&](Attribute which) {
      int value = 0;
      check(driver().device_attribute(&value, which, device_), "cuDeviceGetAttribute");
      return value;
    };
    loaded = std::make_shared<LoadedKernels>(facts_.capability(), ask(kMultiprocessors),
                                             ask(kMaxThreadsPerMultiprocessor),
                                             static_cast<size_t>(ask(kSharedMemoryPerBlockOptIn)));
  }
  const Result retained = driver().context_retain(&context_, device_);
  if (retained == kDeviceUnavailable)
    throw DeviceError("cuda:" + std::to_string(facts_.ordinal) + " (" + facts_.name +
                      ") is in exclusive use by another process: see nvidia-smi (compute mode "
                      "EXCLUSIVE_PROCESS)");
  check(retained, "cuDevicePrimaryCtxRetain");
  use();
  connect_to_peers(device_, context_);
  queue_stream_ = make_stream();
  host_thread_stream_ = make_stream();
  check(driver().stream_create(&wake_stream_, kStreamNonBlocking), "cuStreamCreate");
  begin_clock();
  loaded_ = std::move(loaded);
  kernels_ = std::make_unique<CudaKernels>(facts_.capability(), loaded_);
  if (is_first) kernels_->reserve(queue_stream_.stream);
  reports_ = std::make_unique<Reports>();
  launches_ = std::make_unique<LaunchGraphs>(queue_stream_.stream);
}

std::unique_ptr<Backend> CudaBackend::another_stream() {
  return std::make_unique<CudaBackend>(facts_.ordinal, host_compute_, loaded_);
}

bool CudaBackend::has_library(ComputeOp op) const {
  if (op == ComputeOp::scaled_matmul) return Blas::takes_float8(facts_.capability());
  return op == ComputeOp::attention && Dnn::takes_attention(facts_.capability()) &&
         dnn_table() != nullptr;
}

Result CudaBackend::make_current() const {
  if (current == this) return kSuccess;
  const Result result = driver().context_use(context_);
  if (result == kSuccess) current = this;
  return result;
}

CudaBackend::StagedStream CudaBackend::make_stream() const {
  StagedStream staged;
  check(driver().stream_create(&staged.stream, kStreamNonBlocking), "cuStreamCreate");
  staged.staging = std::make_unique<Staging>(staged.stream);
  return staged;
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
  // The queue has finished with released memory; if the device is lost, so is its memory.
  if (make_current() == kSuccess) driver().release(pointer(data));
}

MemoryLimit CudaBackend::memory_limit() const {
  static const size_t bytes = memory_of_environment();
  return {bytes, bytes ? name_of(Variable::cuda_memory) : ""};
}

Backend::DeviceMemory CudaBackend::device_memory() {
  use();
  DeviceMemory memory;
  check(driver().memory_info(&memory.available, &memory.total), "cuMemGetInfo");
  return memory;
}

// Host memory that the driver pins: it outlives the loss of the device. Large blocks use huge
// pages, as fewer pages are faster to pin.
void* CudaBackend::allocate_host(size_t bytes) {
  use();
  void* data = allocate_pages(bytes, bytes < kHugePage ? 4096 : kHugePage);
  if (!data) return nullptr;
  const Result result = driver().host_register(data, bytes, kHostPortable);
  if (result != kSuccess) std::free(data);
  if (result == kOutOfMemory) return nullptr;
  check(result, "cuMemHostRegister");
  return data;
}

void CudaBackend::release_host(void* data, size_t) {
  if (make_current() == kSuccess) driver().host_unregister(data);
  std::free(data);
}

void CudaBackend::begin_queue() {
  queue_thread_ = std::this_thread::get_id();
  // If the device was lost during setup, the first launch reports it.
  make_current();
}

void CudaBackend::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) {
  use();
  kernels_->launch(step, bases, parameters, *launches_);
}

size_t CudaBackend::gather(std::span<LoopCall> calls) {
  use();
  return kernels_->gather(calls);
}

void CudaBackend::launch_together(std::span<const LoopCall> calls) {
  use();
  kernels_->launch_together(calls, *launches_);
}

void CudaBackend::begin_plan(const PlanInfo& plan) { launches_->begin(plan); }

void CudaBackend::end_plan() {
  launches_->end();
  graph_runs_.store(launches_->replays(), std::memory_order_relaxed);
}

ComputeOutcome CudaBackend::launch(const ComputeStep& step, void* const* addresses) {
  use();
  ComputeLaunch call{step, addresses, *kernels_, *launches_, queue_stream_.stream, *reports_, {}};
  if (!launch_compute(call)) {
    launches_->flush();
    return {run_on_host(step, addresses, host_compute_(step.op), *queue_stream_.staging), {}};
  }
  return {{}, call.report};
}

void CudaBackend::release_workspace() {
  use();
  kernels_->workspace().release_large();
}

std::optional<std::string> CudaBackend::take_report(uint64_t report) {
  return reports_->close(report);
}

void CudaBackend::copy(void* destination, const void* source, size_t bytes, CopyKind kind) {
  if (on_queue()) {
    use();
    launches_->flush();
    return copy_on(queue_stream_, destination, source, bytes, kind);
  }
  use();
  const std::lock_guard lock(host_thread_mutex_);
  copy_on(host_thread_stream_, destination, source, bytes, kind);
}

void CudaBackend::copy_on(StagedStream& staged, void* destination, const void* source, size_t bytes,
                          CopyKind kind) {
  if (bytes == 0) return;
  switch (kind) {
    case CopyKind::to_device:
      return staged.staging->upload(pointer(destination), source, bytes);
    case CopyKind::from_pinned:
      return check(driver().copy_to_device(pointer(destination), source, bytes, staged.stream),
                   "cuMemcpyHtoDAsync");
    case CopyKind::to_host:
      return staged.staging->download(destination, pointer(source), bytes);
    case CopyKind::to_pinned:
      return check(driver().copy_to_host(destination, pointer(source), bytes, staged.stream),
                   "cuMemcpyDtoHAsync");
    case CopyKind::within:
      return check(
          driver().copy_within(pointer(destination), pointer(source), bytes, staged.stream),
          "cuMemcpyDtoDAsync");
    case CopyKind::between:
      // The driver derives the devices from the addresses, and copies directly if peers.h has
      // enabled it.
      return check(driver().copy(pointer(destination), pointer(source), bytes, staged.stream),
                   "cuMemcpyAsync");
  }
}

void CudaBackend::finish() {
  if (on_queue()) {
    use();
    launches_->flush();
    return check(driver().stream_synchronize(queue_stream_.stream), "cuStreamSynchronize");
  }
  use();
  const std::lock_guard lock(host_thread_mutex_);
  check(driver().stream_synchronize(host_thread_stream_.stream), "cuStreamSynchronize");
}

void CudaBackend::note(uint64_t ticket) {
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
  if (record_loss(driver().event_record(event, queue_stream_.stream)) == kSuccess) return;
  points_.pop_back();
  drain_stream();
}

/// Records a result that shows that the device is lost.
Result CudaBackend::record_loss(Result result) {
  if (is_lost(result) && !lost_) lost_ = result;
  return result;
}

/// Synchronizes the stream after an event failed, so that all tickets so far are done. If that
/// fails, too, the device is lost.
void CudaBackend::drain_stream() {
  if (lost_) return;
  const Result result = driver().stream_synchronize(queue_stream_.stream);
  if (result != kSuccess) lost_ = result;
}

/// On a lost device all tickets are done.
uint64_t CudaBackend::done() {
  const std::lock_guard lock(points_mutex_);
  while (!points_.empty()) {
    const Result result = record_loss(driver().event_query(points_.front().event));
    if (result == kNotReady) return done_;
    if (result != kSuccess) drain_stream();
    done_ = points_.front().ticket;
    spare_events_.push_back(points_.front().event);
    points_.pop_front();
  }
  return done_ = noted_;
}

void CudaBackend::wait(uint64_t ticket) {
  for (const Point& point : points_)  // only this thread removes points
    if (point.ticket >= ticket)
      return check(driver().event_synchronize(point.event), "cuEventSynchronize");
}

std::optional<std::string> CudaBackend::loss() {
  if (!lost_) return std::nullopt;
  return DriverError("cuda", lost_).what();
}

void CudaBackend::follow(AsyncStream& other, uint64_t ticket) {
  auto& before = static_cast<CudaBackend&>(other);
  const std::lock_guard lock(before.points_mutex_);
  for (const Point& point : before.points_)
    if (point.ticket >= ticket)
      return check(driver().stream_wait(queue_stream_.stream, point.event, 0), "cuStreamWaitEvent");
}

/// Aligns the device's clock with the host's at an event of an idle stream. If that fails, times
/// are taken by the host.
void CudaBackend::begin_clock() {
  if (driver().event_create(&last_time_, kEventTiming) != kSuccess ||
      driver().event_record(last_time_, wake_stream_) != kSuccess ||
      driver().event_synchronize(last_time_) != kSuccess)
    last_time_ = nullptr;
  last_seconds_ = seconds();
}

void CudaBackend::take_time(uint64_t ticket) {
  Event event = nullptr;
  if (!last_time_) return;
  launches_->flush();
  if (record_loss(driver().event_create(&event, kEventTiming)) != kSuccess) return;
  times_.push_back({ticket, event});
  record_loss(driver().event_record(event, queue_stream_.stream));
}

/// Adds the time elapsed on the device to the last time reported, so rounding errors of long times
/// do not accumulate. Returns the current time if no event was recorded.
double CudaBackend::time_taken(uint64_t ticket) {
  if (times_.empty() || times_.front().ticket != ticket) return seconds();
  const Event event = times_.front().event;
  times_.pop_front();
  float milliseconds = 0;
  if (record_loss(driver().event_elapsed(&milliseconds, last_time_, event)) != kSuccess)
    return seconds();
  driver().event_destroy(last_time_);
  last_time_ = event;
  return last_seconds_ += double{milliseconds} / 1e3;
}

const profile::KernelLaunch* CudaBackend::take_launch() {
  const KernelShape largest = launches_->take_largest();
  if (!largest.function) return nullptr;
  try {
    profile::KernelLaunch launch = loaded_->figures_of(largest.function, largest.shape);
    launch.loops = largest.loops;
    return profile::keep_launch(launch);
  } catch (const std::exception&) {  // the next launch reports a failing driver
    return nullptr;
  }
}

std::optional<profile::KernelLaunch> CudaBackend::launch_of(const LoopStep& step) {
  use();
  // Separate from kernels_, which the queue's thread uses.
  CudaKernels kernels(facts_.capability(), loaded_);
  const std::vector<void*> aligned(step.program.operands.size(), nullptr);
  const KernelShape launch = kernels.shape_of(step, aligned.data());
  if (!launch.function) return std::nullopt;
  return loaded_->figures_of(launch.function, launch.shape);
}

void CudaBackend::begin_step(int64_t step) {
  launches_->flush();
  Cupti::of_process().enter(step);
}

void CudaBackend::end_step() {
  struct Leave {
    ~Leave() { Cupti::of_process().leave(); }
  } const leave;
  launches_->flush();
}

void CudaBackend::call_when_done(void (*function)(void*), void* data) {
  const bool enqueued = !points_.empty() &&
                        driver().stream_wait(wake_stream_, points_.back().event, 0) == kSuccess &&
                        driver().host_function(wake_stream_, function, data) == kSuccess;
  if (!enqueued) function(data);
}

}  // namespace tide::cuda
