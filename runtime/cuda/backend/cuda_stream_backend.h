// A stream of a CUDA device: copies and launches through the driver.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "runtime/cuda/backend/cuda_device_backend.h"
#include "runtime/cuda/launch/cuda_kernels.h"
#include "runtime/cuda/launch/reports.h"
#include "runtime/cuda/launch/staging.h"
#include "runtime/cuda/libraries/cupti.h"
#include "runtime/device/backend.h"

namespace tide::cuda {

/// Launches and copies are enqueued on a stream of the device; events show the host when they are
/// done.
class CudaStreamBackend : public StreamBackend {
 public:
  /// Throws DriverError if the stream cannot be created.
  explicit CudaStreamBackend(CudaDeviceBackend& device);
  /// See CudaKernels::reserve.
  void reserve_workspace() { kernels_.reserve(stream_); }

  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override;
  ComputeOutcome launch(const ComputeStep& step, void* const* addresses,
                        const LoopCall* finish) override;
  size_t launch_together(std::span<LoopCall> calls) override;
  void run_plan(const PlanInfo* plan) override;
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override;
  void note(uint64_t ticket) override;
  uint64_t done() override;
  void wait(uint64_t ticket) override;
  void follow(StreamBackend& other, uint64_t ticket) override;
  void call_when_done(void (*function)(void*), void* data) override;
  std::optional<std::string> take_report(uint64_t report) override;
  void release_workspace() override;
  void take_time(uint64_t ticket) override;
  MarkTime time_taken(uint64_t ticket) override;
  void enter_step(std::optional<int64_t> step) override;
  const profile::KernelLaunch* take_launch() override;

 private:
  Result record_loss(Result result);
  void drain_stream();
  void begin_clock();

  CudaDeviceBackend& device_;
  const CudaStream stream_;
  /// Runs host callbacks when the stream reaches an event. A callback in that stream itself would
  /// delay the work after it until the host function returns.
  const CudaStream wake_stream_;
  Staging staging_{stream_};
  CudaKernels kernels_;
  Reports reports_;
  LaunchGraphs launches_{stream_};
  Result lost_ = kSuccess;  ///< the error that lost the device

  struct Point {
    uint64_t ticket;
    Event event;
  };
  std::mutex points_mutex_;   ///< for streams that wait for this one
  std::deque<Point> points_;  ///< recorded and not known to be done
  std::vector<Event> spare_events_;
  std::deque<Point> times_;    ///< recorded and not reported
  Event last_time_ = nullptr;  ///< the event of the last time reported; others are relative to it
  double last_seconds_ = 0;    ///< that time
  uint64_t noted_ = 0, done_ = 0;
};

}  // namespace tide::cuda
