// The plan of a window, as values that outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/modelled/step_work.h"
#include "runtime/record/window.h"
#include "runtime/types/device.h"

namespace tide {

/// A value of the graph. `number` identifies it in all reads and writes.
struct ExplainedValue {
  uint64_t number = 0;
  std::string name;  ///< of the op that computes it
  CallSite site;
  Shape shape;
  DType type = DType::f32;
  std::string kept;  ///< for a value that a step writes: why it is stored
};

struct ExplainedOp {
  std::string name;
  CallSite site;
  Shape shape;
  DType type = DType::f32;
  bool stored = false;
};

struct ExplainedStep {
  enum class Kind : uint8_t { loop, compute, copy };
  Kind kind = Kind::loop;
  std::vector<ExplainedOp> ops;
  Shape domain;  ///< iterated by the step; of compute ops and copies: the result's shape
  bool has_row = false, partial = false, single_block = false;  ///< as LoopProgram
  bool unless_reused = false;                                   ///< as Step
  int64_t batch = 1;  ///< loops that may share a launch with it, including itself
  std::vector<ExplainedValue> reads, writes;
  StepWork work;
  bool counts_flops = true;      ///< whether work.flops is known
  std::optional<LoopStep> loop;  ///< of a loop
};

/// Why an op is not in an earlier step.
struct FusionNote {
  size_t step, other;  ///< indices in the window's steps
  std::string op;
  CallSite site;
  std::string reason;
};

struct ExplainedWindow {
  Device device;
  std::string cause;  ///< why it was flushed
  CallSite site;      ///< the line that flushed it
  size_t ops = 0;
  std::vector<ExplainedStep> steps;
  std::vector<FusionNote> notes;
};

/// Numbers the values that a thread records, without owning them.
class ValueNumbers {
 public:
  /// The number of a value that is read; assigns one if it is unknown.
  uint64_t of(const Node& node);
  /// Numbers a new value: older nodes at the same address are gone.
  uint64_t add(const Node& node);
  /// For a value that is not a node.
  uint64_t next() { return ++last_; }

 private:
  struct Known {
    uint64_t number;
    bool constant;    ///< not computed by a window, which would have numbered it
    uint64_t ticket;  ///< distinguishes constants at the same address
  };
  std::unordered_map<const Node*, Known> known_;
  uint64_t last_ = 0;
};

/// The plan of the window, which is not empty, if it were flushed now. Does not change the window.
ExplainedWindow explain(const Window& window, ValueNumbers& numbers);

/// A copy from a device to another, or to pinned memory.
ExplainedWindow explain_copy(const Node& source, const Node& copy, ValueNumbers& numbers);

/// The ops that this thread has recorded for the device; none if its window is empty.
std::optional<ExplainedWindow> explain_recorded(Device device);

}  // namespace tide
