// What a host program may ask of the `tide` Lua module beyond loading it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <lua5.4/lua.hpp>
#include <optional>
#include <string>

/// Opens the module in `L` and leaves the `tide` table on the stack.
///
/// Completion at the prompt reads a metatable's `__index` where that is a table, and else its field
/// `__names`: a table whose string keys are the names of fields and methods, or a function from
/// the value to such a table.
extern "C" int luaopen_tide(lua_State* L);

/// Keeps some memory back, for noting what failed when there is no other. To be called first, by a
/// program that has no handler of a failing `new`.
void tide_keep_reserve();

/// What `tide run` and the prompt set for the whole process.
struct TideOptions {
  std::string device;                ///< Answer of `tide.accelerator()`; empty: as without it.
  std::optional<std::int64_t> seed;  ///< As `tide.manual_seed`.
  bool syncs = false;                ///< Keep count of where the script waits.
};

/// Applies options; call after luaopen_tide and in a protected call, for it raises Lua errors
/// (a device name that cannot be).
void tide_set_options(lua_State* L, const TideOptions& options);

/// How many ops are recorded or queued and have not finished. Never waits.
std::int64_t tide_pending_operations(lua_State* L);

/// Hands over what `L` has recorded, as the end of a prompt line or of a script does. Never throws:
/// a failure marks the results that it concerns.
void tide_hand_over(lua_State* L);

/// Whether something has begun since this was asked last that the script's next few instructions
/// put into a variable which ends it (`local _ <close> = tide.no_grad()`): an error raised between
/// the two would leave it open. Safe in a Lua hook.
bool tide_has_opened();

/// Makes every wait, now and until tide_interrupt, end at once and raise the Lua error
/// "interrupted". Safe in a signal handler.
void tide_request_interrupt();

/// Drops what is recorded or queued and has not begun, and takes back tide_request_interrupt.
void tide_interrupt(lua_State* L);

/// Waits for everything handed over and prints the errors that nobody read, one a line.
/// True if there were any.
bool tide_report_unread_errors(std::FILE* out);

/// Prints where the script waited, how often and how long, by line, if TideOptions::syncs was set.
void tide_report_syncs(std::FILE* out);
