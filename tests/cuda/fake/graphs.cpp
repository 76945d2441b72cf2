// Graphs: chains of kernels that one call launches.
#include <map>

#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/errors.h"
#include "tests/cuda/fake/handles.h"
#include "tests/cuda/fake/ptx/module.h"
#include "tests/cuda/fake/settings.h"

namespace fake {

namespace {

/// A node of a graph or of an executable graph.
struct GraphKernel {
  KernelNode node;
  std::vector<std::vector<uint8_t>> parameters;
};
struct FakeGraph {
  std::vector<std::unique_ptr<GraphKernel>> nodes;
};
struct FakeExecutable {
  std::vector<const GraphKernel*> order;
  std::map<const GraphKernel*, GraphKernel> nodes;
};

/// Whether this call must fail, by the settings.
bool is_to_fail(const char* call) {
  static std::atomic<int> calls{0};
  return settings().fail_graph == call && ++calls > settings().fail_graph_after;
}

GraphKernel copied(const KernelNode& node) {
  GraphKernel made{node, {}};
  const Kernel& kernel = *reinterpret_cast<Kernel*>(node.function);
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const auto* from = static_cast<const uint8_t*>(node.parameters[i]);
    made.parameters.emplace_back(from, from + kernel.parameters[i].size);
  }
  return made;
}

std::atomic<int> live{0};

}  // namespace

int live_graphs() { return live; }

Result graph_create(Graph* graph, unsigned) {
  if (const Result error = state()) return error;
  if (is_to_fail("create")) return kOutOfMemory;
  *graph = reinterpret_cast<Graph>(new FakeGraph);
  note_handle(*graph, HandleKind::graph, *current());
  ++live;
  return kSuccess;
}

Result graph_add_kernel(GraphNode* node, Graph graph, const GraphNode* after, size_t after_count,
                        const KernelNode* kernel) {
  owner_of(graph, HandleKind::graph, "cuGraphAddKernelNode");
  owner_of(kernel->function, HandleKind::function, "cuGraphAddKernelNode");
  auto& nodes = reinterpret_cast<FakeGraph*>(graph)->nodes;
  if (is_to_fail("add")) return kInvalidValue;
  // Chains only: each node after the one added last.
  const bool follows =
      nodes.empty() ? after_count == 0
                    : after_count == 1 && *after == reinterpret_cast<GraphNode>(nodes.back().get());
  if (!follows || kernel->extra || !kernel->function) return kInvalidValue;
  nodes.push_back(std::make_unique<GraphKernel>(copied(*kernel)));
  *node = reinterpret_cast<GraphNode>(nodes.back().get());
  return kSuccess;
}

Result graph_instantiate(GraphExec* executable, Graph graph, unsigned long long) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(graph, HandleKind::graph, "cuGraphInstantiate"))
    return error;
  if (is_to_fail("instantiate")) return kOutOfMemory;
  auto made = std::make_unique<FakeExecutable>();
  for (const auto& node : reinterpret_cast<FakeGraph*>(graph)->nodes) {
    made->order.push_back(node.get());
    made->nodes[node.get()] = *node;
  }
  *executable = reinterpret_cast<GraphExec>(made.release());
  note_handle(*executable, HandleKind::executable, *current());
  ++live;
  return kSuccess;
}

Result graph_set_kernel(GraphExec executable, GraphNode node, const KernelNode* kernel) {
  owner_of(executable, HandleKind::executable, "cuGraphExecKernelNodeSetParams");
  owner_of(kernel->function, HandleKind::function, "cuGraphExecKernelNodeSetParams");
  auto& nodes = reinterpret_cast<FakeExecutable*>(executable)->nodes;
  const auto found = nodes.find(reinterpret_cast<const GraphKernel*>(node));
  if (is_to_fail("set") || found == nodes.end()) return kInvalidValue;
  found->second = copied(*kernel);
  return kSuccess;
}

Result graph_launch(GraphExec executable, CudaStream stream) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(executable, HandleKind::executable, "cuGraphLaunch"))
    return error;
  if (is_to_fail("launch")) return kLaunchFailed;
  const auto& all = *reinterpret_cast<const FakeExecutable*>(executable);
  spend_launch();
  for (const GraphKernel* key : all.order) {
    const GraphKernel& kernel = all.nodes.at(key);
    std::vector<void*> parameters;
    for (const auto& bytes : kernel.parameters)
      parameters.push_back(const_cast<uint8_t*>(bytes.data()));
    KernelNode node = kernel.node;
    node.parameters = parameters.data();
    if (const Result error = enqueue_kernel(node, stream)) return error;
  }
  return kSuccess;
}

namespace {

template <class Object, class Handle>
Result destroy(Handle handle, HandleKind kind, const char* call) {
  owner_of(handle, kind, call);
  forget_handle(handle);
  delete reinterpret_cast<Object*>(handle);
  --live;
  return kSuccess;
}

}  // namespace

Result graph_executable_destroy(GraphExec executable) {
  return destroy<FakeExecutable>(executable, HandleKind::executable, "cuGraphExecDestroy");
}

Result graph_destroy(Graph graph) {
  return destroy<FakeGraph>(graph, HandleKind::graph, "cuGraphDestroy");
}

}  // namespace fake
