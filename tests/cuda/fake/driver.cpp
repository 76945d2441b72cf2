// A libcuda.so.1 for tests: the driver's entry points over host memory and a PTX interpreter.
//
// It keeps to what the real driver promises and no more: copies from pinned memory read it when the
// stream comes to them, new memory is not zero, kernels see memory of their own device only, and
// a failed kernel makes its context unusable.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "tests/cuda/fake/attributes.h"
#include "tests/cuda/fake/device.h"
#include "tests/cuda/fake/errors.h"
#include "tests/cuda/fake/ptx_machine.h"
#include "tests/cuda/fake/settings.h"

namespace fake {
namespace {

using namespace tide::cuda;

std::vector<std::unique_ptr<Device>>& devices() {
  static auto& all = *new std::vector<std::unique_ptr<Device>>;
  return all;
}

thread_local Device* current = nullptr;

/// How often a thread of the host was made to wait for a stream or an event.
std::atomic<int64_t> waits{0};

StreamThread& thread_of(Stream stream) { return *reinterpret_cast<StreamThread*>(stream); }
EventMark& mark_of(Event event) { return *reinterpret_cast<EventMark*>(event); }

struct LoadedKernel {
  const Kernel* kernel;
};

/// The error of the calling thread's device, if its context cannot be used.
Result state() {
  if (devices().empty()) return kNotInitialized;
  return current ? current->lost.load() : kInvalidContext;
}

int capability_of(int ordinal) {
  return ordinal == settings().old_device ? 61 : settings().capability;
}

Result init(unsigned) {
  if (settings().init_error) return settings().init_error;
  if (settings().devices == 0) return kNoDevice;
  if (!devices().empty()) return kSuccess;
  if (settings().count_waits)
    std::atexit([] { std::fprintf(stderr, "fake driver: %ld waits\n", static_cast<long>(waits)); });
  for (int i = 0; i < settings().devices; ++i) {
    devices().push_back(std::make_unique<Device>());
    devices().back()->ordinal = i;
    devices().back()->holders = settings().other_holders;
  }
  return kSuccess;
}

Result device_count(int* count) {
  *count = static_cast<int>(devices().size());
  return devices().empty() ? kNotInitialized : kSuccess;
}

bool is_device(DeviceOrdinal device) {
  return device >= 0 && device < static_cast<int>(devices().size());
}

Result device_get(DeviceOrdinal* device, int ordinal) {
  *device = ordinal;
  return is_device(ordinal) ? kSuccess : kInvalidDevice;
}

Result device_name(char* name, int size, DeviceOrdinal device) {
  if (!is_device(device)) return kInvalidDevice;
  std::snprintf(name, static_cast<size_t>(size), "Fake GPU %d", device);
  return kSuccess;
}

Result device_attribute(int* value, Attribute which, DeviceOrdinal device) {
  if (!is_device(device)) return kInvalidDevice;
  *value = attribute_of(which, device, capability_of(device));
  return kSuccess;
}

Result device_memory(size_t* bytes, DeviceOrdinal device) {
  *bytes = settings().memory;
  return is_device(device) ? kSuccess : kInvalidDevice;
}

Result context_retain(Context* context, DeviceOrdinal device) {
  if (!is_device(device)) return kInvalidDevice;
  Device& retained = *devices()[static_cast<size_t>(device)];
  if (settings().lost_for_good && retained.lost) return kLaunchFailed;
  std::lock_guard lock(retained.context_mutex);
  ++retained.holders;
  *context = reinterpret_cast<Context>(&retained);
  return kSuccess;
}

/// The context is destroyed with its last holder.
Result context_release(DeviceOrdinal number) {
  if (!is_device(number)) return kInvalidDevice;
  Device& device = *devices()[static_cast<size_t>(number)];
  {
    std::lock_guard lock(device.context_mutex);
    if (device.holders == settings().other_holders) return kInvalidContext;
    if (--device.holders > 0) return device.lost;
  }
  const Result lost = device.lost;
  if (!settings().lost_for_good) device.reset();
  return lost;
}

Result context_state(DeviceOrdinal number, unsigned* flags, int* active) {
  if (!is_device(number)) return kInvalidDevice;
  *flags = 0;
  *active = devices()[static_cast<size_t>(number)]->holders > 0;
  return kSuccess;
}

Result context_use(Context context) {
  current = reinterpret_cast<Device*>(context);
  return kSuccess;
}

Result memory_info(size_t* available, size_t* total) {
  if (const Result error = state()) return error;
  *total = settings().memory;
  *available = *total - current->memory.total();
  return kSuccess;
}

Result allocate(DevicePointer* data, size_t bytes) {
  if (const Result error = state()) return error;
  if (bytes == 0) return kInvalidValue;
  void* block = current->memory.allocate(bytes, settings().memory);
  *data = reinterpret_cast<DevicePointer>(block);
  return block ? kSuccess : kOutOfMemory;
}

Result release(DevicePointer data) {
  if (const Result error = state()) return error;
  for (const auto& device : devices())
    if (device->memory.release(data)) return kSuccess;
  return kInvalidValue;
}

Result host_allocate(void** data, size_t bytes, unsigned) {
  if (const Result error = state()) return error;
  *data = pinned().allocate(bytes, SIZE_MAX);
  return *data ? kSuccess : kOutOfMemory;
}

Result host_register(void* data, size_t bytes, unsigned) {
  if (const Result error = state()) return error;
  const auto address = reinterpret_cast<uint64_t>(data);
  const std::lock_guard lock(current->context_mutex);
  if (!pinned().add(address, bytes)) return kAlreadyRegistered;
  current->registered.insert(address);
  return kSuccess;
}

Result host_unregister(void* data) {
  const auto address = reinterpret_cast<uint64_t>(data);
  const std::lock_guard lock(current->context_mutex);
  current->registered.erase(address);
  return pinned().remove(address) ? kSuccess : kInvalidValue;
}

Result host_release(void* data) {
  return pinned().release(reinterpret_cast<uint64_t>(data)) ? kSuccess : kInvalidValue;
}

/// Whether the memory is some device's.
bool is_on_device(uint64_t address) {
  return std::any_of(devices().begin(), devices().end(),
                     [&](const auto& device) { return device->memory.find(address).has_value(); });
}

bool may_copy(uint64_t address, size_t bytes) {
  for (const auto& device : devices())
    if (device->memory.find(address)) return device->owns(address, bytes);
  return true;
}

Result copy(DevicePointer to, DevicePointer from, size_t bytes, Stream stream) {
  static std::atomic<int64_t> copies{0};
  if (const Result error = state()) return error;
  if (bytes == 0) return kSuccess;
  if (!may_copy(to, bytes) || !may_copy(from, bytes)) return kInvalidValue;
  if (++copies == settings().fail_copy) return kLaunchFailed;
  const auto move = [to, from, bytes] {
    std::memcpy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes);
  };
  const auto pageable = [](uint64_t address) {
    return !is_on_device(address) && !pinned().find(address);
  };
  if (settings().pinned_only && (pageable(from) || pageable(to))) return kInvalidValue;
  if (pageable(from)) {
    const auto* start = reinterpret_cast<const uint8_t*>(from);
    auto staged = std::make_shared<std::vector<uint8_t>>(start, start + bytes);
    thread_of(stream).enqueue(
        [staged, to] { std::memcpy(reinterpret_cast<void*>(to), staged->data(), staged->size()); });
    return kSuccess;
  }
  thread_of(stream).enqueue(move);
  if (pageable(to)) thread_of(stream).synchronize();
  return state();
}

Result copy_to_device(DevicePointer to, const void* from, size_t bytes, Stream stream) {
  if (bytes && !is_on_device(to)) return kInvalidValue;
  return copy(to, reinterpret_cast<uint64_t>(from), bytes, stream);
}

Result copy_to_host(void* to, DevicePointer from, size_t bytes, Stream stream) {
  if (bytes && !is_on_device(from)) return kInvalidValue;
  return copy(reinterpret_cast<uint64_t>(to), from, bytes, stream);
}

Result copy_within(DevicePointer to, DevicePointer from, size_t bytes, Stream stream) {
  if (bytes && (!is_on_device(from) || !is_on_device(to))) return kInvalidValue;
  return copy(to, from, bytes, stream);
}

Result fill_words(DevicePointer to, unsigned value, size_t count, Stream stream) {
  if (const Result error = state()) return error;
  if (!is_on_device(to) || !may_copy(to, 4 * count)) return kInvalidValue;
  thread_of(stream).enqueue([=] { std::fill_n(reinterpret_cast<unsigned*>(to), count, value); });
  return kSuccess;
}

Result stream_create(Stream* stream, unsigned) {
  if (const Result error = state()) return error;
  *stream = reinterpret_cast<Stream>(new StreamThread(*current));
  return kSuccess;
}

Result stream_synchronize(Stream stream) {
  ++waits;
  thread_of(stream).synchronize();
  return thread_of(stream).device().lost;
}

Result stream_wait(Stream stream, Event event, unsigned) {
  mark_of(event).hold(thread_of(stream));
  return state();
}

bool is_event_to_fail(const char* call) {
  static std::atomic<int> calls{0};
  return settings().fail_event == call && ++calls == settings().fail_event_call;
}

Result event_create(Event* event, unsigned flags) {
  if (is_event_to_fail("create")) return kOutOfMemory;
  *event = reinterpret_cast<Event>(new EventMark(!(flags & kEventNoTiming)));
  return state();
}

Result event_record(Event event, Stream stream) {
  if (const Result error = state()) return error;
  if (&thread_of(stream).device() != current) return kInvalidHandle;
  if (is_event_to_fail("record")) return kOutOfMemory;
  mark_of(event).record(thread_of(stream));
  return kSuccess;
}

Result event_query(Event event) {
  const bool reached = mark_of(event).reached();
  if (const Result error = state()) return error;
  if (is_event_to_fail("query")) return kOutOfMemory;
  return reached ? kSuccess : kNotReady;
}

Result event_synchronize(Event event) {
  ++waits;
  mark_of(event).wait();
  return state();
}

Result event_elapsed(float* milliseconds, Event from, Event to) {
  if (const Result error = state()) return error;
  if (!mark_of(from).reached() || !mark_of(to).reached()) return kNotReady;
  if (!mark_of(from).is_timed || !mark_of(to).is_timed) return kInvalidHandle;
  const std::chrono::duration<float, std::milli> passed = mark_of(to).time() - mark_of(from).time();
  *milliseconds = passed.count();
  return kSuccess;
}

Result event_destroy(Event event) {
  delete &mark_of(event);
  return kSuccess;
}

Result host_function(Stream stream, HostFunction function, void* data) {
  if (const Result error = state()) return error;
  thread_of(stream).enqueue([=] { function(data); });
  return kSuccess;
}

Result module_load(Module* module, const void* image, unsigned count, int* options, void** values) {
  if (const Result error = state()) return error;
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) == 0)
    return kNoBinary;  // machine code is of no use here
  try {
    auto loaded = std::make_unique<PtxModule>(static_cast<const char*>(image));
    if (loaded->version() > (settings().version >= 13000 ? 90 : 85)) return kPtxTooNew;
    if (loaded->target() > capability_of(current->ordinal)) return kNoBinary;
    *module = reinterpret_cast<Module>(loaded.release());
    return kSuccess;
  } catch (const std::exception& error) {
    char* log = nullptr;
    size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == kJitErrorBuffer) log = static_cast<char*>(values[i]);
      if (options[i] == kJitErrorBufferBytes) size = reinterpret_cast<size_t>(values[i]);
    }
    if (log && size) std::snprintf(log, size, "%s", error.what());
    return kInvalidPtx;
  }
}

Result module_function(Function* function, Module module, const char* name) {
  const Kernel* kernel = reinterpret_cast<PtxModule*>(module)->find(name);
  *function = reinterpret_cast<Function>(const_cast<Kernel*>(kernel));
  return kernel ? kSuccess : kNotFound;
}

Result function_attribute(int* value, int which, Function function) {
  const Kernel* kernel = reinterpret_cast<Kernel*>(function);
  *value = which == kFunctionLocalBytes ? static_cast<int>(kernel->local_bytes) : 32;
  return kSuccess;
}

/// A kernel may be launched with more than 48 KB of shared memory only after this.
Result set_function_attribute(Function function, int which, int value) {
  if (const Result error = state()) return error;
  auto& kernel = *reinterpret_cast<Kernel*>(function);
  const int most =
      attribute_of(kSharedMemoryPerBlockOptIn, current->ordinal, capability_of(current->ordinal));
  if (which != kFunctionMostShared || value < 0 ||
      static_cast<int>(kernel.shared_bytes) + value > most)
    return kInvalidValue;
  kernel.most_dynamic = static_cast<uint32_t>(value);
  return kSuccess;
}

/// As if nothing but threads and shared memory limited a multiprocessor, which holds 2048 and 228
/// KB.
Result resident_blocks(int* blocks, Function function, int threads, size_t shared_bytes) {
  if (const Result error = state()) return error;
  if (threads < 1 || threads > 1024) return kInvalidValue;
  const Kernel& kernel = *reinterpret_cast<Kernel*>(function);
  const size_t shared = std::max<size_t>(kernel.shared_bytes + shared_bytes, 1);
  *blocks =
      static_cast<int>(std::min<size_t>(2048 / static_cast<size_t>(threads), (228 << 10) / shared));
  if (settings().resident_blocks) *blocks = settings().resident_blocks;
  return kSuccess;
}

Result potential_block(int* grid, int* block, Function function, SharedBytes shared_bytes_of,
                       size_t shared_bytes, int most_threads) {
  if (const Result error = state()) return error;
  if (shared_bytes_of || most_threads < 0) return kInvalidValue;
  *block = most_threads ? std::min(most_threads, 1024) : 1024;
  if (settings().block_threads) *block = std::min(*block, settings().block_threads);
  int resident = 0;
  const Result result = resident_blocks(&resident, function, *block, shared_bytes);
  *grid = 4 * resident;
  return result;
}

Result launch(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
              Stream stream, void** parameters, void** extra) {
  if (const Result error = state()) return error;
  const Kernel& kernel = *reinterpret_cast<Kernel*>(function);
  const uint64_t threads = uint64_t{block_x} * block_y * block_z;
  if (extra || !grid_x || !grid_y || !grid_z || !threads || threads > 1024 || grid_y > 65535 ||
      grid_z > 65535 ||
      shared_bytes > std::max(kernel.most_dynamic, (48u << 10) - kernel.shared_bytes))
    return kInvalidValue;
  std::vector<uint8_t> bytes(kernel.parameter_bytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    std::memcpy(bytes.data() + kernel.parameters[i].offset, parameters[i],
                kernel.parameters[i].size);
  Device& device = *current;
  const bool loses =
      device.ordinal == settings().lost_device && device.launches++ == settings().lose_after;
  thread_of(stream).enqueue([&kernel, &device, bytes = std::move(bytes), loses, shared_bytes,
                             grid_x, grid_y, grid_z, block_x, block_y, block_z] {
    if (device.lost) return;
    if (loses) {
      device.lost = settings().lose_error;
      return;
    }
    if (settings().skip_kernels) return;
    try {
      run_kernel(kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, bytes,
                 [&](uint64_t address) {
                   const auto own = device.memory.find(address);
                   return own ? own : pinned().find(address);
                 });
    } catch (const LaunchError& error) {
      std::fprintf(stderr, "fake driver: %s: %s\n", kernel.name.c_str(), error.what());
      device.lost = kIllegalAddress;
    } catch (const PtxError& error) {
      std::fprintf(stderr, "fake driver: %s: %s\n", kernel.name.c_str(), error.what());
      device.lost = kLaunchFailed;
    }
  });
  return kSuccess;
}

/// A graph's node, and what an executable graph keeps of it.
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

/// Whether this call is the one that is to fail.
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

std::atomic<int> live_graphs{0};

Result graph_create(Graph* graph, unsigned) {
  if (const Result error = state()) return error;
  if (is_to_fail("create")) return kOutOfMemory;
  *graph = reinterpret_cast<Graph>(new FakeGraph);
  ++live_graphs;
  return kSuccess;
}

Result graph_add_kernel(GraphNode* node, Graph graph, const GraphNode* after, size_t after_count,
                        const KernelNode* kernel) {
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
  if (is_to_fail("instantiate")) return kOutOfMemory;
  auto made = std::make_unique<FakeExecutable>();
  for (const auto& node : reinterpret_cast<FakeGraph*>(graph)->nodes) {
    made->order.push_back(node.get());
    made->nodes[node.get()] = *node;
  }
  *executable = reinterpret_cast<GraphExec>(made.release());
  ++live_graphs;
  return kSuccess;
}

Result graph_set_kernel(GraphExec executable, GraphNode node, const KernelNode* kernel) {
  auto& nodes = reinterpret_cast<FakeExecutable*>(executable)->nodes;
  const auto found = nodes.find(reinterpret_cast<const GraphKernel*>(node));
  if (is_to_fail("set") || found == nodes.end()) return kInvalidValue;
  found->second = copied(*kernel);
  return kSuccess;
}

Result graph_launch(GraphExec executable, Stream stream) {
  if (const Result error = state()) return error;
  if (is_to_fail("launch")) return kLaunchFailed;
  const auto& all = *reinterpret_cast<const FakeExecutable*>(executable);
  for (const GraphKernel* key : all.order) {
    const GraphKernel& kernel = all.nodes.at(key);
    std::vector<void*> parameters;
    for (const auto& bytes : kernel.parameters)
      parameters.push_back(const_cast<uint8_t*>(bytes.data()));
    const KernelNode& n = kernel.node;
    if (const Result error = launch(n.function, n.grid_x, n.grid_y, n.grid_z, n.block_x, n.block_y,
                                    n.block_z, n.shared_bytes, stream, parameters.data(), nullptr))
      return error;
  }
  return kSuccess;
}

Result graph_executable_destroy(GraphExec executable) {
  delete reinterpret_cast<FakeExecutable*>(executable);
  --live_graphs;
  return kSuccess;
}

Result graph_destroy(Graph graph) {
  delete reinterpret_cast<FakeGraph*>(graph);
  --live_graphs;
  return kSuccess;
}

struct Entry {
  const char* name;
  void* address;
};

constexpr Result kEntryNotFound = 500;

}  // namespace
}  // namespace fake

#define TIDE_EXPORT extern "C" __attribute__((visibility("default")))

TIDE_EXPORT int cuDriverGetVersion(int* version) {
  *version = fake::settings().version;
  return 0;
}

/// For the other libraries of the tests: a kernel of theirs, in the order of the stream, loses the
/// device.
TIDE_EXPORT void fake_lose_device(tide::cuda::Stream stream, tide::cuda::Result error) {
  fake::StreamThread& thread = fake::thread_of(stream);
  thread.enqueue([&device = thread.device(), error] { device.lost = error; });
}

/// For tests: graphs, and executable ones, that were made and not destroyed.
TIDE_EXPORT int fake_live_graphs() { return fake::live_graphs; }

/// Entry points of the interface that tide asks for, by the names without versions.
TIDE_EXPORT int cuGetProcAddress_v2(const char* name, void** address, int version, uint64_t,
                                    int* status) {
#define TIDE_ENTRY(member, entry, parameters) {entry, reinterpret_cast<void*>(&fake::member)},
  static const fake::Entry entries[] = {TIDE_CUDA_DRIVER(TIDE_ENTRY)};
#undef TIDE_ENTRY
  *address = nullptr;
  if (status) *status = 1;
  if (version > fake::settings().version || fake::settings().missing == name)
    return fake::kEntryNotFound;
  for (const fake::Entry& entry : entries)
    if (std::strcmp(entry.name, name) == 0) *address = entry.address;
  if (!*address) return fake::kEntryNotFound;
  if (status) *status = 0;
  return 0;
}
