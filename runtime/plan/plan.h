// Plans: what a window of recorded ops becomes. Made once per structure, run many times.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/ref.h"
#include "runtime/device/async_stream.h"
#include "runtime/device/backend.h"
#include "runtime/device/modelled/step_work.h"
#include "runtime/record/node.h"

namespace tide {

/// Where an address of a step comes from when the plan is run.
struct BufferUse {
  enum class Source : uint8_t {
    external,   ///< value `index` of the window's externals
    node,       ///< result of the window's node `index`
    temporary,  ///< `index` of the plan's temporaries
    iota        ///< no memory
  };
  Source source = Source::external;
  uint32_t index = 0;
  /// Place in the window's list of offsets, in elements (of an iota: its start); kNone: 0.
  uint32_t offset = kNone;
  DType type = DType::f32;
  static constexpr uint32_t kNone = ~0u;
};

/// One thing the queue does.
struct Step {
  enum class Kind : uint8_t { loop, compute, copy, nothing };
  Kind kind;
  uint16_t node = 0;  ///< the window's node whose name and call site stand for the step in messages
  std::vector<uint16_t> members;  ///< the window's nodes that it computes, for profiles
  LoopStep loop;
  ComputeStep compute;
  std::vector<BufferUse> buffers;  ///< loop: the operands; compute: inputs, outputs; copy: from, to
  uint16_t inputs = 0;             ///< compute, copy: how many of `buffers` are read
  std::vector<uint32_t> parameters;  ///< places in the window's list of numbers
  /// Nodes whose storage is taken before this step, and that it computes.
  std::vector<uint16_t> outputs;
  /// Nodes whose storage is not needed after this step (temporary ones).
  std::vector<uint16_t> releases;
  /// An output that may take over the storage of a value whose last use this step is, if nobody
  /// else holds that.
  struct Reuse {
    uint16_t output;
    BufferUse value;
  };
  std::vector<Reuse> reuses;
  /// A copy that falls away if node `outputs[0]` took over the storage of `buffers[0]`.
  bool unless_reused = false;
  /// Commit rule: what an output is left with if the step may not run.
  struct Fallback {
    uint16_t output;
    BufferUse old;
    size_t bytes;
    bool lost;  ///< nothing: the old value is only a part of a new one (Node::fills)
  };
  std::vector<Fallback> fallbacks;
  /// Of a loop: an instruction whose value an output held before it was written, newest first. It
  /// is what the output is left with if only that can be computed.
  struct Older {
    uint16_t output;
    uint16_t instruction;
  };
  std::vector<Older> older;
  size_t bytes = 0;  ///< of a copy
  /// Of a loop: the batch that it belongs to (batching.h). Those of one batch, which follow each
  /// other but for copies that fall away, may be launched as one; 0: none.
  uint16_t batch = 0;

  /// Whether an output keeps what it held before if the step may not run.
  bool writes() const { return !fallbacks.empty() || !older.empty(); }
  /// Whether the step writes its buffer i.
  bool is_stored(size_t i) const;
  /// Whether it reads a value there.
  bool is_read(size_t i) const {
    return !is_stored(i) && buffers[i].source != BufferUse::Source::iota;
  }
  /// Whether the window's node `node` is made by this step, not only written to.
  bool makes(uint32_t node) const {
    return std::find(outputs.begin(), outputs.end(), node) != outputs.end();
  }
  /// What it moves and computes.
  StepWork work() const;
  /// Whether fallback f belongs to a write of a part of what the output holds by then.
  bool writes_part(size_t f) const {
    return fallbacks[f].old.source == BufferUse::Source::node &&
           fallbacks[f].old.index == fallbacks[f].output;
  }
};

/// What becomes of a window's node.
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
  std::vector<size_t> temporary_bytes;  ///< taken for the time of the plan
};

/// One recorded window: what the planner sees. Numbers and offsets are listed in the order of the
/// nodes and their arguments; a region or an iota comes after the arguments of its node.
struct WindowView {
  std::span<const Ref<Node>> nodes;
  std::span<const Ref<Node>> externals;  ///< values from outside, Node::index is the place here
  std::span<const int64_t> offsets;      ///< one per tensor argument, per region and per iota
  uint64_t epoch;  ///< of the window: nodes with another one come from outside
  bool batches;    ///< whether the device launches several loops as one

  bool inside(const Node& node) const {
    return node.state == Node::State::recorded && node.epoch == epoch;
  }
};

/// Turns a window into steps. Depends on the window's structure alone: ops, types, shapes, layouts,
/// who reads whom, `wanted`.
Ref<Plan> make_plan(const WindowView& window);

}  // namespace tide
