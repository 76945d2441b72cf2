// A device whose memory and arithmetic are the host's.
#pragma once

#include <deque>
#include <memory>

#include "runtime/cpu/team.h"
#include "runtime/device/backend.h"

namespace tide {

/// Memory of the host; with the threads of a team.
class HostDevice : public DeviceBackend {
 public:
  explicit HostDevice(Parallel& parallel);

  void* allocate(size_t bytes, Memory memory = Memory::device) override;
  void release(void* data, size_t bytes, Memory memory = Memory::device) override;
  std::unique_ptr<StreamBackend> make_stream() override;

 private:
  Parallel& parallel_;
};

/// Runs kernels and compute ops on host memory: each call runs to completion.
class HostStream : public StreamBackend {
 public:
  explicit HostStream(Parallel& parallel) : parallel_(parallel) {}

  void launch(const LoopStep& step, void* const* bases, const uint64_t* parameters) override;
  ComputeOutcome launch(const ComputeStep& step, void* const* addresses,
                        const LoopCall* finish) override;
  void copy(void* destination, const void* source, size_t bytes, CopyKind kind) override;
  void note(uint64_t ticket) override { noted_ = ticket; }
  uint64_t done() override { return noted_; }
  void wait(uint64_t) override {}
  void follow(StreamBackend&, uint64_t) override {}
  void call_when_done(void (*function)(void*), void* data) override { function(data); }
  void take_time(uint64_t ticket) override;
  MarkTime time_taken(uint64_t ticket) override;

 private:
  Parallel& parallel_;
  uint64_t noted_ = 0;
  struct Taken {
    uint64_t ticket;
    MarkTime time;
  };
  std::deque<Taken> times_;  ///< not queried
};

/// Whether a compute op is faster than its composition.
bool host_has_library(ComputeOp op);

}  // namespace tide
