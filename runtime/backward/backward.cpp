// The backward pass: from the latest op to the earliest, without recursion.
#include "runtime/backward/backward.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

#include "runtime/autograd/autograd.h"
#include "runtime/autograd/autograd_state.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/view.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

thread_local bool detects_anomalies = false;

Tensor ones_like_of(const Tensor& y) {
  return record_iota(ElementwiseOp::fill, "backward", Layout(y.shape()), y.dtype(), y.dtype(),
                     y.device(), {Number(1)});
}

/// `hooks` is a copy: a hook may add others, or take some away.
Tensor with_hooks(Hooks hooks, Tensor gradient) {  // NOLINT(performance-unnecessary-value-param)
  for (const auto& hook : hooks) {
    if (!hook) continue;
    Tensor changed = hook(gradient);
    if (!changed.defined()) continue;
    check_gradient("backward: a hook gave a gradient", changed, gradient);
    gradient = std::move(changed);
  }
  return gradient;
}

/// What has come of a gradient so far.
class GradientSum {
 public:
  bool defined() const { return total_.defined(); }
  const Tensor& total() const { return total_; }
  void add(const Tensor& gradient) {
    own_ = defined();
    total_ = own_ ? tide::add(total_, gradient) : gradient;
  }
  /// Adds the gradient of the part that a view shows, in place if that can be: the many parts of
  /// one tensor do not become as many tensors of its size. Without a grad function.
  void add_part(const GradFn& view, const Tensor& gradient) {
    if (!own_ || !total_.layout().is_dense()) {
      add(place_part(view.name, gradient, view.edges[0].shape, *view.shown));
      own_ = true;
      return;
    }
    const Tensor part = make_view(total_, *view.shown);
    record_fill(view.name, part, tide::add(part, gradient));
  }

 private:
  Tensor total_;
  bool own_ = false;  ///< no other code holds it
};

/// One backward pass: gradients collect at grad functions, which are taken from the latest to the
/// first.
class BackwardPass {
 public:
  explicit BackwardPass(BackwardOptions options) : options_(options) {}

  /// Wants the gradient of x itself; leaves then keep their `.grad`. Before any `start`.
  void want(const Tensor& x) {
    if (!x.requires_grad()) throw Error("grad: an input does not require a gradient");
    if (const Ref<GradFn> grad_fn = grad_fn_of(x))
      wanted_grad_fns_[grad_fn.get()];
    else
      wanted_leaves_[leaf_body(x)];
    selective_ = true;
  }

  void start(const Tensor& y, const Tensor& dy) {
    Tensor gradient = dy;
    if (!gradient.defined()) {
      if (y.numel() != 1)
        throw ShapeError(
            "backward: expected one value or a gradient of the same shape, got shape " +
            y.shape().text());
      gradient = ones_like_of(y);
    } else if (!(gradient.shape() == y.shape())) {
      throw ShapeError("backward: the gradient's shape " + gradient.shape().text() +
                       " is not the tensor's " + y.shape().text());
    }
    if (!is_floating(y.dtype()))
      throw DTypeError("backward: only floating types have gradients, not " +
                       std::string(name_of(y.dtype())));
    if (const Ref<GradFn> grad_fn = grad_fn_of(y)) {
      if (selective_) find_ways_from(grad_fn);
      sum_of(grad_fn).add(gradient);
    } else if (y.requires_grad()) {
      sum_of(leaf_body(y)).add(gradient);
    } else {
      throw Error(
          "backward: the tensor has no grad function: nothing that it was computed from requires a "
          "gradient");
    }
  }

  void run() {
    while (!pending_.empty()) {
      const auto last = std::prev(pending_.end());
      Pending pending = std::move(last->second);
      pending_.erase(last);
      visit(pending);
    }
    for (LeafGradient& leaf : leaf_gradients_) finish_leaf(leaf);
  }

  Tensor gradient_of(const Tensor& x) const {
    if (const Ref<GradFn> grad_fn = grad_fn_of(x)) return wanted_grad_fns_.at(grad_fn.get());
    return wanted_leaves_.at(leaf_body(x));
  }

 private:
  struct Pending {
    Ref<GradFn> grad_fn;
    GradientSum gradient;
    std::vector<GradientSum> parts;  ///< of a joint grad_fn, in the place of `gradient`
  };

  struct LeafGradient {
    Ref<TensorBody> leaf;
    GradientSum gradient;
  };

  static TensorBody* leaf_body(const Tensor& x) {
    const AutogradState* state = find_autograd_state(x);
    return state && state->alias_of ? state->alias_of.get() : &x.body();
  }

  /// Where the gradient of a grad_fn, or of one result of a joint one, collects.
  GradientSum& sum_of(const Ref<GradFn>& grad_fn, int part = -1) {
    Pending& pending = pending_[grad_fn->number];
    if (!pending.grad_fn) {
      pending.grad_fn = grad_fn;
      pending.parts.resize(static_cast<size_t>(grad_fn->parts));
    }
    return part < 0 ? pending.gradient : pending.parts[static_cast<size_t>(part)];
  }

  /// Notes which ops from here back lead to what is wanted.
  void find_ways_from(const Ref<GradFn>& latest) {
    std::vector<GradFn*> found{latest.get()};
    for (size_t i = 0; i < found.size(); ++i) {
      if (!leads_.try_emplace(found[i], false).second) continue;
      for (const GradFn::Edge& edge : found[i]->edges)
        if (edge.grad_fn) found.push_back(edge.grad_fn.get());
    }
    // What an op was computed from has a lower number.
    std::sort(found.begin(), found.end(),
              [](const GradFn* a, const GradFn* b) { return a->number < b->number; });
    for (GradFn* grad_fn : found)
      leads_[grad_fn] = wanted_grad_fns_.count(grad_fn) > 0 ||
                        std::any_of(grad_fn->edges.begin(), grad_fn->edges.end(),
                                    [&](const GradFn::Edge& edge) { return is_needed(edge); });
  }

  bool is_needed(const GradFn::Edge& edge) const {
    if (!selective_ || !edge.needed()) return edge.needed();
    return edge.grad_fn ? leads_.at(edge.grad_fn.get()) : wanted_leaves_.count(edge.leaf.get()) > 0;
  }

  GradientSum& sum_of(TensorBody* leaf) {
    const auto [place, first] = leaf_places_.try_emplace(leaf, leaf_gradients_.size());
    if (first) leaf_gradients_.push_back({Ref<TensorBody>(leaf), {}});
    return leaf_gradients_[place->second].gradient;
  }

  GradientSum& sum_of(const GradFn::Edge& edge) {
    return edge.grad_fn ? sum_of(edge.grad_fn, edge.part) : sum_of(edge.leaf.get());
  }

  void visit(Pending& pending) {
    GradFn& grad_fn = *pending.grad_fn;
    const Tensor gradient =
        grad_fn.parts ? Tensor() : with_hooks(grad_fn.hooks, pending.gradient.total());
    if (const auto wanted = wanted_grad_fns_.find(&grad_fn); wanted != wanted_grad_fns_.end())
      wanted->second = gradient;
    if (grad_fn.retained) Tensor(Ref<TensorBody>(grad_fn.retained)).set_grad(snapshot(gradient));
    if (grad_fn.released)
      throw Error(std::string("backward: the graph was used and released already (") +
                  grad_fn.name + "); give the first backward {retain_graph = true}");
    std::unique_ptr<bool[]> needed(new bool[grad_fn.edges.size()]);
    bool any = false;
    for (size_t i = 0; i < grad_fn.edges.size(); ++i)
      any = (needed[i] = is_needed(grad_fn.edges[i])) || any;
    if (!any) return;  // the gradient that is wanted is this one
    std::vector<Tensor> parts;
    parts.reserve(pending.parts.size());
    for (const GradientSum& part : pending.parts) parts.push_back(part.total());
    GradientCall call{gradient, {}, {needed.get(), grad_fn.edges.size()}, parts};
    if (grad_fn.uses_y) {
      call.y = snapshot(*grad_fn.y);
      if (options_.create_graph) autograd_state(call.y).grad_fn = &grad_fn;
    }
    const CallSite site = current_call_site();
    set_call_site(grad_fn.site);
    std::vector<Tensor> results;
    if (grad_fn.shown && !options_.create_graph) {
      if (needed[0]) sum_of(grad_fn.edges[0]).add_part(grad_fn, gradient);
    } else {
      results = grad_fn.gradient(call);
    }
    set_call_site(site);
    if (detects_anomalies) check_finite(grad_fn, call, results);
    if (!options_.retain_graph && !options_.create_graph && !grad_fn.reusable) {
      grad_fn.released = true;
      grad_fn.gradient = nullptr;
      grad_fn.y.reset();
    }
    for (size_t i = 0; i < grad_fn.edges.size() && i < results.size(); ++i) {
      const GradFn::Edge& edge = grad_fn.edges[i];
      if (!needed[i] || !results[i].defined()) continue;
      fit_to(edge, grad_fn, results[i]);
      sum_of(edge).add(results[i]);
    }
  }

  /// Throws if a gradient is not finite though those that it was computed from are.
  static void check_finite(const GradFn& grad_fn, const GradientCall& call,
                           const std::vector<Tensor>& results) {
    const auto finite = [](const Tensor& x) { return !x.defined() || all_finite(x); };
    if (std::all_of(results.begin(), results.end(), finite)) return;
    if (!finite(call.dy) || !std::all_of(call.parts.begin(), call.parts.end(), finite)) return;
    throw Error(std::string("detect_anomaly: the gradient of ") + grad_fn.name +
                " contains nan or infinity; computed for " + grad_fn.site.file + ":" +
                std::to_string(grad_fn.site.line));
  }

  /// Gives a gradient the type and device of the input that it belongs to.
  static void fit_to(const GradFn::Edge& edge, const GradFn& grad_fn, Tensor& result) {
    if (!(result.shape() == edge.shape))
      throw InternalError(std::string("the gradient of ") + grad_fn.name + " has the shape " +
                          result.shape().text() + " instead of " + edge.shape.text());
    if (result.dtype() != edge.type) result = convert(result, edge.type);
    if (!(result.device() == edge.device)) result = record_transfer(result, edge.device);
  }

  void finish_leaf(LeafGradient& leaf) {
    const Tensor x(leaf.leaf);
    const Tensor gradient =
        with_hooks(find_autograd_state(Tensor(leaf.leaf))->hooks, leaf.gradient.total());
    if (selective_) {
      if (const auto wanted = wanted_leaves_.find(leaf.leaf.get()); wanted != wanted_leaves_.end())
        wanted->second = gradient;
      return;
    }
    const Tensor old = x.grad();
    const MemoryFormat format =
        x.layout().is_channels_last() ? MemoryFormat::channels_last : MemoryFormat::contiguous;
    if (options_.create_graph)
      x.set_grad(old.defined() ? add(old, gradient) : in_format(gradient, format));
    else if (old.defined())
      record_fill("backward", old, add(old, gradient));
    else
      x.set_grad(snapshot(in_format(gradient, format)));
  }

  BackwardOptions options_;
  bool selective_ = false;
  std::map<uint64_t, Pending> pending_;       ///< by the number of the grad function
  std::vector<LeafGradient> leaf_gradients_;  ///< in the order of their first gradients
  std::unordered_map<TensorBody*, size_t> leaf_places_;
  std::unordered_map<const GradFn*, bool> leads_;  ///< to what is wanted
  std::map<const GradFn*, Tensor> wanted_grad_fns_;
  std::map<TensorBody*, Tensor> wanted_leaves_;
};

}  // namespace

bool anomaly_detection() { return detects_anomalies; }

void set_anomaly_detection(bool on) { detects_anomalies = on; }

bool all_finite(const Tensor& x) {
  if (!is_floating(x.dtype())) return true;
  const GradientMode off(false);
  bool finite;
  all(isfinite(x)).read(&finite, "detect_anomaly");
  return finite;
}

void backward(const Tensor& y, const Tensor& dy, BackwardOptions options) {
  const GradientMode mode(options.create_graph);
  BackwardPass pass(options);
  pass.start(y, dy);
  engine::flush("backward");
  pass.run();
  engine::flush("backward");
}

std::vector<Tensor> gradients(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                              std::span<const Tensor> weights, BackwardOptions options,
                              bool allow_unused) {
  if (!weights.empty() && weights.size() != outputs.size())
    throw Error("grad: " + std::to_string(outputs.size()) + " outputs, but " +
                std::to_string(weights.size()) + " gradients for them");
  const GradientMode mode(options.create_graph);
  BackwardPass pass(options);
  for (const Tensor& x : inputs) pass.want(x);
  for (size_t i = 0; i < outputs.size(); ++i)
    pass.start(outputs[i], weights.empty() ? Tensor() : weights[i]);
  engine::flush("grad");
  pass.run();
  std::vector<Tensor> results;
  for (const Tensor& x : inputs) {
    results.push_back(pass.gradient_of(x));
    if (!results.back().defined() && !allow_unused)
      throw Error("grad: the outputs do not depend on input " + std::to_string(results.size()));
  }
  engine::flush("grad");
  return results;
}

}  // namespace tide
