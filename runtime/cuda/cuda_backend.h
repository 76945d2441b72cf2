// A CUDA device: memory, copies and launches through the driver.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/cuda/cuda_kernels.h"
#include "runtime/cuda/staging.h"
#include "runtime/graph/backend.h"

namespace tide::cuda {

/// Finds the host's routine of a native op, for ops that have no kernel here.
using HostNative = NativeFunction (*)(NativeOp op);

/// Launches and copies are enqueued on the device's stream; the host learns of their end through
/// events.
class CudaBackend : public Backend {
 public:
  /// Throws DriverError if the device cannot be set up.
  CudaBackend(int ordinal, HostNative host_native);

  std::string description() const override;
  void* allocate(size_t bytes) override;
  void release(void* data, size_t bytes) override;
  size_t memory_limit() const override { return 0; }
  DeviceMemory device_memory() override;
  void* allocate_host(size_t bytes) override;
  void release_host(void* data, size_t bytes) override;
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override;
  std::optional<PositionFailure> launch(const NativeStep& step, void* const* addresses) override;
  void begin_plan(const Plan& plan) override;
  void end_plan() override;
  int64_t graph_runs() const override;
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override;
  void finish() override;
  bool host_readable() const override { return false; }

  void begin_queue() override;
  bool is_asynchronous() const override { return true; }
  void note(uint64_t ticket) override;
  uint64_t done() override;
  void call_when_done(void (*function)(void*), void* data) override;

 private:
  /// A stream and what belongs to it. The queue has one; other threads, which fetch results that
  /// are ready, share another.
  struct Lane {
    Stream stream = nullptr;
    std::unique_ptr<Staging> staging;
  };
  void use() const;
  Lane make_lane() const;
  bool on_queue() const { return std::this_thread::get_id() == queue_thread_.load(); }
  void copy_on(Lane& lane, void* destination, const void* source, size_t bytes, CopyKind kind);

  const DeviceFacts facts_;
  const HostNative host_native_;
  Context context_ = nullptr;
  Lane queue_lane_, guest_lane_;
  std::mutex guest_mutex_;
  std::unique_ptr<CudaKernels> kernels_;
  std::unique_ptr<LaunchGraphs> launches_;  ///< of fused kernels, to the queue's stream
  std::atomic<std::thread::id> queue_thread_;

  struct Point {
    uint64_t ticket;
    Event event;
  };
  std::deque<Point> points_;  ///< noted and not known to be done
  std::vector<Event> spare_events_;
  uint64_t noted_ = 0, done_ = 0;
};

}  // namespace tide::cuda
