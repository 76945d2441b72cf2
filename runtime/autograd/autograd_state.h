// What autograd keeps with tensors: their grad functions, which backward goes through.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/tensor/body.h"
#include "runtime/types/recycled.h"

namespace tide {

struct GradFn;

using Hooks = std::vector<std::function<Tensor(const Tensor&)>>;

/// The grad function that a base and its views share: a write through any of them changes it for
/// all. A detached alias belongs to another group, or none.
struct GradFnGroup : ThreadRefCounted<GradFnGroup>, Recycled<GradFnGroup> {
  Layout base;                 ///< layout of the base in the cell
  Ref<GradFn> grad_fn;         ///< of the base
  TensorBody* leaf = nullptr;  ///< the base, while it is a leaf that requires a gradient
  uint64_t version = 0;        ///< counts the writes with a grad function
  /// Makes the grad function of a view after a write; set by the write (runtime/ops/shape/write.h),
  /// as it consists of ops.
  Ref<GradFn> (*grad_fn_of_view)(const GradFnGroup& group, const Tensor& view) = nullptr;
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
  int parts = 0;  ///< of a joint grad function: the number of its results
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

/// Autograd's part of a tensor.
struct AutogradState : Attachment, Recycled<AutogradState> {
  explicit AutogradState(TensorBody& body) : body(body) {}
  ~AutogradState() override;

  TensorBody& body;
  bool requires_grad = false;  ///< a leaf that collects a gradient
  Tensor grad;
  Ref<GradFn> grad_fn;       ///< null for leaves
  Ref<GradFnGroup> group;    ///< once views or writes exist
  uint64_t version = 0;      ///< of the group, when `grad_fn` was made
  Hooks hooks;               ///< of a leaf
  Ref<TensorBody> alias_of;  ///< the leaf that a saved copy stands for
  Ref<GradFn> retained_by;   ///< the grad function whose `retained` this is
};

/// Throws ShapeError, DTypeError or DeviceError unless the gradient is like x: "grad: a gradient of
/// shape (2) in place of (3)".
void check_gradient(const char* what, const Tensor& gradient, const Tensor& x);

/// What autograd keeps with x; null if nothing.
inline AutogradState* find_autograd_state(const Tensor& x) {
  return static_cast<AutogradState*>(x.body().attachment.get());
}
/// The same, made if need be.
AutogradState& autograd_state(const Tensor& x);

/// The leaf that x stands for, if it collects a gradient; else null.
TensorBody* leaf_of(const Tensor& x);

/// What x shares with its views, made for the first of them.
GradFnGroup& group_of(const Tensor& x);

/// An edge to the grad function, or to the leaf, of an input.
GradFn::Edge edge_to(const Tensor& x);
GradFn::Edge edge_to(Ref<GradFn> grad_fn, const Shape& shape, DType type, Device device);

/// A grad function without a gradient yet. The edges come first, as the grad functions of views are
/// made on demand: numbers grow along the edges.
Ref<GradFn> new_grad_fn(const char* name, std::vector<GradFn::Edge> edges, const Shape& shape,
                        DType type, Device device);

/// The grad function of x as it is now, after writes through its base and other views; null for
/// leaves.
Ref<GradFn> grad_fn_of(const Tensor& x);

}  // namespace tide
