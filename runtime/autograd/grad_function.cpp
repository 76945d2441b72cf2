#include "runtime/autograd/grad_function.h"

#include <cctype>

#include "runtime/autograd/autograd_state.h"

namespace tide {

struct GradFunction::State {
  Ref<GradFn> grad_fn;  ///< null: a leaf
  Tensor leaf;
};

namespace {

/// The grad functions of the results of one op stand before a joint one, which has the op's inputs.
const GradFn::Edge* joint_edge(const GradFn& grad_fn) {
  const bool is_part = grad_fn.edges.size() == 1 && grad_fn.edges[0].part >= 0;
  return is_part ? &grad_fn.edges[0] : nullptr;
}

/// "index_select" -> "IndexSelect".
std::string in_camel_case(std::string_view name) {
  std::string result;
  bool upper = true;
  for (const char c : name) {
    if (c == '_' || c == ' ' || c == '.') {
      upper = true;
      continue;
    }
    const auto letter = static_cast<unsigned char>(c);
    result += static_cast<char>(upper ? std::toupper(letter) : letter);
    upper = false;
  }
  return result;
}

}  // namespace

GradFunction::GradFunction(State state) : state_(std::make_shared<const State>(std::move(state))) {}

std::optional<GradFunction> GradFunction::of(const Tensor& x) {
  Ref<GradFn> grad_fn = grad_fn_of(x);
  if (!grad_fn) return std::nullopt;
  return GradFunction(State{std::move(grad_fn), Tensor()});
}

std::string GradFunction::name() const {
  if (!state_->grad_fn) return "AccumulateGrad";
  return in_camel_case(state_->grad_fn->name) + "Backward";
}

CallSite GradFunction::site() const { return state_->grad_fn ? state_->grad_fn->site : CallSite(); }

Tensor GradFunction::variable() const { return state_->leaf; }

std::vector<GradFunction::Input> GradFunction::inputs() const {
  std::vector<Input> inputs;
  if (!state_->grad_fn) return inputs;
  const GradFn::Edge* joint = joint_edge(*state_->grad_fn);
  const GradFn& op = joint ? *joint->grad_fn : *state_->grad_fn;
  for (const GradFn::Edge& edge : op.edges) {
    Input input;
    if (edge.grad_fn) {
      const GradFn::Edge* part = joint_edge(*edge.grad_fn);
      input = {GradFunction(State{edge.grad_fn, Tensor()}), part ? part->part : 0};
    } else if (edge.leaf) {
      input.function = GradFunction(State{{}, Tensor(edge.leaf)});
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

bool operator==(const GradFunction& a, const GradFunction& b) {
  return a.state_->grad_fn == b.state_->grad_fn && a.state_->leaf == b.state_->leaf;
}

}  // namespace tide
