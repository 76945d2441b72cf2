// Paces Lua's collector by handles and bytes, and collects garbage before reporting out of memory.
#include "bindings/objects/collector.h"

#include <malloc.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/support/entry.h"
#include "runtime/os/memory_budget.h"
#include "runtime/record/engine.h"
#include "runtime/types/error.h"

namespace tide::bindings {
namespace {

/// The minimum amounts for the doubling rule.
constexpr int64_t kHandleFloor = 4096;
constexpr uint64_t kByteFloor = uint64_t{128} << 20;
/// The growth that justifies a full collection of a small heap, and the additional growth per byte
/// of Lua memory it must traverse.
constexpr uint64_t kGrowthFloor = uint64_t{32} << 20, kGrowthPerLuaByte = 64;
constexpr int kLuaFloor = 128;  // kilobytes

/// References of this thread whose owners are gone.
std::vector<int>& released() {
  thread_local std::vector<int> references;
  return references;
}

void collect_all(lua_State* L) {
  release_references(L);
  lua_gc(L, LUA_GCCOLLECT);
  collector.live_after_full = collector.live;
  collector.held_after_full = engine::held_bytes();
  collector.lua_after_full = lua_gc(L, LUA_GCCOUNT);
}

/// Throws MemoryError if live objects exceed the memory limit even after a full collection.
void make_room_for_objects(lua_State* L) {
  collect_all(L);
  engine::empty_host_caches();
  malloc_trim(0);
  if (exceeds_memory_limit())
    throw MemoryError("out of memory on the host: tensors, graphs for gradients and functions " +
                      ("that are kept take too much" + memory_limit_text()) +
                      "; drop what is not needed, or detach() what needs no gradient");
}

/// Called by the runtime inside an op whose allocation failed.
void reclaim() {
  ThreadContext& context = thread_context;
  if (!context.running || context.reclaiming) return;
  // Finalizers of scripts may run here, in the middle of an op. With `settled` null, an op that
  // they call is rejected.
  context.reclaiming = true;
  lua_State* const settled = std::exchange(context.settled, nullptr);
  lua_State* const running = context.running;
  collect_all(running);
  context.running = running;
  context.settled = settled;
  context.reclaiming = false;
}

}  // namespace

void open_collector(lua_State* L) {
  lua_gc(L, LUA_GCGEN, 0, 0);
  engine::set_reclaim(reclaim);
}

void release_later(int reference) { released().push_back(reference); }

void release_references(lua_State* L) {
  for (const int reference : released()) luaL_unref(L, LUA_REGISTRYINDEX, reference);
  released().clear();
}

void collector_step(lua_State* L) {
  const uint64_t allocated = engine::allocated_bytes();
  const uint64_t held = engine::held_bytes();
  collector.new_handles = 0;
  collector.bytes_at_step = allocated;
  const uint64_t lua_bytes = 1024 * static_cast<uint64_t>(lua_gc(L, LUA_GCCOUNT));
  const uint64_t most = kMostBytesPerStep + kMostPerLuaByte * lua_bytes;
  collector.bytes_per_step = std::clamp(held / kHeldShare, kLeastBytesPerStep, most);
  if (exceeds_memory_limit()) [[unlikely]]
    make_room_for_objects(L);
  if (!lua_gc(L, LUA_GCISRUNNING)) return;  // the script stopped it
  // Lua collects old objects only in its own steps, which these steps preempt.
  const uint64_t growth = std::min(kGrowthFloor + kGrowthPerLuaByte * lua_bytes,
                                   collector.held_after_full + kByteFloor);
  if (collector.live > 2 * collector.live_after_full + kHandleFloor ||
      static_cast<int>(lua_bytes / 1024) > collector.lua_after_full / 2 * 3 + kLuaFloor ||
      held > collector.held_after_full + growth)
    collect_all(L);
  else
    lua_gc(L, LUA_GCSTEP, 0);
}

}  // namespace tide::bindings
