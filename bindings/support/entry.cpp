// Finds the script line of a call.
#include "bindings/support/entry.h"

#include <cstring>
#include <new>
#include <string_view>

#include "bindings/support/embedded.h"
#include "runtime/device/call_site.h"
#include "runtime/profile/recorder.h"
#include "runtime/record/engine.h"
#include "runtime/types/error_message.h"

namespace tide::bindings {
namespace {

/// The innermost frame of a script's Lua code, skipping library frames.
bool script_frame(lua_State* L, lua_Debug* frame) {
  for (int level = 1; lua_getstack(L, level, frame); ++level) {
    lua_getinfo(L, "Sl", frame);
    if (frame->currentline >= 0 &&
        !is_library_source(std::string_view(frame->source, frame->srclen)))
      return true;
  }
  return false;
}

/// The interned name of a chunk. A small table by source address avoids the lock, because chunks
/// are few and their source strings do not move; the name is compared in case an address was
/// reused.
const char* file_name(const lua_Debug& frame) {
  struct Known {
    const char* source;
    const char* file;
  };
  constexpr size_t kKnown = 16;
  thread_local constinit Known known[kKnown] = {};
  Known& entry = known[reinterpret_cast<size_t>(frame.source) / 32 % kKnown];
  if (entry.source != frame.source || std::strcmp(entry.file, frame.short_src) != 0)
    entry = {frame.source, intern_file_name(frame.short_src)};
  return entry.file;
}

/// Releases the cpu's cached blocks, so that the host can use the memory.
void release_cached_memory() {
  try {
    engine::empty_cache(Device{DeviceKind::cpu});
  } catch (const std::exception&) {  // a device that cannot be opened has no cache
  }
}

}  // namespace

void note_call_site(lua_State* L) {
  lua_Debug frame;
  // In a coroutine of the library, keep the line that resumed it.
  if (!script_frame(L, &frame)) return;
  const CallSite site{file_name(frame), frame.currentline};
  if (profile::is_on() && site != current_call_site()) [[unlikely]]
    profile_line(site);
  set_call_site(site);
}

void profile_line(CallSite site) {
  profile::Event event{.begin = profile::now(), .kind = profile::EventKind::line};
  set_site(event, site);
  profile::add(event);
}

void push_error(lua_State* L, const std::exception& error) try {
  if (is_shortage(error)) release_cached_memory();
  const std::string text = message_of(error);
  lua_Debug frame;
  if (script_frame(L, &frame))
    lua_pushfstring(L, "%s:%d: %s", frame.short_src, frame.currentline, text.c_str());
  else
    lua_pushstring(L, text.c_str());
} catch (const std::bad_alloc&) {
  lua_pushliteral(L, "out of memory on the host");
}

void push_module(lua_State* L, const char* name) {
  lua_getglobal(L, "require");
  lua_pushstring(L, name);
  lua_call(L, 1, 1);
}

int raise_unknown_name(lua_State* L, const char* place) {
  push_module(L, kUnknownName);
  lua_pushstring(L, place);
  lua_pushvalue(L, 2);
  lua_pushvalue(L, 1);
  lua_call(L, 3, 0);
  return 0;
}

namespace {

int strict_index(lua_State* L) {
  if (lua_type(L, 2) != LUA_TSTRING) return 0;
  return raise_unknown_name(L, lua_tostring(L, lua_upvalueindex(1)));
}

}  // namespace

void push_strict_index(lua_State* L, const char* place) {
  lua_pushstring(L, place);
  lua_pushcclosure(L, strict_index, 1);
}

}  // namespace tide::bindings
