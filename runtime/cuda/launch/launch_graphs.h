// Launches tide's fused and compute kernels on a stream: one by one, or as a CUDA graph if a
// window's plan repeats.
//
// A single launch costs the host about 2 us, and leaves a gap between kernels on the device. A
// graph costs about as much as one launch, and its gaps are shorter. A replay must update the nodes
// whose arguments (addresses, sizes, scalars, random counters) or grid changed. In a training loop
// most stay the same, because the allocator returns the same blocks in the same order.
//
// Stream capture with cuGraphExecUpdate would pay for every launch and for comparing all nodes.
// Kernels that read their arguments from device memory would need no updates, but each would start
// with loads that miss the caches (0.5 us or more; launch arguments are in constant memory).
//
// Copies, library calls and any other work on the stream end a part: libraries choose their kernels
// at each call, and most windows have one compute op, which comes first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/launch/launch_shape.h"
#include "runtime/device/backend.h"

namespace tide::cuda {

/// A kernel and how it is launched.
struct KernelShape {
  Function function = nullptr;
  LaunchShape shape{};
  int64_t loops = 1;  ///< that the launch runs
};

/// Launches kernels on one stream. Used by the queue's thread, with the device's context current.
/// TIDE_CUDA_GRAPHS=0 disables graphs.
class LaunchGraphs {
 public:
  explicit LaunchGraphs(CudaStream stream);
  LaunchGraphs(const LaunchGraphs&) = delete;

  /// From here to `end`, launches belong to one run of the plan. They may be deferred until `flush`
  /// or `end`.
  void begin(const PlanInfo& plan);

  /// Launches a kernel with one parameter that consists of `words`, which are copied.
  void launch(const KernelShape& kernel, std::span<const uint64_t> words);

  /// Must be called before anything else is enqueued. `end` reports errors.
  void flush();

  /// Throws the error of deferred launches that failed.
  void end();

  /// The kernel with the most threads since the last call; a null function if there was none.
  /// Recorded only while a profile is running.
  KernelShape take_largest() { return std::exchange(largest_, {}); }

  /// The number of graph launches.
  int64_t replays() const { return replays_; }

 private:
  /// A deferred launch, or a node of a graph.
  struct Launch {
    Function function;
    LaunchShape shape;
    size_t first, count;  ///< range of its words in the list's
  };
  struct List {
    std::vector<Launch> launches;
    std::vector<uint64_t> words;
    void clear();
  };
  /// A part of a plan: consecutive kernels, which form one graph.
  struct Part {
    Graph graph = nullptr;
    GraphExec executable = nullptr;
    std::vector<GraphNode> nodes;
    List list;  ///< of the last run

    Part() = default;
    Part(Part&& other) noexcept { *this = std::move(other); }
    Part& operator=(Part&& other) noexcept;
    ~Part();
  };
  /// The graphs of a plan and how they were used.
  struct PlanGraphs {
    int runs = 0;
    int rebuilt = 0;  ///< how often a part was rebuilt because its kernels changed
    bool cancelled = false;
    uint64_t used = 0;  ///< clock_ at the last run
    std::vector<Part> parts;
  };

  PlanGraphs* graphs_of(const PlanInfo& plan);
  void evict_oldest();
  bool replay();
  void build(Part& part) const;
  void update(Part& part) const;
  void launch_waiting();
  void give_up(const char* reason);
  void note(const KernelShape& kernel);

  const CudaStream stream_;
  const bool enabled_;
  std::unordered_map<uint64_t, PlanGraphs> plans_;  ///< by the number of the plan
  uint64_t clock_ = 0;
  PlanGraphs* current_ = nullptr;  ///< of the current plan, if its launches are deferred
  size_t part_ = 0;
  List waiting_;
  std::exception_ptr failure_;
  KernelShape largest_;
  int64_t replays_ = 0;
};

}  // namespace tide::cuda
