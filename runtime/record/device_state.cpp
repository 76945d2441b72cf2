// Devices in use: creation, and allocation with retries.
#include "runtime/record/device_state.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ranges>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/os/memory_budget.h"
#include "runtime/profile/recorder.h"
#include "runtime/types/error.h"
#include "runtime/types/size_text.h"

namespace tide {
namespace {

std::function<void()>& reclaim_function() {
  static auto& function = *new std::function<void()>;
  return function;
}

struct Registry {
  std::mutex mutex;
  std::vector<std::unique_ptr<DeviceState>> states;
  // Read without the lock, by kind and index.
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

DeviceState::DeviceState(Device d, std::unique_ptr<DeviceBackend> b, int n)
    : device(d),
      number(n),
      backend(std::move(b)),
      use(process_use(d)),
      allocator(*backend, use),
      pinned(*backend, use, Allocator::Memory::pinned_host) {
  streams_[0] = std::make_unique<Stream>(*this, 0);
}

Stream::Stream(DeviceState& device, uint8_t number)
    : device(device),
      number(number),
      backend(device.backend->make_stream()),
      queue(std::make_unique<Queue>(
          *backend, device.failures, device.use.queued_ops,
          [this](uint64_t work) { this->device.trim_unused(*this, work); },
          device.device.name() + (number ? " " + std::to_string(number) : ""),
          profile::StreamTrack{device.device, number})) {}

std::vector<Stream*> DeviceState::streams() const {
  std::vector<Stream*> list(stream_count_.load(std::memory_order_acquire));
  for (size_t i = 0; i < list.size(); ++i) list[i] = streams_[i].get();
  return list;
}

void DeviceState::check_not_lost() {
  const Ref<Failure> loss = failures.loss();
  if (!loss) return;
  loss->report();
  throw DeviceError(loss->text());
}

template <class Function>
auto DeviceState::unless_lost(const Function& function) {
  if (failures.is_lost()) check_not_lost();
  try {
    return function();
  } catch (const Error&) {
    wait_uninterrupted();  // the queues know whether the device was lost, and by which line
    check_not_lost();
    throw;
  }
}

Stream& DeviceState::add_stream() {
  std::lock_guard lock(streams_mutex_);
  const size_t place = 1 + added_ % (kMostStreams - 1);
  if (!streams_[place]) {
    try {
      streams_[place] =
          unless_lost([&] { return std::make_unique<Stream>(*this, static_cast<uint8_t>(place)); });
    } catch (const std::system_error& error) {
      throw MemoryError("Stream: out of memory: no room for another thread on the host (" +
                        std::string(error.code().message()) + ")");
    }
    stream_count_.store(place + 1, std::memory_order_release);
  }
  ++added_;
  return *streams_[place];
}

void DeviceState::wait_uninterrupted() {
  for (Stream* stream : streams()) stream->queue->wait_uninterrupted(stream->queue->submitted());
}

DeviceState& DeviceState::of(Device device) {
  Registry& all = registry();
  auto& place = all.by_name[static_cast<size_t>(device.kind) * 256 + device.index];
  if (DeviceState* state = place.load(std::memory_order_acquire)) return *state;
  std::lock_guard lock(all.mutex);
  if (DeviceState* state = place.load(std::memory_order_acquire)) return *state;
  if (!platform(device.kind).has(device.index)) {
    const std::string problem = platform(device.kind).problem();
    throw DeviceError("device: there is no " + device.name() + " here; there are " +
                      list_of_devices() + (problem.empty() ? "" : "; " + problem));
  }
  // For a process that exits on another thread than its first; see ~Recorder.
  if (all.states.empty()) std::atexit(DeviceState::shut_down);
  all.states.push_back(
      std::make_unique<DeviceState>(device, platform(device.kind).make_device(device.index),
                                    static_cast<int>(all.states.size())));
  place.store(all.states.back().get(), std::memory_order_release);
  return *all.states.back();
}

std::vector<DeviceState*> DeviceState::all() {
  std::lock_guard lock(registry().mutex);
  std::vector<DeviceState*> states;
  for (const auto& state : registry().states) states.push_back(state.get());
  return states;
}

std::vector<Stream*> DeviceState::all_streams() {
  std::vector<Stream*> list;
  for (const DeviceState* state : all())
    for (Stream* stream : state->streams()) list.push_back(stream);
  return list;
}

DeviceState* DeviceState::pinning() {
  for (const DeviceKind kind : std::views::reverse(kDeviceKinds))
    if (platform(kind).capabilities.pins_host_memory && platform(kind).has(0))
      return &of({kind, 0});
  return nullptr;
}

void DeviceState::shut_down() {
  // A library that exits the process from a queue's thread would wait for itself.
  if (Queue::is_queue_thread()) return;
  for (Stream* stream : all_streams()) stream->queue->drop_pending();
  for (DeviceState* state : all()) state->wait_uninterrupted();
}

void DeviceState::keep_until(Ref<Storage> storage, const Queue& reader, uint64_t ticket) {
  std::lock_guard lock(kept_mutex_);
  auto found = std::find_if(readers_.begin(), readers_.end(),
                            [&](const Reader& each) { return each.queue == &reader; });
  if (found == readers_.end()) found = readers_.insert(found, {&reader, {}});
  found->kept.push_back({std::move(storage), ticket});
  kept_.fetch_add(1, std::memory_order_relaxed);
}

void DeviceState::fetch(void* destination, const void* source, size_t bytes, CopyKind kind) {
  const std::lock_guard lock(fetches_mutex_);
  if (!fetches_) fetches_ = backend->make_stream();
  fetches_->copy(destination, source, bytes, kind);
  fetches_->finish();
}

void DeviceState::release_kept() {
  std::lock_guard lock(kept_mutex_);
  for (Reader& reader : readers_) {
    const uint64_t completed = reader.queue->completed();
    while (!reader.kept.empty() && reader.kept.front().ticket <= completed) {
      reader.kept.pop_front();
      kept_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
}

DeviceBackend::MemoryUse DeviceState::memory() {
  return unless_lost([&] { return backend->memory(); });
}

Ref<Storage> DeviceState::try_allocate(size_t bytes, const Stream& stream, CallSite site) {
  allocated_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (kept_.load(std::memory_order_relaxed)) release_kept();
  Ref<Storage> storage =
      unless_lost([&] { return allocator.allocate(bytes, stream.number, site); });
  if (profile::is_on()) [[unlikely]]
    profile_memory();
  return storage;
}

void DeviceState::profile_memory() {
  const size_t in_use = allocator.statistics().in_use;
  if (profiled_bytes_.exchange(in_use, std::memory_order_relaxed) == in_use) return;
  profile::Event event{.begin = profile::now(), .kind = profile::EventKind::memory};
  event.bytes = static_cast<int64_t>(in_use);
  event.device = device;
  event.stream = profile::Event::kHost;
  profile::add(event);
}

void DeviceState::reclaim() {
  if (reclaim_function()) reclaim_function()();
  empty_cache();
  // With a memory limit, host memory cached by other devices is missing here.
  if (memory_limit() && host_readable()) empty_host_caches();
}

void DeviceState::empty_cache() {
  for (Stream* stream : streams()) stream->queue->submit_release_of_workspace();
  wait_uninterrupted();
  release_kept();
  allocator.trim();
  if (!device.is_host()) return;
  for (DeviceState* state : all()) state->pinned.trim();  // blocks written by this device's streams
}

void DeviceState::limit_memory(MemoryLimit limit) {
  allocator.limit_to(limit);
  const auto memory = allocator.statistics();
  if (memory.in_use + memory.cached > memory.limit) empty_cache();
}

void DeviceState::trim_unused(const Stream& stream, uint64_t work) {
  release_kept();
  for (const Stream* each : streams())
    allocator.trim_unused(each->number, each == &stream ? work : each->queue->done_before());
}

void DeviceState::empty_host_caches() {
  for (DeviceState* state : all())
    if (state->host_readable()) state->empty_cache();
}

Ref<Storage> DeviceState::allocate(size_t bytes, const Stream& stream, const char* op) {
  if (Ref<Storage> storage = try_allocate(bytes, stream)) return storage;
  reclaim();
  if (Ref<Storage> storage = try_allocate(bytes, stream)) return storage;
  raise_out_of_memory(bytes, op);
}

Ref<Storage> DeviceState::allocate_pinned(size_t bytes, const Stream& stream, const char* op) {
  allocated_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (Ref<Storage> storage = pinned.allocate(bytes, stream.number)) return storage;
  if (reclaim_function()) reclaim_function()();
  for (DeviceState* state : all()) state->wait_uninterrupted();
  pinned.trim();
  if (Ref<Storage> storage = pinned.allocate(bytes, stream.number)) return storage;
  throw MemoryError(std::string(op) + ": out of memory that can be pinned: asked for " +
                    size_text(bytes) + ", in use " + size_text(pinned.statistics().in_use));
}

/// Whether all pinned memory stays within its share of the host's with another block, after freeing
/// unused cached blocks.
bool DeviceState::may_pin(size_t bytes, const Stream& stream) {
  constexpr size_t kShare = 16;
  const size_t most = stream.device.allocator.statistics().limit / kShare;
  const auto fits = [&] {
    const MemoryStatistics memory = pinned.statistics();
    return memory.in_use + memory.cached + bytes <= most;
  };
  if (!fits()) pinned.trim_unused(stream.number, stream.queue->done_before());
  return fits();
}

/// Pinning a block takes longer than copying it through staging. So staged copies pay for it: if
/// each value is copied once, at most a quarter of them is pinned, and a loop with repeated copies
/// soon has a block for each.
Ref<Storage> DeviceState::try_allocate_pinned(size_t bytes, const Stream& stream) {
  constexpr size_t kLeast = size_t{1} << 20;  // smaller copies are fast anyway
  constexpr int64_t kDetours = 3;             // staged copies that pay for pinning a block
  // A script's limit counts only pageable memory.
  if (bytes < kLeast || memory_limit()) return {};
  stream.device.release_kept();
  Ref<Storage> storage = pinned.allocate_cached(bytes, stream.number);
  const int64_t price = kDetours * static_cast<int64_t>(bytes);
  if (!storage && detours_ >= price && may_pin(bytes, stream)) {
    detours_ -= price;
    try {
      storage = pinned.allocate(bytes, stream.number);
    } catch (const Error&) {  // a driver that cannot pin, or a device that is lost
    }
  }
  if (storage)
    allocated_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  else
    detours_ += static_cast<int64_t>(bytes);
  return storage;
}

void DeviceState::raise_out_of_memory(size_t bytes, const char* op) const {
  const auto memory = allocator.statistics();
  const DeviceBackend::MemoryUse all = backend->memory();
  const std::string holders = largest_holders(allocator.holders());
  std::string limit;
  if (memory.limit) limit = ", limit " + size_text(memory.limit);
  if (*memory.limit_name) limit += " (" + std::string(memory.limit_name) + ")";
  if (all.total) limit += ", free " + size_text(all.available) + " of " + size_text(all.total);
  throw MemoryError(std::string(op) + ": out of memory on " + device.name() + ": asked for " +
                    size_text(bytes) + ", in use " + size_text(memory.in_use) + ", cached " +
                    size_text(memory.cached) + limit +
                    (host_readable() ? memory_limit_text() : std::string()) +
                    (holders.empty() ? "" : "; " + holders) +
                    "; drop what is not needed (tide.memory.snapshot names it), or compute in " +
                    "smaller parts");
}

void DeviceState::set_reclaim(std::function<void()> reclaim) {
  reclaim_function() = std::move(reclaim);
  set_make_room([] {
    reclaim_function()();
    empty_host_caches();
  });
}

}  // namespace tide
