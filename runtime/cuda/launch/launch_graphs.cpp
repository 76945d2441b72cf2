#include "runtime/cuda/launch/launch_graphs.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/os/environment.h"
#include "runtime/profile/recorder.h"

namespace tide::cuda {
namespace {

/// The minimum number of kernels for a graph, and the runs of their plan before it gets one.
constexpr size_t kMinKernels = 4;
constexpr int kRunsBeforeGraph = 2;
/// The maximum number of plans with graphs. A node takes a few KB of host and device memory.
constexpr size_t kMaxPlans = 256;
/// How often a plan's kernels may change (because an address is less aligned, for example).
constexpr int kMaxRebuilds = 4;

KernelNode node_of(Function function, LaunchShape shape, void** parameters) {
  KernelNode node{};
  node.function = function;
  node.grid_x = shape.blocks;
  node.grid_y = node.grid_z = 1;
  node.block_x = shape.threads;
  node.block_y = node.block_z = 1;
  node.shared_bytes = shape.shared_bytes;
  node.parameters = parameters;
  return node;
}

}  // namespace

LaunchGraphs::LaunchGraphs(CudaStream stream)
    : stream_(stream), enabled_(environment_flag(Variable::cuda_graphs, true)) {}

LaunchGraphs::Part& LaunchGraphs::Part::operator=(Part&& other) noexcept {
  std::swap(graph, other.graph);
  std::swap(executable, other.executable);
  nodes.swap(other.nodes);
  std::swap(list, other.list);
  return *this;
}

LaunchGraphs::Part::~Part() {
  // The driver waits for a graph that is still running.
  if (executable) driver().graph_executable_destroy(executable);
  if (graph) driver().graph_destroy(graph);
}

void LaunchGraphs::List::clear() {
  launches.clear();
  words.clear();
}

/// Null for a plan with too few kernels.
LaunchGraphs::PlanGraphs* LaunchGraphs::graphs_of(const PlanInfo& plan) {
  if (plan.kernels_in_a_row < kMinKernels) return nullptr;
  const auto found = plans_.find(plan.number);
  if (found != plans_.end()) return &found->second;
  if (plans_.size() >= kMaxPlans) evict_oldest();
  return &plans_[plan.number];
}

void LaunchGraphs::evict_oldest() {
  plans_.erase(std::min_element(plans_.begin(), plans_.end(),
                                [](auto& a, auto& b) { return a.second.used < b.second.used; }));
}

void LaunchGraphs::begin(const PlanInfo& plan) {
  if (!enabled_) return;
  PlanGraphs* graphs = graphs_of(plan);
  if (!graphs || graphs->cancelled) return;
  graphs->used = ++clock_;
  if (graphs->runs++ < kRunsBeforeGraph) return;
  current_ = graphs;
  part_ = 0;
}

void LaunchGraphs::launch(const KernelShape& kernel, std::span<const uint64_t> words) {
  if (profile::is_on()) [[unlikely]]
    note(kernel);
  const LaunchShape& shape = kernel.shape;
  if (current_) {
    waiting_.launches.push_back({kernel.function, shape, waiting_.words.size(), words.size()});
    waiting_.words.insert(waiting_.words.end(), words.begin(), words.end());
    return;
  }
  void* parameters[] = {const_cast<uint64_t*>(words.data())};
  check(driver().launch(kernel.function, shape.blocks, 1, 1, shape.threads, 1, 1,
                        shape.shared_bytes, stream_, parameters, nullptr),
        "cuLaunchKernel");
}

void LaunchGraphs::note(const KernelShape& kernel) {
  const auto threads = [](LaunchShape of) { return uint64_t{of.blocks} * of.threads; };
  if (!largest_.function || threads(kernel.shape) > threads(largest_.shape)) largest_ = kernel;
}

void LaunchGraphs::flush() {
  if (waiting_.launches.empty()) return;
  bool done = false;
  if (!current_->cancelled && waiting_.launches.size() >= kMinKernels) {
    try {
      done = replay();
    } catch (const Error& error) {
      give_up(error.what());
    }
  }
  if (!done) launch_waiting();
  waiting_.clear();
}

void LaunchGraphs::end() {
  flush();
  current_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Runs the waiting launches as a graph; false if the plan must not have one.
bool LaunchGraphs::replay() {
  if (part_ == current_->parts.size()) current_->parts.emplace_back();
  Part& part = current_->parts[part_++];
  const bool same =
      std::equal(part.list.launches.begin(), part.list.launches.end(), waiting_.launches.begin(),
                 waiting_.launches.end(), [](const Launch& before, const Launch& now) {
                   return before.function == now.function && before.count == now.count;
                 });
  if (same) {
    update(part);
  } else {
    if (part.executable && ++current_->rebuilt > kMaxRebuilds) {
      give_up("its kernels change");
      return false;
    }
    build(part);
  }
  check(driver().graph_launch(part.executable, stream_), "cuGraphLaunch");
  std::swap(part.list, waiting_);
  ++replays_;
  return true;
}

/// Builds the part's graph as a chain of the waiting kernels.
void LaunchGraphs::build(Part& part) const {
  Part made;
  check(driver().graph_create(&made.graph, 0), "cuGraphCreate");
  for (const Launch& launch : waiting_.launches) {
    void* parameters[] = {const_cast<uint64_t*>(waiting_.words.data() + launch.first)};
    const KernelNode node = node_of(launch.function, launch.shape, parameters);
    const GraphNode before = made.nodes.empty() ? nullptr : made.nodes.back();
    GraphNode added = nullptr;
    check(driver().graph_add_kernel(&added, made.graph, &before, before ? 1 : 0, &node),
          "cuGraphAddKernelNode");
    made.nodes.push_back(added);
  }
  check(driver().graph_instantiate(&made.executable, made.graph, 0), "cuGraphInstantiate");
  part = std::move(made);
}

/// Updates the nodes whose arguments or grid differ from the last run.
void LaunchGraphs::update(Part& part) const {
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    const Launch &before = part.list.launches[i], &now = waiting_.launches[i];
    const uint64_t* words = waiting_.words.data() + now.first;
    if (before.shape == now.shape &&
        std::equal(words, words + now.count, part.list.words.data() + before.first))
      continue;
    void* parameters[] = {const_cast<uint64_t*>(words)};
    const KernelNode node = node_of(now.function, now.shape, parameters);
    check(driver().graph_set_kernel(part.executable, part.nodes[i], &node),
          "cuGraphExecKernelNodeSetParams");
  }
}

void LaunchGraphs::launch_waiting() {
  PlanGraphs* const graphs = std::exchange(current_, nullptr);  // launch immediately
  try {
    for (const Launch& one : waiting_.launches)
      launch({one.function, one.shape}, {waiting_.words.data() + one.first, one.count});
  } catch (const Error&) {
    if (!failure_) failure_ = std::current_exception();
  }
  current_ = graphs;
}

/// From now on, launches the plan's kernels one by one.
void LaunchGraphs::give_up(const char* reason) {
  current_->cancelled = true;
  current_->parts.clear();
  if (environment_flag(Variable::log))
    std::fprintf(stderr, "tide: cuda: a window of %zu kernels no longer uses a graph: %s\n",
                 waiting_.launches.size(), reason);
}

}  // namespace tide::cuda
