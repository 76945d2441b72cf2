// Our kernels, fused and compute, on their way to the stream: one by one, or as a CUDA graph where
// a window's plan comes again and again.
//
// A plain launch costs the host about 2 us and the device a gap between two kernels. A graph costs
// about one launch for all, and the gaps shrink. What a replay still pays for is what changed since
// the last one: the nodes whose arguments (addresses, sizes, numbers, random counters) or grid
// differ are set again, each at a part of a launch's price; in a loop of training most are the
// same, as the allocator hands out the same blocks in the same order. Two other ways were not
// taken. Capturing the stream anew and cuGraphExecUpdate would pay for every launch and for the
// comparison of all nodes. Kernels that read their arguments from a block in device memory, filled
// by one copy a window, would need no updates, but each kernel would begin with loads that miss the
// caches (0.5 us or more on the device, where arguments passed at the launch lie in the constant
// bank), and the copy is a stop of its own in the stream.
//
// Copies, libraries and whatever else goes to the stream ends a part: libraries choose their
// kernels anew at each call, and most windows have one compute op, first.
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
#include "runtime/device/async_stream.h"

namespace tide::cuda {

/// A kernel and how it is launched.
struct KernelShape {
  Function function = nullptr;
  LaunchShape shape{};
  int64_t loops = 1;  ///< that the launch serves
};

/// The way of kernels to one stream. Used by the queue's thread, with the device's context
/// current. TIDE_CUDA_GRAPHS=0: no graphs.
class LaunchGraphs {
 public:
  explicit LaunchGraphs(Stream stream);
  LaunchGraphs(const LaunchGraphs&) = delete;

  /// From here to `end`, launches belong to one run of the plan. They may be put off until `flush`
  /// or `end`.
  void begin(const PlanInfo& plan);

  /// Launches a kernel with one parameter of so many words, which are copied.
  void launch(const KernelShape& kernel, std::span<const uint64_t> words);

  /// Must come before anything else is enqueued. What fails is reported by `end`.
  void flush();

  /// Throws the error of launches that were put off and have failed.
  void end();

  /// Of the kernels since the last call the one with the most threads; a null function: there was
  /// none. They are noted while a profile is under way.
  KernelShape take_largest() { return std::exchange(largest_, {}); }

  /// How often a graph ran in place of launches.
  int64_t replays() const { return replays_; }

 private:
  /// A kernel that waits, or a node of a graph.
  struct Launch {
    Function function;
    LaunchShape shape;
    size_t first, count;  ///< its words, of the list's
  };
  struct List {
    std::vector<Launch> launches;
    std::vector<uint64_t> words;
    void clear();
  };
  /// A part of a plan: kernels that follow one another, as the graph has them.
  struct Part {
    Graph graph = nullptr;
    GraphExec executable = nullptr;
    std::vector<GraphNode> nodes;
    List list;  ///< as it ran last

    Part() = default;
    Part(Part&& other) noexcept { *this = std::move(other); }
    Part& operator=(Part&& other) noexcept;
    ~Part();
  };
  /// What is known of a plan.
  struct Course {
    int runs = 0;
    int rebuilt = 0;  ///< parts whose kernels were others than the time before
    bool cancelled = false;
    uint64_t used = 0;  ///< when it ran last
    std::vector<Part> parts;
  };

  Course* course_of(const PlanInfo& plan);
  void forget_oldest();
  bool replay();
  void build(Part& part) const;
  void update(Part& part) const;
  void launch_waiting();
  void give_up(const char* reason);
  void note(const KernelShape& kernel);

  const Stream stream_;
  const bool enabled_;
  std::unordered_map<uint64_t, Course> courses_;  ///< by the number of the plan
  uint64_t clock_ = 0;
  Course* course_ = nullptr;  ///< of the plan that runs now, if its launches are put off
  size_t part_ = 0;
  List waiting_;
  std::exception_ptr failure_;
  KernelShape largest_;
  int64_t replays_ = 0;
};

}  // namespace tide::cuda
