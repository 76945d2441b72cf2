// A device whose memory and arithmetic are the host's.
#pragma once

#include <memory>

#include "runtime/cpu/team.h"
#include "runtime/device/backend.h"
#include "runtime/device/host_parallelism.h"

namespace tide {

/// Runs kernels and compute ops on host memory, with the threads of `parallel`.
class HostBackend : public Backend, public HostParallelism {
 public:
  explicit HostBackend(std::shared_ptr<Parallel> parallel) : parallel_(std::move(parallel)) {}

  /// Uses the same `parallel`.
  std::unique_ptr<Backend> another_stream() override {
    return std::make_unique<HostBackend>(parallel_);
  }
  bool has_library(ComputeOp op) const override;
  void* allocate(size_t bytes) override;
  void release(void* data, size_t bytes) override;
  /// The machine's memory, or the limit of this process: if it is exceeded, the system kills the
  /// process.
  MemoryLimit memory_limit() const override;
  void* allocate_host(size_t bytes) override { return allocate(bytes); }
  void release_host(void* data, size_t bytes) override { release(data, bytes); }
  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override;
  ComputeOutcome launch(const ComputeStep& step, void* const* addresses) override;
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override;
  int64_t small_work(const LoopStep& step) const override;
  int64_t small_work(const ComputeStep& step) const override;
  int64_t small_copy(size_t bytes) const override;
  void finish() override {}
  bool host_readable() const override { return true; }
  HostParallelism* host_parallelism() override { return parallel_->threads() > 1 ? this : nullptr; }
  Parallel& parallel() override { return *parallel_; }

 private:
  std::shared_ptr<Parallel> parallel_;
};

}  // namespace tide
