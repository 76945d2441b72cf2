// The values of the graph: how they were recorded, and their state.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/device/call_site.h"
#include "runtime/device/failure.h"
#include "runtime/device/memory.h"
#include "runtime/ir/compute_op.h"
#include "runtime/ir/loop.h"
#include "runtime/types/recycled.h"
#include "runtime/types/ref.h"
#include "runtime/types/shape.h"

namespace tide {

struct Node;
class DeviceState;

/// An input of a node: a value viewed through a layout, or a scalar.
struct Argument {
  Ref<Node> node;                ///< null: a scalar
  std::unique_ptr<Layout> view;  ///< null: dense, in the node's own shape
  uint64_t number = 0;           ///< bits in the compute type of the op's operands
};

/// The parts that only compute ops have.
struct ComputeDetails {
  ComputeOp op;
  std::vector<Argument> inputs;
  std::vector<int64_t> attributes;
};

/// A value that is kept with the one that it is computed from (tensor/derived.h).
struct DerivedValue {
  std::vector<int64_t> key;
  Ref<Node> value;
};

/// An immutable value: one array, dense and row-major. Nodes belong to the recording thread; queue
/// threads only see addresses.
struct Node : ThreadRefCounted<Node>, Recycled<Node> {
  enum class Kind : uint8_t {
    constant,  ///< elements from the host, or copied from another device or to pinned memory
    map,       ///< elementwise op on up to 4 arguments
    iota,      ///< map whose first argument is an index iota (`iota`)
    /// Elements of argument 0 at the positions in argument 1, an i64: a load at a computed position
    /// (LoopInstruction::load) in a dimension of argument 2 elements, argument 3 apart, or without
    /// that next to each other.
    lookup,
    reduce,   ///< along one run of dimensions of argument 0
    assign,   ///< argument 0, replacing argument 1 in a cell: if it fails, argument 1 stays
    write,    ///< argument 1 with argument 0 in the region `iota`; if it fails, argument 1 stays
    compute,  ///< a compute op's first result
    part,     ///< a further result of the compute node in argument 0
    uninitialized  ///< no elements yet: writes to its parts will create them
  };
  enum class State : uint8_t {
    recorded,      ///< in a window that has not been flushed
    recomputable,  ///< flushed, not kept; recomputed from its arguments on demand
    stored,        ///< in `storage`, once the queue has reached `ticket`
    failed         ///< never computed: out of memory, or a failed input
  };
  Kind kind = Kind::map;
  State state = State::recorded;
  DType type = DType::f32;
  DType operand_type = DType::f32;  ///< of the scalars among the arguments
  Reduction reduction = Reduction::sum;
  uint8_t arity = 0;
  uint8_t first = 0, last = 0;  ///< the run of a reduction
  bool must_store = false;      ///< must be stored when flushed
  bool read = false;            ///< by another node of its window
  bool fills = false;  ///< a write that initializes part of a new value: if it fails, that is lost
  bool rematerialized = false;  ///< was a recomputable value before: stays one if memory is short
  OpCode op = 0;
  uint16_t index = 0;  ///< index in the window, or among the window's externals
  uint64_t epoch = 0;  ///< the window that `index` refers to
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
  std::unique_ptr<std::vector<DerivedValue>> derived;

  /// Whether this value replaces argument 1.
  bool replaces() const { return kind == Kind::assign || kind == Kind::write; }
  size_t bytes() const { return static_cast<size_t>(shape.numel()) * size_of(type); }
  /// Frees chains of any length without recursion.
  static void destroy(Node* node);
  /// Releases the arguments: the value is stored, or will never be computed.
  void drop_arguments();
};

}  // namespace tide
