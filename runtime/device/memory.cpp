// The caching allocator.
#include "runtime/device/memory.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/device/failure.h"
#include "runtime/device/simulation.h"

namespace tide {

Allocator::~Allocator() {
  trim();
  for (const Slab& slab : slabs_) release_memory(slab.start, kSlab);
}

Allocator::Stack::~Stack() {
  while (Storage* storage = pop()) delete storage;
}

void Allocator::Stack::push(Storage* storage) {
  storage->next = top_;
  top_ = storage;
}

Storage* Allocator::Stack::pop() {
  Storage* storage = top_;
  if (storage) top_ = storage->next;
  return storage;
}

/// Drops blocks for which the condition holds; the others keep their order.
template <class Condition>
void Allocator::Stack::drop_if(const Condition& condition) {
  Stack kept;
  while (Storage* storage = pop()) {
    if (condition(*storage))
      delete storage;
    else
      kept.push(storage);
  }
  while (Storage* storage = kept.pop()) push(storage);
}

Allocator::Resting::~Resting() {
  for (Storage* storage : blocks) delete storage;
}

size_t Allocator::block_size(size_t bytes) {
  if (bytes <= kSmallLimit) return std::max(kSmallest, (bytes + kSmallest - 1) & ~(kSmallest - 1));
  // Eight classes per power of two, in entire huge pages from 2 MiB on.
  const size_t step = std::max<size_t>(std::bit_floor(bytes - 1) / 8, 4096);
  const size_t size = (bytes + step - 1) / step * step;
  constexpr size_t kHuge = 2u << 20;
  return size < kHuge ? size : (size + kHuge - 1) & ~(kHuge - 1);
}

/// Adds to the memory that the process has taken from the device.
void Allocator::count(int64_t bytes) {
  if (!pinned()) use_.bytes.fetch_add(bytes, std::memory_order_relaxed);
}

void* Allocator::obtain(size_t bytes) {
  void* const data = backend_.allocate(bytes, memory_);
  if (data) count(static_cast<int64_t>(bytes));
  return data;
}

void Allocator::release_memory(void* data, size_t bytes) {
  count(-static_cast<int64_t>(bytes));
  backend_.release(data, bytes, memory_);
}

void Allocator::limit_to(MemoryLimit limit) {
  const std::lock_guard lock(mutex_);
  limit_ = limit;
}

/// The smaller of the backend's limit and the one that was set.
MemoryLimit Allocator::limit() const {
  if (pinned()) return {};
  const auto& simulation = backend_.simulation;
  const MemoryLimit own =
      simulation ? MemoryLimit{.bytes = simulation->memory_limit} : backend_.memory_limit;
  if (!limit_.bytes) return own;
  return own.bytes && own.bytes < limit_.bytes ? own : limit_;
}

/// Whether the limit allows taking `bytes` more.
bool Allocator::may_take(size_t bytes) const {
  const size_t most = limit().bytes;
  return !most || statistics_.in_use + statistics_.cached + bytes <= most;
}

void* Allocator::carve_small(size_t bytes) {
  if (slab_left_ < bytes) {
    if (!may_take(kSlab)) return nullptr;
    // The remainder of the old slab (less than one small block) is no longer used.
    slabs_.push_back({});
    slab_ = slabs_.back().start = static_cast<char*>(obtain(kSlab));
    slab_left_ = slab_ ? kSlab : 0;
    if (!slab_) slabs_.pop_back();
    if (!slab_) return nullptr;
    ++statistics_.device_allocations;
    statistics_.cached += kSlab;
  }
  void* data = slab_;
  slab_ += bytes;
  slab_left_ -= bytes;
  return data;
}

Storage* Allocator::take_cached(Pool& pool, size_t bytes) {
  if (bytes <= kSmallLimit) return pool.small[bytes / kSmallest].pop();
  // The smallest block that wastes at most a quarter.
  for (auto it = pool.large.lower_bound(bytes);
       it != pool.large.end() && it->first <= bytes + bytes / 4; ++it)
    if (Storage* storage = it->second.pop()) return storage;
  return nullptr;
}

Storage* Allocator::make(Pool& pool, size_t bytes) {
  auto storage = std::make_unique<Storage>();
  if (bytes <= kSmallLimit) {
    storage->data = carve_small(bytes);
  } else {
    if (!may_take(bytes)) return nullptr;
    pool.large.try_emplace(bytes);
    storage->data = obtain(bytes);
    if (storage->data) {
      ++statistics_.device_allocations;
      statistics_.cached += bytes;
    }
  }
  storage->bytes = bytes;
  return storage->data ? storage.release() : nullptr;
}

Ref<Storage> Allocator::allocate(size_t wanted, uint8_t stream, CallSite site) {
  std::lock_guard lock(mutex_);
  const size_t bytes = block_size(wanted);
  Simulation* const simulation = pinned() ? nullptr : backend_.simulation.get();
  if (simulation && simulation->fault(Simulation::Fault::allocation)) return {};
  MemoryLedger::Account& holder = ledger_.account(site);
  Pool& cached = pool(stream);
  Storage* storage = take_cached(cached, bytes);
  if (!storage) storage = make(cached, bytes);
  return hand_out(storage, stream, holder);
}

Ref<Storage> Allocator::allocate_cached(size_t bytes, uint8_t stream, CallSite site) {
  std::lock_guard lock(mutex_);
  MemoryLedger::Account& holder = ledger_.account(site);
  return hand_out(take_cached(pool(stream), block_size(bytes)), stream, holder);
}

/// Records the block, if there is one, as in use.
Ref<Storage> Allocator::hand_out(Storage* storage, uint8_t stream, MemoryLedger::Account& holder) {
  if (!storage) return {};
  ++statistics_.allocations;
  statistics_.cached -= storage->bytes;
  statistics_.in_use += storage->bytes;
  ledger_.take(holder, storage->bytes);
  if (statistics_.in_use > statistics_.peak) {
    statistics_.peak = statistics_.in_use;
    ledger_.note_peak();
  }
  storage->allocator = this;
  storage->stream = stream;
  storage->holder = &holder;
  storage->previous = &in_use_;
  storage->next = in_use_.next;
  if (in_use_.next) in_use_.next->previous = storage;
  in_use_.next = storage;
  return storage;
}

void Storage::destroy(Storage* storage) { storage->allocator->release(storage); }

void Allocator::release(Storage* storage) {
  std::lock_guard lock(mutex_);
  storage->previous->next = storage->next;
  if (storage->next) storage->next->previous = storage->previous;
  statistics_.in_use -= storage->bytes;
  ledger_.release(*storage->holder, storage->bytes);
  statistics_.cached += storage->bytes;
  storage->released_after = Failure::last_number();
  Pool& cached = *pools_[storage->stream];
  const size_t size_class = storage->bytes / kSmallest;
  if (storage->bytes > kSmallLimit) return cached.large.find(storage->bytes)->second.push(storage);
  if (storage->bytes <= kTurnLimit) {
    Resting& resting = cached.resting[size_class];
    std::swap(storage, resting.blocks[resting.oldest]);
    resting.oldest = (resting.oldest + 1) % resting.blocks.size();
  }
  if (storage) cached.small[size_class].push(storage);
}

size_t Allocator::trim() {
  std::lock_guard lock(mutex_);
  size_t released = 0;
  for (const auto& pool : pools_) {
    if (!pool) continue;
    for (auto& [bytes, stack] : pool->large) {
      while (Storage* storage = stack.pop()) {
        release_memory(storage->data, bytes);
        released += bytes;
        delete storage;
      }
    }
  }
  released += trim_slabs();
  statistics_.cached -= released;
  return released;
}

void Allocator::trim_unused(uint8_t stream, uint64_t work) {
  std::lock_guard lock(mutex_);
  if (!pools_[stream]) return;
  for (auto& [bytes, stack] : pools_[stream]->large)
    stack.drop_if([&, size = bytes](const Storage& storage) {
      if (storage.released_after >= work) return false;
      release_memory(storage.data, size);
      statistics_.cached -= size;
      return true;
    });
}

/// Frees slabs without blocks in use; returns the number of bytes. Needs no memory.
size_t Allocator::trim_slabs() {
  std::sort(slabs_.begin(), slabs_.end(),
            [](const Slab& a, const Slab& b) { return a.start < b.start; });
  const auto slab_of = [&](const Storage& storage) -> Slab& {
    const auto* data = static_cast<const char*>(storage.data);
    return *std::prev(std::upper_bound(slabs_.begin(), slabs_.end(), data,
                                       [](const char* a, const Slab& b) { return a < b.start; }));
  };
  for (Slab& slab : slabs_) slab.in_use = false;
  for (const Storage* storage = in_use_.next; storage; storage = storage->next)
    if (storage->bytes <= kSmallLimit) slab_of(*storage).in_use = true;
  const auto is_free = [&](const Storage& storage) { return !slab_of(storage).in_use; };
  for (const auto& pool : pools_) {
    if (!pool) continue;
    for (Stack& stack : pool->small) stack.drop_if(is_free);
    for (Resting& resting : pool->resting)
      for (Storage*& storage : resting.blocks)
        if (storage && is_free(*storage)) delete std::exchange(storage, nullptr);
  }
  size_t released = 0;
  for (const Slab& slab : slabs_) {
    if (slab.in_use) continue;
    if (slab_ > slab.start && slab_ <= slab.start + kSlab) slab_left_ = 0;
    release_memory(slab.start, kSlab);
    released += kSlab;
  }
  std::erase_if(slabs_, [](const Slab& slab) { return !slab.in_use; });
  return released;
}

MemoryStatistics Allocator::statistics() const {
  std::lock_guard lock(mutex_);
  MemoryStatistics result = statistics_;
  const MemoryLimit most = limit();
  result.limit = most.bytes;
  result.limit_name = most.name;
  return result;
}

std::vector<MemoryHolder> Allocator::holders() const {
  std::lock_guard lock(mutex_);
  return ledger_.holders();
}

void Allocator::reset_peak() {
  std::lock_guard lock(mutex_);
  statistics_.peak = statistics_.in_use;
  ledger_.note_peak();
}

}  // namespace tide
