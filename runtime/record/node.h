// The values of the graph: what was recorded, and what is known of it since.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/core/recycled.h"
#include "runtime/core/ref.h"
#include "runtime/core/shape.h"
#include "runtime/device/call_site.h"
#include "runtime/device/failure.h"
#include "runtime/device/memory.h"
#include "runtime/ir/compute_op.h"
#include "runtime/ir/loop.h"

namespace tide {

struct Node;
class DeviceState;

/// An input of a node: a value seen through a layout, or a number.
struct Argument {
  Ref<Node> node;                ///< null: the number
  std::unique_ptr<Layout> view;  ///< null: dense, in the node's own shape
  uint64_t number = 0;           ///< bits in the compute type of the op's operands
};

/// The parts that only compute ops have.
struct ComputeDetails {
  ComputeOp op;
  std::vector<Argument> inputs;
  std::vector<int64_t> attributes;
};

/// An immutable value: one array, dense and row-major. Nodes belong to the thread that records; the
/// queue's threads see addresses only.
struct Node : ThreadRefCounted<Node>, Recycled<Node> {
  enum class Kind : uint8_t {
    constant,  ///< elements given by the host, or copied from another device or to pinned memory
    map,       ///< elementwise op on up to 4 arguments
    iota,      ///< map whose first argument is an index iota (`iota`)
    reduce,    ///< along one run of dimensions of argument 0
    assign,    ///< argument 0, taking the place of argument 1 in a cell: if it fails, that stays
    write,     ///< argument 1 with argument 0 in the region `iota`; if it fails, argument 1 stays
    compute,   ///< a compute op's first result
    part,      ///< a further result of the compute node in argument 0
    uninitialized  ///< no elements yet: writes to its parts will make them all
  };
  enum class State : uint8_t {
    recorded,      ///< in a window that is not flushed
    recomputable,  ///< flushed, not kept; computed again from its arguments if ever asked for
    stored,        ///< in `storage`, once the queue has come to `ticket`
    failed         ///< never computed: out of memory, or computed from such a value
  };
  Kind kind = Kind::map;
  State state = State::recorded;
  DType type = DType::f32;
  DType operand_type = DType::f32;  ///< of the numbers among the arguments
  Reduction reduction = Reduction::sum;
  uint8_t arity = 0;
  uint8_t first = 0, last = 0;  ///< the run of a reduction
  bool wanted = false;          ///< must be stored when flushed
  bool read = false;            ///< by another node of its window
  bool fills = false;  ///< a write that makes a part of a new value: if it fails, that is lost
  bool again = false;  ///< was a recomputable value before: stays one if there is no memory for it
  OpCode op = 0;
  uint16_t index = 0;  ///< place in the window, or among the window's externals
  uint64_t epoch = 0;  ///< the window that `index` speaks of
  DeviceState* device = nullptr;
  const char* name = "";  ///< the script's name of the op
  CallSite site;
  Shape shape;
  Argument arguments[4];
  std::unique_ptr<Layout> iota;
  std::unique_ptr<ComputeDetails> compute;
  Ref<Storage> storage;
  uint64_t ticket = 0;
  Ref<Failure> failure;

  /// Whether argument 1 is the value that this one takes the place of.
  bool replaces() const { return kind == Kind::assign || kind == Kind::write; }
  size_t bytes() const { return static_cast<size_t>(shape.numel()) * size_of(type); }
  /// Frees chains of any length without recursion.
  static void destroy(Node* node);
  /// Forgets the arguments: the value is stored, or will never be computed.
  void drop_arguments();
};

}  // namespace tide
