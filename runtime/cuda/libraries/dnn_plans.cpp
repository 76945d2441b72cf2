// Makes plans from a graph and the first engine suggested by the heuristics that keeps the rules
// and works on the device.
#include "runtime/cuda/libraries/dnn_plans.h"

#include <algorithm>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/libraries/libraries.h"

namespace tide::cuda {
namespace {

using dnn::Kind;
using dnn::Property;
using dnn::Type;

/// The engines that the heuristics suggest for the graph, best first.
std::vector<DnnDescriptor> suggestions(const DnnDescriptor& graph, int mode) {
  DnnDescriptor heuristics(Kind::heuristics);
  heuristics.set(Property::heuristics_graph, graph);
  heuristics.set(Property::heuristics_mode, Type::heuristics_mode, 1, &mode);
  heuristics.finalize();
  const int64_t count = heuristics.get(Property::heuristics_results, Type::descriptor, 0, nullptr);
  std::vector<DnnDescriptor> choices;
  std::vector<dnn::Descriptor> raw;
  for (int64_t i = 0; i < count; ++i)
    raw.push_back(choices.emplace_back(Kind::engine_choice).raw());
  if (count == 0) return choices;
  const int64_t given =
      heuristics.get(Property::heuristics_results, Type::descriptor, count, raw.data());
  choices.resize(static_cast<size_t>(std::min(given, count)));
  return choices;
}

}  // namespace

DnnNotes::DnnNotes(const DnnDescriptor& choice) {
  DnnDescriptor engine(Kind::engine);
  dnn::Descriptor raw = engine.raw();
  choice.get(Property::choice_engine, Type::descriptor, 1, &raw);  // fills in `engine`
  std::array<int, dnn::kNotes> notes{};
  const int64_t count =
      engine.get(Property::engine_notes, Type::numerical_note, notes.size(), notes.data());
  for (size_t i = 0; i < notes.size() && static_cast<int64_t>(i) < count; ++i)
    if (notes[i] >= 0 && notes[i] < dnn::kNotes) has_[static_cast<size_t>(notes[i])] = true;
}

bool DnnPlans::open() {
  if (tried_) return handle_ != nullptr;
  int status = 0;
  try {
    if (dnn_table()) demand(dnn_table()->create(&handle_), "cudnnCreate");
  } catch (const DnnRefusal& refusal) {
    handle_ = nullptr;
    status = refusal.status;
  }
  if (!handle_) unused_ = reason_without(Library::cudnn, status);
  if (!handle_ && logging()) log(std::string("cuDNN is not used: ") + unused_);
  tried_ = true;
  return handle_ != nullptr;
}

/// A plan from the first suggestion that keeps the rules and works.
std::optional<DnnPlans::Plan> DnnPlans::choose(const DnnProblem& problem,
                                               const DnnDescriptor& graph, int mode) const {
  for (DnnDescriptor& choice : suggestions(graph, mode)) {
    const DnnNotes notes(choice);
    if (notes.is_forbidden() || !problem.allows(notes)) continue;
    try {
      Plan made;
      made.plan = DnnDescriptor(Kind::plan);
      made.plan.set(Property::plan_handle, Type::handle, 1, &handle_);
      made.plan.set(Property::plan_choice, choice);
      made.plan.finalize();
      made.plan.get(Property::plan_workspace, Type::int64, 1, &made.workspace_bytes);
      if (made.workspace_bytes > problem.most_workspace()) continue;
      made.choice = std::move(choice);
      made.possible = true;
      if (!notes.has(dnn::kTensorCore)) made.refusal = problem.words().no_tensor_cores;
      return made;
    } catch (const DnnRefusal&) {
      // A suggestion may not work on this device: try the next one.
    }
  }
  return std::nullopt;
}

DnnPlans::Plan DnnPlans::make_plan(const DnnProblem& problem) const {
  Plan refused;
  refused.refusal = problem.words().no_engine;
  try {
    const DnnDescriptor graph = problem.graph(handle_);
    for (const int mode : {dnn::kHeuristicsA, dnn::kHeuristicsFallback})
      if (auto plan = choose(problem, graph, mode)) return std::move(*plan);
  } catch (const DnnRefusal& refusal) {
    if (logging())
      log(std::string(refusal.call) + " failed with status " + std::to_string(refusal.status));
  }
  return refused;
}

DnnPlans::Plan& DnnPlans::plan(const DnnProblem& problem, const char* refusal) {
  const auto found = plans_.find(problem.key());
  if (found != plans_.end()) return found->second;
  Plan& made = plans_.emplace(problem.key(), make_plan(problem)).first->second;
  if (refusal && made.possible) made.refusal = refusal;
  if (logging() && !made.refusal)
    log(problem.text() + " uses cuDNN");
  else if (logging())
    log(problem.text() + (made.possible ? " uses no Tensor Cores: " : " uses tide's own kernel: ") +
        made.refusal);
  return made;
}

void DnnPlans::execute(const Plan& plan, const DnnMemory& memory, char* workspace,
                       CudaStream stream) const {
  demand(dnn_table()->set_stream(handle_, stream), "cudnnSetStream");
  std::vector<const void*> pointers(memory.addresses.begin(), memory.addresses.end());
  std::vector<int64_t> names(memory.names.begin(), memory.names.end());
  if (memory.temporary_bytes) {
    names.push_back(memory.temporary);
    pointers.push_back(workspace);
    workspace += memory.temporary_bytes;
  }
  DnnDescriptor pack(Kind::variant_pack);
  pack.set(Property::pack_pointers, Type::pointer, static_cast<int64_t>(pointers.size()),
           pointers.data());
  pack.set(Property::pack_ids, names);
  void* const block = plan.workspace_bytes > 0 ? workspace : nullptr;
  pack.set(Property::pack_workspace, Type::pointer, 1, &block);
  pack.finalize();
  demand(dnn_table()->execute(handle_, plan.plan.raw(), pack.raw()), "cudnnBackendExecute");
}

LibraryOutcome DnnPlans::run(const DnnProblem& problem, const char* refusal, const DnnMemory& given,
                             CudaStream stream) {
  if (!open()) return {false, unused_};
  Plan& chosen = plan(problem, refusal);
  if (!chosen.possible) return {false, chosen.refusal};
  constexpr size_t kAligned = 256;
  DnnMemory memory = given;
  memory.temporary_bytes = (memory.temporary_bytes + kAligned - 1) / kAligned * kAligned;
  const size_t bytes = static_cast<size_t>(chosen.workspace_bytes) + memory.temporary_bytes;
  char* workspace = nullptr;
  if (bytes > 0) workspace = static_cast<char*>(workspace_.get(stream, bytes));
  try {
    execute(chosen, memory, workspace, stream);
    return {true, chosen.refusal};
  } catch (const DnnRefusal& refusal) {
    if (is_nearly_full())
      throw LaunchShortage(std::string("out of memory: ") + refusal.call + " failed");
    chosen.possible = false;
    chosen.refusal = problem.words().failed;
    if (logging())
      log(problem.text() + " uses tide's own kernel from now on: " + refusal.call +
          " failed with status " + std::to_string(refusal.status));
    return {false, chosen.refusal};
  }
}

}  // namespace tide::cuda
