// Grad functions of tensors, views and saved values.
#include "runtime/autograd/autograd.h"

#include <algorithm>
#include <atomic>

#include "runtime/autograd/autograd_state.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

thread_local bool gradients_enabled = true;
std::atomic<uint64_t> next_number{1};

std::vector<GradFn::Edge> edges_to(std::span<const Tensor> inputs) {
  std::vector<GradFn::Edge> edges;
  edges.reserve(inputs.size());
  for (const Tensor& x : inputs) edges.push_back(edge_to(x));
  return edges;
}

/// Makes `grad_fn` the one of y, whose value it led to. A result that shares no cell with `inputs`
/// is the base of a group of its own: views through which an op filled it, or gave it its shape,
/// belong to a group that knows nothing of this grad function.
void set_grad_fn_of(const Tensor& y, std::span<const Tensor> inputs, Ref<GradFn> grad_fn) {
  AutogradState& state = autograd_state(y);
  const auto shares_cell = [&](const Tensor& x) { return x.body().cell == y.body().cell; };
  if (state.group && std::none_of(inputs.begin(), inputs.end(), shares_cell)) state.group = {};
  state.grad_fn = std::move(grad_fn);
  if (state.group) state.version = state.group->version;
}

bool any_needs_grad_fn(std::span<const Tensor> inputs) {
  return gradients_enabled && std::any_of(inputs.begin(), inputs.end(),
                                          [](const Tensor& x) { return x.requires_grad(); });
}

}  // namespace

TensorBody* leaf_of(const Tensor& x) {
  const AutogradState* state = find_autograd_state(x);
  if (!state || !state->requires_grad) return nullptr;
  return state->alias_of ? state->alias_of.get() : &x.body();
}

GradFn::Edge edge_to(const Tensor& x) {
  GradFn::Edge edge = edge_to(grad_fn_of(x), x.shape(), x.dtype(), x.device());
  if (!edge.grad_fn) edge.leaf = leaf_of(x);
  return edge;
}

GradFn::Edge edge_to(Ref<GradFn> grad_fn, const Shape& shape, DType type, Device device) {
  GradFn::Edge edge;
  edge.grad_fn = std::move(grad_fn);
  edge.shape = shape;
  edge.type = type;
  edge.device = device;
  return edge;
}

Ref<GradFn> new_grad_fn(const char* name, std::vector<GradFn::Edge> edges, const Shape& shape,
                        DType type, Device device) {
  Ref<GradFn> grad_fn = new GradFn;
  grad_fn->name = name;
  grad_fn->site = current_call_site();
  grad_fn->edges = std::move(edges);
  grad_fn->number = next_number.fetch_add(1, std::memory_order_relaxed);
  grad_fn->shape = shape;
  grad_fn->type = type;
  grad_fn->device = device;
  return grad_fn;
}

GradFnGroup& group_of(const Tensor& x) {
  AutogradState& state = autograd_state(x);
  if (!state.group) {
    state.group = new GradFnGroup;
    state.group->base = x.layout();
    state.group->grad_fn = state.grad_fn;
    if (state.requires_grad && !state.alias_of) state.group->leaf = &x.body();
    state.version = 0;
  }
  return *state.group;
}

void GradFn::destroy(GradFn* grad_fn) {
  // What a grad function saved may hold the next one in turn: these wait for the outermost call.
  // Only a pointer outlives that call, for some die while the thread's own objects do.
  thread_local std::vector<GradFn*>* waiting = nullptr;
  if (waiting) return waiting->push_back(grad_fn);
  std::vector<GradFn*> dying;
  waiting = &dying;
  delete grad_fn;
  while (!dying.empty()) {
    GradFn* next = dying.back();
    dying.pop_back();
    delete next;
  }
  waiting = nullptr;
}

AutogradState::~AutogradState() {
  if (group && group->leaf == &body) group->leaf = nullptr;
  if (retained_by && retained_by->retained == &body) retained_by->retained = nullptr;
}

AutogradState& autograd_state(const Tensor& x) {
  std::unique_ptr<Attachment>& attachment = x.body().attachment;
  if (!attachment) attachment = std::make_unique<AutogradState>(x.body());
  return static_cast<AutogradState&>(*attachment);
}

GradientMode::GradientMode(bool on) : previous_(gradients_enabled) { gradients_enabled = on; }
GradientMode::~GradientMode() { gradients_enabled = previous_; }
bool GradientMode::enabled() { return gradients_enabled; }
void GradientMode::set(bool on) { gradients_enabled = on; }

Ref<GradFn> grad_fn_of(const Tensor& x) {
  AutogradState* state = find_autograd_state(x);
  if (!state) return {};
  if (state->group && state->group->version != state->version) {
    const GradFnGroup& group = *state->group;
    state->version = group.version;
    if (!group.grad_fn)
      state->grad_fn = {};
    else if (x.layout() == group.base)
      state->grad_fn = group.grad_fn;
    else
      state->grad_fn = group.grad_fn_of_view(group, x);
  }
  return state->grad_fn;
}

Tensor make_view(const Tensor& x, const Layout& layout) {
  const Tensor view = alias(x, layout);
  if (!is_floating(x.dtype())) return view;
  GradFnGroup& group = group_of(x);
  AutogradState& own = autograd_state(view);
  own.group = &group;
  own.version = group.version;
  return view;
}

Saved::Saved(const Tensor& x) : tensor_(snapshot(x)) {
  Ref<GradFn> grad_fn = grad_fn_of(x);
  TensorBody* leaf = leaf_of(x);
  if (!grad_fn && !leaf) return;
  AutogradState& state = autograd_state(tensor_);
  state.grad_fn = std::move(grad_fn);
  state.requires_grad = leaf != nullptr;
  state.alias_of = leaf;
}

bool needs_grad_fn(const Tensor& x) {
  return gradients_enabled && find_autograd_state(x) && x.requires_grad();
}

void set_grad_fn(const Tensor& y, const char* name, std::span<const Tensor> inputs, bool uses_y,
                 GradientFunction gradient) {
  if (!is_floating(y.dtype()) || !any_needs_grad_fn(inputs)) return;
  Ref<GradFn> grad_fn = new_grad_fn(name, edges_to(inputs), y.shape(), y.dtype(), y.device());
  grad_fn->gradient = std::move(gradient);
  grad_fn->uses_y = uses_y;
  if (uses_y) grad_fn->y = std::make_unique<Tensor>(snapshot(y));
  set_grad_fn_of(y, inputs, std::move(grad_fn));
}

void set_grad_fn(const Tensor& y, const char* name, std::initializer_list<Tensor> inputs,
                 bool uses_y, GradientFunction gradient) {
  set_grad_fn(y, name, std::span(inputs.begin(), inputs.size()), uses_y, std::move(gradient));
}

void set_joint_grad_fn(std::span<const Tensor> results, const char* name,
                       std::span<const Tensor> inputs, bool reusable, GradientFunction gradient) {
  if (!any_needs_grad_fn(inputs)) return;
  const Tensor& first = inputs[0];
  Ref<GradFn> joint = new_grad_fn(name, edges_to(inputs), Shape(), first.dtype(), first.device());
  joint->gradient = std::move(gradient);
  joint->parts = static_cast<int>(results.size());
  joint->reusable = reusable;
  for (size_t k = 0; k < results.size(); ++k) {
    const Tensor& y = results[k];
    if (!y.defined() || !is_floating(y.dtype())) continue;
    GradFn::Edge edge = edge_to(joint, y.shape(), y.dtype(), y.device());
    edge.part = static_cast<int>(k);
    Ref<GradFn> grad_fn = new_grad_fn(name, {std::move(edge)}, y.shape(), y.dtype(), y.device());
    grad_fn->gradient = [](const GradientCall& call) -> std::vector<Tensor> { return {call.dy}; };
    grad_fn->reusable = true;
    set_grad_fn_of(y, inputs, std::move(grad_fn));
  }
}

Tensor detach(const Tensor& x) { return alias(x, x.layout()); }

void check_may_change(const char* name, const Tensor& x) {
  const AutogradState* own = find_autograd_state(x);
  if (!gradients_enabled || !own) return;
  if (leaf_of(x) || (own->group && own->group->leaf))
    throw Error(std::string(name) +
                ": a leaf that requires a gradient cannot be changed in place; use tide.no_grad()");
}

// --- what a tensor says of its grad function
// ----------------------------------------------------------

bool Tensor::requires_grad() const {
  const AutogradState* state = find_autograd_state(*this);
  return state && (state->requires_grad || grad_fn_of(*this));
}

bool Tensor::is_leaf() const { return !grad_fn_of(*this); }

void Tensor::set_requires_grad(bool on) const {
  if (on && !is_floating(dtype()))
    throw DTypeError("requires_grad: only floating types have gradients, not " +
                     std::string(name_of(dtype())));
  if (grad_fn_of(*this)) {
    if (on) return;
    throw Error(
        "requires_grad: only a leaf can change this; use detach() to leave the grad function");
  }
  AutogradState& state = autograd_state(*this);
  state.requires_grad = on;
  if (state.group && state.group->base == layout()) state.group->leaf = on ? body_.get() : nullptr;
}

Tensor Tensor::grad() const {
  const AutogradState* state = find_autograd_state(*this);
  return state ? state->grad : Tensor();
}

void check_gradient(const char* what, const Tensor& gradient, const Tensor& x) {
  const std::string given(what);
  if (!(gradient.shape() == x.shape()))
    throw ShapeError(given + " of shape " + gradient.shape().text() + " in place of " +
                     x.shape().text());
  if (gradient.dtype() != x.dtype())
    throw DTypeError(given + " of type " + std::string(name_of(gradient.dtype())) +
                     " in place of " + std::string(name_of(x.dtype())));
  if (!(gradient.device() == x.device()))
    throw DeviceError(given + " on " + gradient.device().name() + " in place of " +
                      x.device().name());
}

void Tensor::set_grad(const Tensor& grad) const {
  if (grad.defined()) {
    check_gradient("grad: a gradient", grad, *this);
    // Such a ring would keep itself alive.
    for (Tensor next = grad; next.defined(); next = next.grad())
      if (next == *this)
        throw Error("grad: a tensor cannot be its own gradient, nor that of its gradient");
  } else if (!find_autograd_state(*this)) {
    return;
  }
  autograd_state(*this).grad = grad;
}

void Tensor::set_data(const Tensor& value) const {
  if (requires_grad() && !is_floating(value.dtype()))
    throw DTypeError("data: a tensor that requires a gradient is floating, got " +
                     std::string(name_of(value.dtype())));
  body_->cell = value.body_->cell;
  body_->layout = value.body_->layout;
  if (AutogradState* state = find_autograd_state(*this))
    state->group = nullptr;  // its views stay with the old elements
}

size_t register_hook(const Tensor& x, std::function<Tensor(const Tensor&)> hook) {
  if (!x.requires_grad()) throw Error("register_hook: the tensor does not require a gradient");
  const Ref<GradFn> grad_fn = grad_fn_of(x);
  Hooks& hooks = grad_fn ? grad_fn->hooks : autograd_state(x).hooks;
  hooks.push_back(std::move(hook));
  return hooks.size() - 1;
}

void remove_hook(const Tensor& x, size_t number) {
  const Ref<GradFn> grad_fn = grad_fn_of(x);
  if (!grad_fn && !find_autograd_state(x)) return;
  Hooks& hooks = grad_fn ? grad_fn->hooks : find_autograd_state(x)->hooks;
  if (number < hooks.size()) hooks[number] = nullptr;
}

void retain_grad(const Tensor& x) {
  if (!x.requires_grad()) throw Error("retain_grad: the tensor does not require a gradient");
  const Ref<GradFn> grad_fn = grad_fn_of(x);
  if (!grad_fn) return;  // a leaf keeps its gradient anyway
  grad_fn->retained = &x.body();
  autograd_state(x).retained_by = grad_fn;
}

bool retains_grad(const Tensor& x) {
  const Ref<GradFn> grad_fn = grad_fn_of(x);
  return grad_fn && grad_fn->retained == &x.body();
}

bool share_elements(const Tensor& a, const Tensor& b) { return a.body().cell == b.body().cell; }

}  // namespace tide
