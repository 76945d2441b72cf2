// When Lua's collector runs. Lua sees only 16 bytes of a tensor, so it is given the size of each
// tensor: young steps paced by new handles and bytes, full collections when what is held has
// doubled or Lua's own memory has grown by half.
#pragma once

#include <cstdint>
#include <lua5.4/lua.hpp>

#include "runtime/record/engine.h"

namespace tide::bindings {

/// So many new handles are worth a young step, which visits whole tables that were written to since
/// the last one: more often, tables that grow would cost too much.
constexpr int64_t kHandlesPerStep = 1000;
/// So are as many bytes as this share of what is held, within limits: not fewer than a part of a
/// core's cache, and not so many that the blocks which a step frees have left the cache before they
/// are used again. A step visits at most the whole of Lua's own memory; computing this many times
/// as many bytes takes far longer.
constexpr uint64_t kHeldShare = 16, kLeastBytesPerStep = uint64_t{1} << 20;
constexpr uint64_t kMostBytesPerStep = uint64_t{2} << 20, kMostPerLuaByte = 16;

/// Handles of this thread and when they were last looked after.
struct Collector {
  int64_t live = 0;                              ///< handles that exist
  int64_t new_handles = 0;                       ///< since the last step
  int64_t live_after_full = 0;                   ///< when the last full collection had ended
  uint64_t bytes_at_step = 0;                    ///< allocated so far at the last step
  uint64_t bytes_per_step = kLeastBytesPerStep;  ///< how many more are worth the next
  uint64_t held_after_full = 0;
  int lua_after_full = 0;  ///< kilobytes of Lua's own
};
inline constinit thread_local Collector collector;

/// Sets the collector of a new state going, and lets the runtime reclaim memory through it.
void open_collector(lua_State* L);

/// Releases a reference of the registry at the next full collection, or with the next functions
/// that are kept: for owners that must not call Lua when they end.
void release_later(int reference);
void release_references(lua_State* L);

/// Runs the step that is due.
void collector_step(lua_State* L);

/// A new handle is about to be made: runs a step now and then.
inline void note_new_handle(lua_State* L) {
  ++collector.live;
  if (++collector.new_handles >= kHandlesPerStep ||
      engine::allocated_bytes() - collector.bytes_at_step >= collector.bytes_per_step)
    collector_step(L);
}

}  // namespace tide::bindings
