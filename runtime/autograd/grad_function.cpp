#include "runtime/autograd/grad_function.h"

#include <cctype>

#include "runtime/tensor/body.h"

namespace tide {

struct GradFunction::State {
  Ref<History> history;  ///< null: a leaf
  Tensor leaf;
};

namespace {

/// The histories of the results of one op stand before a joint one, which has the op's inputs.
const History::Edge* joint_edge(const History& history) {
  const bool is_part = history.edges.size() == 1 && history.edges[0].part >= 0;
  return is_part ? &history.edges[0] : nullptr;
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
  Ref<History> history = history_of(x);
  if (!history) return std::nullopt;
  return GradFunction(State{std::move(history), Tensor()});
}

std::string GradFunction::name() const {
  if (!state_->history) return "AccumulateGrad";
  return in_camel_case(state_->history->name) + "Backward";
}

CallSite GradFunction::site() const { return state_->history ? state_->history->site : CallSite(); }

Tensor GradFunction::variable() const { return state_->leaf; }

std::vector<GradFunction::Input> GradFunction::inputs() const {
  std::vector<Input> inputs;
  if (!state_->history) return inputs;
  const History::Edge* joint = joint_edge(*state_->history);
  const History& op = joint ? *joint->history : *state_->history;
  for (const History::Edge& edge : op.edges) {
    Input input;
    if (edge.history) {
      const History::Edge* part = joint_edge(*edge.history);
      input = {GradFunction(State{edge.history, Tensor()}), part ? part->part : 0};
    } else if (edge.leaf) {
      input.function = GradFunction(State{{}, Tensor(edge.leaf)});
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

bool operator==(const GradFunction& a, const GradFunction& b) {
  return a.state_->history == b.state_->history && a.state_->leaf == b.state_->leaf;
}

}  // namespace tide
