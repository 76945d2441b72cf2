// Reverse-mode differentiation over recorded ops.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "runtime/tensor/tensor.h"

namespace tide {

/// A tensor's value and grad function at one moment, kept for a backward pass: later in-place
/// writes do not change it.
class Saved {
 public:
  explicit Saved(const Tensor& x);
  /// A tensor of that value, with that grad function.
  Tensor get() const { return tensor_; }

 private:
  Tensor tensor_;
};

/// Whether a result computed from x now gets a grad function: x requires a gradient and no_grad is
/// not in force.
bool needs_grad_fn(const Tensor& x);

/// What a backward function is given.
struct GradientCall {
  Tensor dy;                     ///< gradient of the result
  Tensor y;                      ///< the result itself, if it was asked for
  std::span<const bool> needed;  ///< per input: whether its gradient is wanted
  /// Of a joint grad function: gradients of the results, undefined where none came.
  std::span<const Tensor> parts;
};
/// Returns the gradient of each input (undefined: none), in the input's shape and type.
using GradientFunction = std::function<std::vector<Tensor>(const GradientCall&)>;

/// Makes `y` differentiable: backward calls `gradient` with the gradient of y and passes what it
/// returns on to `inputs`. Does nothing if no input needs a grad function. Captured tensors must be
/// `Saved`.
void set_grad_fn(const Tensor& y, const char* name, std::span<const Tensor> inputs, bool uses_y,
                 GradientFunction gradient);
void set_grad_fn(const Tensor& y, const char* name, std::initializer_list<Tensor> inputs,
                 bool uses_y, GradientFunction gradient);

/// Makes several results of one op differentiable together: `gradient` is called once, when the
/// gradients of all results that take part (GradientCall::parts) are known. Results may be
/// undefined. `reusable`: it captures no values, so that backward may go through again without
/// retain_graph.
void set_joint_grad_fn(std::span<const Tensor> results, const char* name,
                       std::span<const Tensor> inputs, bool reusable, GradientFunction gradient);

/// Gradients are off between construction and destruction (on this thread); `on` switches them on
/// again inside.
class GradientMode {
 public:
  explicit GradientMode(bool on);
  ~GradientMode();
  static bool enabled();
  static void set(bool on);

 private:
  bool previous_;
};

/// Throws Error naming `name` if x is, or shares its storage with, a leaf that requires a gradient,
/// outside no_grad.
void check_may_change(const char* name, const Tensor& x);

/// Another handle on the same elements. Shares storage with x, and what writes make of its grad
/// function: writes through either are seen by both. The layout indexes x's storage.
Tensor make_view(const Tensor& x, const Layout& layout);

/// The same elements without a grad function. Writes through it change the values of x, not its
/// grad function.
Tensor detach(const Tensor& x);

/// Calls `hook` with the gradient of x whenever one is computed; what it returns, if defined, takes
/// its place. Returns a number for remove_hook. Throws Error unless x requires a gradient.
size_t register_hook(const Tensor& x, std::function<Tensor(const Tensor&)> hook);
void remove_hook(const Tensor& x, size_t number);
/// Makes backward keep `.grad` of a tensor that is not a leaf.
void retain_grad(const Tensor& x);
/// Whether x is not a leaf and backward keeps its `.grad`.
bool retains_grad(const Tensor& x);
/// Whether writes into one show in the other, as far as they overlap.
bool share_elements(const Tensor& a, const Tensor& b);

}  // namespace tide
