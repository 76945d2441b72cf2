// What a host program may ask of the `tide` Lua module beyond loading it.
#pragma once

#include <cstddef>
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
  std::string device;                ///< Where tensors are created; the accelerator as well.
  std::string accelerator;           ///< Answer of `tide.accelerator()`; empty: as without it.
  std::optional<std::int64_t> seed;  ///< As `tide.manual_seed`.
  bool syncs = false;                ///< Report where the script waited.
  std::string profile;               ///< File that a profile is written to; empty: none.
  bool profile_lines = false;        ///< Print a profile by line at the end.
  bool advise = false;               ///< Print what would make the script faster at the end.
};

/// Applies options; call after luaopen_tide and in a protected call, for it raises Lua errors
/// (a device name that cannot be).
void tide_set_options(lua_State* L, const TideOptions& options);

/// From now on a script's files are those of the folder `readable` (empty: of none) and of the
/// scratch folder, which alone may be written. Throws std::exception.
void tide_confine_files(const std::string& readable);

/// Makes `path` what tide.scratch() answers. Throws std::exception.
void tide_use_scratch(const std::string& path);

/// The scratch folder, which is made by the first call. Throws std::exception.
const std::string& tide_scratch();

/// Removes a scratch folder that tide_scratch made. From any thread, before a sudden end.
void tide_remove_scratch() noexcept;

enum class TideFileUse { read, write, rename };

/// The path by which a script may use the file `path`; none if it may not. A `rename` is of the
/// name itself, not of what a link leads to.
std::optional<std::string> tide_permitted_path(const char* path, TideFileUse use) noexcept;

/// How threads of scripts open and close Lua states; `open` may throw std::exception.
struct TideStates {
  lua_State* (*open)();
  void (*close)(lua_State*);
};

/// In place of luaL_newstate with luaL_openlibs, and of lua_close.
void tide_set_states(const TideStates& states);

/// Says that every lua_resume of the program goes through tide_resume, so that a function that
/// another thread cancels is stopped in its coroutines too. Without it their hooks are armed all
/// the time, and Lua code in threads is slower.
void tide_follow_coroutines();

using tide_resume_function = int (*)(lua_State* L, lua_State* from, int arguments, int* results);

/// As lua_resume, by `resume`, and keeps track of the coroutine that runs in a thread of a script.
int tide_resume(tide_resume_function resume, lua_State* L, lua_State* from, int arguments,
                int* results);

/// The word by which this program, started with it alone, calls tide_run_process; without it
/// tide.process raises an error.
void tide_set_process_command(const char* word);

/// Runs the function that the process which started this one has sent: what a program does that
/// tide.process has started. L: a state with Lua's libraries. Returns the exit status.
int tide_run_process(lua_State* L);

/// From now on tide.thread, tide.process and tide.channel raise an error.
void tide_forbid_threads();

/// Whether the chunk that this thread loads now is a function on its way between two threads: a
/// program that refuses binary chunks lets it in.
bool tide_loads_own_chunk();

/// Where compiled kernels are kept, and where plugins lie; empty if nowhere.
std::string tide_kernel_cache_folder();
std::string tide_plugin_folder();

/// Opens a plugin of the program's own, "tide-NAME.so", and returns the address of its function
/// `entry`. Throws std::exception, which says what is missing.
void* tide_plugin_entry(const char* file_name, const char* entry);

/// Limits what scripts, and tensors in the host's memory, take together.
void tide_limit_memory(std::size_t bytes);

/// ", memory limit 512.0 MB, taken 500.0 MB"; empty without a limit.
std::string tide_memory_limit_text();

/// Counts memory of a script that is about to be allocated; false if the limit is too low, even
/// without what tensors have left cached.
bool tide_take_memory(std::size_t bytes) noexcept;
/// Counts it whatever the limit.
void tide_count_memory(std::size_t bytes) noexcept;
void tide_return_memory(std::size_t bytes) noexcept;

/// How many ops are recorded or queued and have not finished. Never waits.
std::int64_t tide_pending_operations(lua_State* L);

/// Flushes what `L` has recorded, as the end of a prompt line or of a script does. Never throws:
/// a failure marks the results that it concerns.
void tide_flush(lua_State* L);

/// Whether something has begun since this was asked last that the script's next few instructions
/// put into a variable which ends it (`local _ <close> = tide.no_grad()`): an error raised between
/// the two would leave it open. Safe in a Lua hook.
bool tide_has_opened();

/// Whether an interrupt shall wait: the script asks for it when it can stop. True once, until it
/// has asked. Safe in a signal handler on the thread of the script.
bool tide_hold_interrupt();

/// From now on interrupts do not wait, and one that does is forgotten.
void tide_forget_held_interrupts();

/// Why the calling thread waits for a device now, such as "item"; null: it does not. Safe in a
/// signal handler.
const char* tide_present_wait();

/// Makes every wait, now and until tide_interrupt, end at once and raise the Lua error
/// "interrupted". Safe in a signal handler.
void tide_request_interrupt();

/// Drops what is recorded or queued and has not begun, stops what can be stopped, and takes back
/// tide_request_interrupt. Waits a moment for what runs. Returns what there is to say about that:
/// "3 queued ops were dropped; cuda:0 still finishes the one that runs", or nothing.
std::string tide_interrupt(lua_State* L);

/// Waits for everything flushed and prints the errors that nobody read, one a line.
/// True if there were any.
bool tide_report_unread_errors(std::FILE* out);

/// Ends the profile that TideOptions began, prints it to stderr and writes it as they say. False if
/// it cannot be written, which is printed too.
bool tide_finish_profile(lua_State* L);

/// The text with its lines broken between words where the terminal on standard output would break
/// them anywhere. The rest of a line begins below its last column of text ("  name  what it is"),
/// or below its beginning. Unchanged if standard output is not a terminal.
std::string tide_break_lines(const std::string& text);

/// Prints where the script waited, how often and how long, by line, if TideOptions::syncs was set.
void tide_report_syncs(std::FILE* out);
