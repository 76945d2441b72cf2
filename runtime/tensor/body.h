// What a Tensor handle refers to: a cell with the current value, a layout, and its grad function.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/core/recycled.h"
#include "runtime/record/recorder.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Holds the current value of a storage. Writes put a new value here; all views see it.
struct Cell : ThreadRefCounted<Cell>, Recycled<Cell> {
  Ref<Node> value;
  DeviceState* const device;

  Cell(Ref<Node> value, DeviceState& device) : value(std::move(value)), device(&device) {}
};

struct GradFn;

using Hooks = std::vector<std::function<Tensor(const Tensor&)>>;

/// The grad function that a base and its views share: a write through any of them changes it for
/// all. A detached alias belongs to another group, or none.
struct GradFnGroup : ThreadRefCounted<GradFnGroup>, Recycled<GradFnGroup> {
  Layout base;                 ///< layout of the base in the cell
  Ref<GradFn> grad_fn;         ///< of the base
  TensorBody* leaf = nullptr;  ///< the base, while it is a leaf that requires a gradient
  uint64_t version = 0;        ///< counts the writes with a grad function
};

/// One op that a backward pass goes through.
struct GradFn : ThreadRefCounted<GradFn>, Recycled<GradFn> {
  struct Edge {
    Ref<GradFn> grad_fn;   ///< of the input; null: a leaf or none
    Ref<TensorBody> leaf;  ///< the leaf whose .grad grows
    Shape shape;
    DType type = DType::f32;
    Device device;
    int part = -1;  ///< of a joint grad function: which of its results this one is
    bool needed() const { return grad_fn || leaf; }
  };
  const char* name = "";
  CallSite site;
  uint64_t number = 0;  ///< grows with recording: later ops go first in backward
  std::vector<Edge> edges;
  GradientFunction gradient;
  bool uses_y = false;
  int parts = 0;  ///< of a joint grad function: the number of results that it stands behind
  /// Of a view that shows a part of its input: that part, as a layout of a dense tensor of its
  /// shape.
  std::unique_ptr<Layout> shown;
  bool reusable = false;  ///< holds no values: backward may go through again without retain_graph
  bool released = false;  ///< backward has been through and the graph was not retained
  std::unique_ptr<Tensor> y;  ///< value of the result, without a grad function, if it is used
  Shape shape;
  DType type = DType::f32;
  Device device;
  Hooks hooks;
  TensorBody* retained = nullptr;  ///< the result, while it lives, if it asked to keep its gradient

  static void destroy(GradFn* grad_fn);
};

/// Autograd's part of a tensor; most tensors have none.
struct AutogradState : Recycled<AutogradState> {
  bool requires_grad = false;  ///< a leaf that collects a gradient
  Tensor grad;
  Ref<GradFn> grad_fn;       ///< null for leaves
  Ref<GradFnGroup> group;    ///< once views or writes exist
  uint64_t version = 0;      ///< of the group, when `grad_fn` was made
  Hooks hooks;               ///< of a leaf
  Ref<TensorBody> alias_of;  ///< the leaf that a saved copy stands for
  Ref<GradFn> retained_by;   ///< the grad function whose `retained` this is
};

struct TensorBody : ThreadRefCounted<TensorBody>, Recycled<TensorBody> {
  Ref<Cell> cell;
  Layout layout;
  std::unique_ptr<AutogradState> autograd;

  TensorBody(Ref<Cell> cell, const Layout& layout) : cell(std::move(cell)), layout(layout) {}
  /// Row-major without gaps.
  TensorBody(Ref<Cell> cell, const Shape& shape) : cell(std::move(cell)), layout(shape) {}
  ~TensorBody();

  AutogradState& autograd_state() {
    if (!autograd) autograd = std::make_unique<AutogradState>();
    return *autograd;
  }
};

/// The grad function of x as it is now, after writes through its base and other views; null for
/// leaves.
Ref<GradFn> grad_fn_of(const Tensor& x);
/// Makes `view`, another handle on x's cell, share x's grad function group.
void share_group(const Tensor& x, const Tensor& view);
/// Another handle on x's present value, in a cell of its own: later writes to either do not show in
/// the other.
Tensor snapshot(const Tensor& x);

/// A new tensor on a dense value.
Tensor make_tensor(Ref<Node> node);
/// The tensor's present value as an argument of an op.
Argument argument_of(const Tensor& x);

}  // namespace tide
