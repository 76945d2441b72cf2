#include "runtime/cuda/launch/launch_graphs.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "runtime/core/environment.h"
#include "runtime/profile/recorder.h"

namespace tide::cuda {
namespace {

/// Kernels that are worth a graph, and runs of their plan before it gets one.
constexpr size_t kFewestKernels = 4;
constexpr int kRunsBefore = 2;
/// Plans that are remembered. A graph's node takes some kilobytes of the host and the device.
constexpr size_t kMostCourses = 256;
/// How often a plan may come with other kernels than before (an address that is less aligned).
constexpr int kMostRebuilt = 4;

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

LaunchGraphs::LaunchGraphs(Stream stream)
    : stream_(stream), enabled_(environment_flag(Variable::cuda_graphs, true)) {}

LaunchGraphs::Part& LaunchGraphs::Part::operator=(Part&& other) noexcept {
  std::swap(graph, other.graph);
  std::swap(executable, other.executable);
  nodes.swap(other.nodes);
  std::swap(list, other.list);
  return *this;
}

LaunchGraphs::Part::~Part() {
  // One that is still running ends first; the driver sees to that.
  if (executable) driver().graph_executable_destroy(executable);
  if (graph) driver().graph_destroy(graph);
}

void LaunchGraphs::List::clear() {
  launches.clear();
  words.clear();
}

/// None for a plan that is not worth it.
LaunchGraphs::Course* LaunchGraphs::course_of(const PlanInfo& plan) {
  if (plan.kernels_in_a_row < kFewestKernels) return nullptr;
  const auto found = courses_.find(plan.number);
  if (found != courses_.end()) return &found->second;
  if (courses_.size() >= kMostCourses) forget_oldest();
  return &courses_[plan.number];
}

void LaunchGraphs::forget_oldest() {
  courses_.erase(std::min_element(courses_.begin(), courses_.end(),
                                  [](auto& a, auto& b) { return a.second.used < b.second.used; }));
}

void LaunchGraphs::begin(const PlanInfo& plan) {
  if (!enabled_) return;
  Course* course = course_of(plan);
  if (!course || course->cancelled) return;
  course->used = ++clock_;
  if (course->runs++ < kRunsBefore) return;
  course_ = course;
  part_ = 0;
}

void LaunchGraphs::launch(const KernelShape& kernel, std::span<const uint64_t> words) {
  if (profile::is_on()) [[unlikely]]
    note(kernel);
  const LaunchShape& shape = kernel.shape;
  if (course_) {
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
  if (!course_->cancelled && waiting_.launches.size() >= kFewestKernels) {
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
  course_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Runs what waits as a graph; false if this plan is not to have one.
bool LaunchGraphs::replay() {
  if (part_ == course_->parts.size()) course_->parts.emplace_back();
  Part& part = course_->parts[part_++];
  const bool same =
      std::equal(part.list.launches.begin(), part.list.launches.end(), waiting_.launches.begin(),
                 waiting_.launches.end(), [](const Launch& before, const Launch& now) {
                   return before.function == now.function && before.count == now.count;
                 });
  if (same) {
    update(part);
  } else {
    if (part.executable && ++course_->rebuilt > kMostRebuilt) {
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

/// Makes the part a chain of the kernels that wait.
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

/// Sets the nodes whose arguments or grid are not those of the last run.
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
  Course* const course = std::exchange(course_, nullptr);  // at once, now
  try {
    for (const Launch& one : waiting_.launches)
      launch({one.function, one.shape}, {waiting_.words.data() + one.first, one.count});
  } catch (const Error&) {
    if (!failure_) failure_ = std::current_exception();
  }
  course_ = course;
}

/// The plan's kernels are launched one by one from now on.
void LaunchGraphs::give_up(const char* reason) {
  course_->cancelled = true;
  course_->parts.clear();
  if (environment_flag(Variable::log))
    std::fprintf(stderr, "tide: cuda: no graph for a window of %zu kernels any more: %s\n",
                 waiting_.launches.size(), reason);
}

}  // namespace tide::cuda
