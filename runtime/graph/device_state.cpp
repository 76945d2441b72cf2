// Devices in use: creation, and allocation with its second tries.
#include <array>
#include <cstdlib>

#include "runtime/core/error.h"
#include "runtime/graph/recorder.h"

namespace tide {
namespace {

std::function<void()>& reclaim_function() {
  static auto& function = *new std::function<void()>;
  return function;
}

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<DeviceState>> states;
  // Found without the lock, by kind and index.
  std::array<std::atomic<DeviceState*>, 3 * 256> by_name{};
};

Registry& registry() {
  static Registry& instance = *new Registry;  // queues run until the process ends
  return instance;
}

std::string list_of_devices() {
  std::string list;
  for (Device device : present_devices()) list += (list.empty() ? "" : ", ") + device.name();
  return list;
}

}  // namespace

DeviceState::DeviceState(Device d, std::unique_ptr<Backend> b, int n)
    : device(d), number(n), backend(std::move(b)), allocator(*backend), pinned(*backend, Allocator::Memory::pinned_host), queue(*backend, d.name()) {
  queue.set_abandon([this] { return allocator.abandon(); });
}

DeviceState& DeviceState::of(Device device) {
  Registry& all = registry();
  auto& place = all.by_name[static_cast<size_t>(device.kind) * 256 + device.index];
  if (DeviceState* state = place.load(std::memory_order_acquire)) return *state;
  std::lock_guard lock(all.mutex);
  if (DeviceState* state = place.load(std::memory_order_acquire)) return *state;
  auto backend = make_backend(device);
  if (!backend)
    throw DeviceError("device: there is no " + device.name() + " here; there are " + list_of_devices());
  // For a process that ends on another thread than its first; see ~Recorder.
  if (all.states.empty()) std::atexit(DeviceState::rest);
  all.states.push_back(
      std::make_unique<DeviceState>(device, std::move(backend), static_cast<int>(all.states.size())));
  place.store(all.states.back().get(), std::memory_order_release);
  return *all.states.back();
}

std::vector<DeviceState*> DeviceState::all() {
  std::lock_guard lock(registry().mutex);
  std::vector<DeviceState*> states;
  for (const auto& state : registry().states) states.push_back(state.get());
  return states;
}

DeviceState* DeviceState::pinning() {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::sim})
    if (is_present({kind, 0})) return &of({kind, 0});
  return nullptr;
}

void DeviceState::rest() {
  for (DeviceState* state : all()) state->queue.drop_pending();
  for (DeviceState* state : all()) state->queue.wait_uninterrupted(state->queue.submitted());
}

void DeviceState::keep_until(Ref<Storage> storage, DeviceState& reader, uint64_t ticket) {
  std::lock_guard lock(kept_mutex_);
  kept_.push_back({std::move(storage), &reader, ticket});
}

void DeviceState::let_go() {
  std::lock_guard lock(kept_mutex_);
  std::erase_if(kept_, [](const Kept& kept) { return kept.reader->queue.completed() >= kept.ticket; });
}

Ref<Storage> DeviceState::try_allocate(size_t bytes) {
  counters.allocated_bytes.fetch_add(bytes, std::memory_order_relaxed);
  if (!kept_.empty()) let_go();
  return allocator.allocate(bytes);
}

void DeviceState::make_room() {
  if (reclaim_function()) reclaim_function()();
  queue.wait_uninterrupted(queue.submitted());
  let_go();
  allocator.trim();
}

Ref<Storage> DeviceState::allocate(size_t bytes, const char* op) {
  if (Ref<Storage> storage = try_allocate(bytes)) return storage;
  make_room();
  if (Ref<Storage> storage = try_allocate(bytes)) return storage;
  raise_out_of_memory(bytes, op);
}

Ref<Storage> DeviceState::allocate_pinned(size_t bytes, const char* op) {
  if (Ref<Storage> storage = pinned.allocate(bytes)) return storage;
  if (reclaim_function()) reclaim_function()();
  pinned.trim();
  if (Ref<Storage> storage = pinned.allocate(bytes)) return storage;
  throw MemoryError(std::string(op) + ": out of memory that can be pinned: asked for " +
                    size_text(bytes) + ", in use " + size_text(pinned.statistics().in_use));
}

void DeviceState::raise_out_of_memory(size_t bytes, const char* op) const {
  const auto memory = allocator.statistics();
  const std::string holders = allocator.largest_holders();
  throw MemoryError(std::string(op) + ": out of memory on " + device.name() + ": asked for " +
                    size_text(bytes) + ", in use " + size_text(memory.in_use) + ", cached " +
                    size_text(memory.cached) +
                    (memory.limit ? ", limit " + size_text(memory.limit) : std::string()) +
                    (holders.empty() ? "" : "; " + holders));
}

void engine::set_reclaim(std::function<void()> reclaim) { reclaim_function() = std::move(reclaim); }

}  // namespace tide
