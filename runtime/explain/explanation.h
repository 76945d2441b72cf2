// What a window becomes, as values that outlive it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/device/backend.h"
#include "runtime/device/modelled/step_work.h"
#include "runtime/record/window.h"

namespace tide {

/// A value of the graph. `number` is the same wherever it is read and written.
struct ExplainedValue {
  uint64_t number = 0;
  std::string name;  ///< of the op that makes it
  CallSite site;
  Shape shape;
  DType type = DType::f32;
  std::string kept;  ///< of what a step writes: why it is stored
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
  Shape domain;  ///< that it walks; of compute ops and copies: the result's shape
  bool has_row = false, partial = false, single_block = false;  ///< as LoopProgram
  bool unless_reused = false;                                   ///< as Step
  int64_t batch = 1;  ///< loops that one launch may serve together with it, itself included
  std::vector<ExplainedValue> reads, writes;
  StepWork work;
  bool counts_flops = true;      ///< whether work.flops is known
  std::optional<LoopStep> loop;  ///< of a loop
};

/// Why an op is not in a step before its own.
struct FusionNote {
  size_t step, other;  ///< places in the window's steps
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

/// Numbers for the values that a thread records one after the other, without holding them.
class ValueNumbers {
 public:
  /// A value that is read. One not known gets a number.
  uint64_t of(const Node& node);
  /// A value that is made now: nodes before it at the same address are gone.
  uint64_t add(const Node& node);
  /// For a value that is no node.
  uint64_t next() { return ++last_; }

 private:
  struct Known {
    uint64_t number;
    bool constant;    ///< and so made by no window, which would have said so
    uint64_t ticket;  ///< of a constant, which tells it from one made later
  };
  std::unordered_map<const Node*, Known> known_;
  uint64_t last_ = 0;
};

/// What the window, which is not empty, would become if it were flushed now. Changes nothing of it.
ExplainedWindow explain(const Window& window, ValueNumbers& numbers);

/// A copy from a device to another, or to pinned memory.
ExplainedWindow explain_copy(const Node& source, const Node& copy, ValueNumbers& numbers);

/// What this thread has recorded for the device and not flushed; nothing if its window is empty.
std::optional<ExplainedWindow> explain_recorded(Device device);

}  // namespace tide
