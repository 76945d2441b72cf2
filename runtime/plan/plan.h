// Plans: the compiled form of a window of recorded ops. Made once per structure, run many times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/device/backend.h"
#include "runtime/device/modelled/step_work.h"
#include "runtime/record/node.h"
#include "runtime/types/ref.h"

namespace tide {

/// The source of an address of a step at run time.
struct BufferUse {
  enum class Source : uint8_t {
    external,   ///< value `index` of the window's externals
    node,       ///< result of the window's node `index`
    temporary,  ///< `index` of the plan's temporaries
    iota        ///< no memory
  };
  Source source = Source::external;
  uint32_t index = 0;
  /// Index in the window's list of offsets, in elements (of an iota: its start); kNone: 0.
  uint32_t offset = kNone;
  DType type = DType::f32;
  static constexpr uint32_t kNone = ~0u;
};

/// One operation of the queue.
struct Step {
  enum class Kind : uint8_t { loop, compute, copy, nothing };
  Kind kind;
  uint16_t node = 0;  ///< the window's node that provides name and call site for messages
  std::vector<uint16_t> members;  ///< the window's nodes that it computes, for profiles
  LoopStep loop;
  ComputeStep compute;
  std::vector<BufferUse> buffers;  ///< loop: the operands; compute: inputs, outputs; copy: from, to
  uint16_t inputs = 0;             ///< compute, copy: number of `buffers` that are read
  std::vector<uint32_t> parameters;  ///< indices in the window's list of scalars
  /// Nodes computed by this step, whose storage is allocated before it.
  std::vector<uint16_t> outputs;
  /// Nodes whose storage is released after this step (temporary ones).
  std::vector<uint16_t> releases;
  /// An output that may reuse the storage of a value whose last use is this step, if there are no
  /// other references to it.
  struct Reuse {
    uint16_t output;
    BufferUse value;
  };
  std::vector<Reuse> reuses;
  /// A copy that is skipped if node `outputs[0]` reused the storage of `buffers[0]`.
  bool unless_reused = false;
  /// Commit rule: the value of an output if the step must not run.
  struct Fallback {
    uint16_t output;
    BufferUse old;
    size_t bytes;
    bool lost;  ///< none: the old value is only part of a new one (Node::fills)
  };
  std::vector<Fallback> fallbacks;
  /// Of a loop: an instruction whose value an output had before it was written, newest first. The
  /// output gets this value if only that can be computed.
  struct Older {
    uint16_t output;
    uint16_t instruction;
  };
  std::vector<Older> older;
  size_t bytes = 0;  ///< of a copy
  /// Of a loop: the batch that it belongs to (batching.h). The loops of a batch, which are adjacent
  /// except for copies that are skipped, may be launched as one; 0: none.
  uint16_t batch = 0;
  /// Of a compute op: the next step is a loop that may run on each part of its result as soon as
  /// that is complete (finishing.h).
  bool finished_by_next = false;

  /// Whether an output keeps its previous value if the step must not run.
  bool writes() const { return !fallbacks.empty() || !older.empty(); }
  /// Whether the step writes its buffer i.
  bool is_stored(size_t i) const;
  /// The buffer in which the step stores the window's node `node`; buffers.size() if none.
  size_t buffer_of(uint16_t node) const;
  /// Whether the step reads a value from its buffer i.
  bool is_read(size_t i) const {
    return !is_stored(i) && buffers[i].source != BufferUse::Source::iota;
  }
  /// Whether this step creates the window's node `node`, rather than only writing to it.
  bool makes(uint32_t node) const {
    return std::find(outputs.begin(), outputs.end(), node) != outputs.end();
  }
  /// The memory traffic and arithmetic of the step.
  StepWork work() const;
  /// Whether fallback f belongs to a write of part of the output's current value.
  bool writes_part(size_t f) const {
    return fallbacks[f].old.source == BufferUse::Source::node &&
           fallbacks[f].old.index == fallbacks[f].output;
  }
};

/// How a window's node is stored.
enum class Fate : uint8_t {
  keep,         ///< stored
  temporary,    ///< stored while the plan runs, a recomputable value afterwards
  recomputable  ///< never stored
};

struct Plan : RefCounted<Plan> {
  std::vector<uint64_t> key;
  PlanInfo info;
  std::vector<Step> steps;
  std::vector<Fate> fates;              ///< per node
  std::vector<size_t> temporary_bytes;  ///< allocated while the plan runs
};

/// The planner's view of a recorded window. Scalars and offsets are listed in the order of the
/// nodes and their arguments; a region or an iota follows the arguments of its node.
struct WindowView {
  std::span<const Ref<Node>> nodes;
  std::span<const Ref<Node>> externals;  ///< values from outside, by Node::index
  std::span<const int64_t> offsets;      ///< one per tensor argument, per region and per iota
  uint64_t epoch;                        ///< of the window: nodes with another epoch are external
  bool batches;                          ///< whether the device launches several loops as one
  bool finishing_loops;                  ///< whether the device runs loops on parts of results

  bool inside(const Node& node) const {
    return node.state == Node::State::recorded && node.epoch == epoch;
  }
};

/// Turns a window into steps. Depends only on the window's structure: ops, types, shapes, layouts,
/// reads, and `must_store`.
Ref<Plan> make_plan(const WindowView& window);

}  // namespace tide
