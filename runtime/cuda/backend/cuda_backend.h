// A CUDA device: memory, copies and launches through the driver.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "runtime/cuda/launch/cuda_kernels.h"
#include "runtime/cuda/launch/reports.h"
#include "runtime/cuda/launch/staging.h"
#include "runtime/cuda/libraries/cupti.h"
#include "runtime/device/async_stream.h"
#include "runtime/device/backend.h"

namespace tide::cuda {

/// Finds the host's routine of a compute op that has no CUDA kernel.
using HostCompute = ComputeFunction (*)(ComputeOp op);

/// Launches and copies are enqueued on a stream of the device; events show the host when they are
/// done.
class CudaBackend : public Backend, public AsyncStream {
 public:
  /// Throws DriverError if the device cannot be set up. Streams of one device share `loaded`; the
  /// first one creates it.
  CudaBackend(int ordinal, HostCompute host_compute,
              std::shared_ptr<LoadedKernels> loaded = nullptr);

  std::unique_ptr<Backend> another_stream() override;
  bool has_library(ComputeOp op) const override;
  void* allocate(size_t bytes) override;
  void release(void* data, size_t bytes) override;
  MemoryLimit memory_limit() const override;
  DeviceMemory device_memory() override;
  void* allocate_host(size_t bytes) override;
  void release_host(void* data, size_t bytes) override;
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override;
  ComputeOutcome launch(const ComputeStep& step, void* const* addresses) override;
  void release_workspace() override;
  void begin_plan(const PlanInfo& plan) override;
  void end_plan() override;
  int64_t graph_runs() const override { return graph_runs_.load(std::memory_order_relaxed); }
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override;
  void finish() override;
  bool host_readable() const override { return false; }

  AsyncStream* async_stream() override { return this; }
  void begin_queue() override;
  size_t gather(std::span<LoopCall> calls) override;
  void launch_together(std::span<const LoopCall> calls) override;
  void note(uint64_t ticket) override;
  uint64_t done() override;
  void wait(uint64_t ticket) override;
  std::optional<std::string> take_report(uint64_t report) override;
  std::optional<std::string> loss() override;
  void follow(AsyncStream& other, uint64_t ticket) override;
  void take_time(uint64_t ticket) override;
  double time_taken(uint64_t ticket) override;
  const profile::KernelLaunch* take_launch() override;
  std::optional<profile::KernelLaunch> launch_of(const LoopStep& step) override;
  StepClock* step_clock() override { return &Cupti::of_process(); }
  void begin_step(int64_t step) override;
  void end_step() override;
  void call_when_done(void (*function)(void*), void* data) override;

 private:
  /// A stream with its staging memory. The queue has one; other host threads, which fetch results
  /// that are ready, share another.
  struct StagedStream {
    CudaStream stream = nullptr;
    std::unique_ptr<Staging> staging;
  };
  /// Makes the device's context current for the calling thread; `use` throws if that fails.
  Result make_current() const;
  void use() const { check(make_current(), "cuCtxSetCurrent"); }
  Result record_loss(Result result);
  void drain_stream();
  StagedStream make_stream() const;
  bool on_queue() const { return std::this_thread::get_id() == queue_thread_.load(); }
  void copy_on(StagedStream& staged, void* destination, const void* source, size_t bytes,
               CopyKind kind);

  const DeviceFacts facts_;
  const HostCompute host_compute_;
  DeviceOrdinal device_ = 0;
  Context context_ = nullptr;
  StagedStream queue_stream_, host_thread_stream_;
  /// Runs host callbacks when the queue's stream reaches an event. A callback in that stream itself
  /// would delay the work after it until the host function returns.
  CudaStream wake_stream_ = nullptr;
  std::mutex host_thread_mutex_;
  std::shared_ptr<LoadedKernels> loaded_;
  std::unique_ptr<CudaKernels> kernels_;
  std::unique_ptr<Reports> reports_;
  std::unique_ptr<LaunchGraphs> launches_;  ///< on the queue's stream
  std::atomic<std::thread::id> queue_thread_;
  std::atomic<int64_t> graph_runs_{0};
  Result lost_ = kSuccess;  ///< the error that lost the device; the queue's thread

  void begin_clock();

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
