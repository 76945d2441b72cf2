// Decides when Lua's collector runs, because Lua sees only 16 bytes of a tensor: young collections
// are paced by new handles and bytes; full collections run when the held bytes have doubled or
// Lua's own memory has grown by half.
#pragma once

#include <cstdint>
#include <lua5.4/lua.hpp>

#include "runtime/record/engine.h"

namespace tide::bindings {

/// New handles per young collection, which traverses all tables written to since the last one: more
/// often, growing tables would cost too much.
constexpr int64_t kHandlesPerStep = 1000;
/// New bytes per young collection: this fraction of the held bytes, within limits: at least a part
/// of a core's cache, and few enough that freed blocks are reused while still in the cache. A
/// collection traverses at most all of Lua's own memory; computing kMostPerLuaByte times as many
/// bytes takes far longer.
constexpr uint64_t kHeldShare = 16, kLeastBytesPerStep = uint64_t{1} << 20;
constexpr uint64_t kMostBytesPerStep = uint64_t{2} << 20, kMostPerLuaByte = 16;

/// Handle statistics of this thread.
struct Collector {
  int64_t live = 0;                              ///< live handles
  int64_t new_handles = 0;                       ///< since the last step
  int64_t live_after_full = 0;                   ///< after the last full collection
  uint64_t bytes_at_step = 0;                    ///< total allocated at the last step
  uint64_t bytes_per_step = kLeastBytesPerStep;  ///< more bytes until the next step
  uint64_t held_after_full = 0;
  int lua_after_full = 0;  ///< kilobytes of Lua's own
};
inline constinit thread_local Collector collector;

/// Sets up the collector of a new state, and lets the runtime reclaim memory through it.
void open_collector(lua_State* L);

/// Releases a reference of the registry at the next full collection, or with the next functions
/// that are kept: for owners that must not call Lua when they end.
void release_later(int reference);
void release_references(lua_State* L);

/// Runs the step that is due.
void collector_step(lua_State* L);

/// Counts a new handle, and runs a step if it is due.
inline void note_new_handle(lua_State* L) {
  ++collector.live;
  if (++collector.new_handles >= kHandlesPerStep ||
      engine::allocated_bytes() - collector.bytes_at_step >= collector.bytes_per_step)
    collector_step(L);
}

}  // namespace tide::bindings
