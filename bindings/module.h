// The interface of the `tide` Lua module for host programs, beyond loading it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <lua5.4/lua.hpp>
#include <optional>
#include <string>

/// Opens the module in `L` and leaves the `tide` table on the stack.
///
/// Completion at the prompt reads a metatable's `__index` if that is a table, and its field
/// `__names`: a table whose string keys are the names of fields and methods, or a function that
/// returns such a table for a value.
extern "C" int luaopen_tide(lua_State* L);

/// Options of `tide run` and the prompt for the entire process.
struct TideOptions {
  std::string device;                ///< default device and accelerator
  std::string accelerator;           ///< result of `tide.accelerator()`; empty: not set
  std::optional<std::int64_t> seed;  ///< as for `tide.manual_seed`
  bool syncs = false;                ///< report where the script waited
  std::string profile;               ///< file for a profile; empty: none
  bool profile_lines = false;        ///< print a profile by line at the end
  bool advise = false;               ///< print how to make the script faster at the end
};

/// Applies options. Call it after luaopen_tide and in protected mode: it raises Lua errors (such as
/// for an invalid device name).
void tide_set_options(lua_State* L, const TideOptions& options);

/// Restricts scripts to reading files in the folder `readable` (empty: none) and the scratch
/// folder, and to writing in the scratch folder. Throws std::exception.
void tide_confine_files(const std::string& readable);

/// Uses `path` as tide.scratch(). Throws std::exception.
void tide_use_scratch(const std::string& path);

/// The scratch folder, which is created on the first call. Throws std::exception.
const std::string& tide_scratch();

/// Removes a scratch folder created by tide_scratch. Can be called from any thread, before ending
/// the process.
void tide_remove_scratch() noexcept;

enum class TideFileUse { read, write, rename };

/// The path with which a script may access the file `path`; none if it may not. `rename` refers to
/// the name itself, not to the target of a link.
std::optional<std::string> tide_permitted_path(const char* path, TideFileUse use) noexcept;

/// How threads of scripts open and close Lua states; `open` may throw std::exception.
struct TideStates {
  lua_State* (*open)();
  void (*close)(lua_State*);
};

/// Replaces luaL_newstate with luaL_openlibs, and lua_close.
void tide_set_states(const TideStates& states);

/// Declares that every lua_resume of the program goes through tide_resume, so that cancellation
/// from another thread also stops coroutines. Without it, their hooks are always set, and Lua code
/// in threads is slower.
void tide_follow_coroutines();

using tide_resume_function = int (*)(lua_State* L, lua_State* from, int arguments, int* results);

/// Calls `resume` like lua_resume, and tracks the running coroutine in threads of a script.
int tide_resume(tide_resume_function resume, lua_State* L, lua_State* from, int arguments,
                int* results);

/// Sets the command line argument with which this program calls tide_run_process; without it,
/// tide.process raises an error.
void tide_set_process_command(const char* word);

/// Runs the function sent by the parent process, in a program started by tide.process. L: a state
/// with Lua's libraries. Returns the exit status.
int tide_run_process(lua_State* L);

/// Makes tide.thread, tide.process and tide.channel raise an error from now on.
void tide_forbid_threads();

/// Whether this thread is loading a function sent from another thread, which a program that rejects
/// binary chunks must accept.
bool tide_loads_own_chunk();

/// The folders of compiled kernels and of plugins; empty if there is none.
std::string tide_kernel_cache_folder();
std::string tide_plugin_folder();

/// Loads a plugin of the program, "tide-NAME.so", and returns the address of its function `entry`.
/// Throws a std::exception that describes what is missing.
void* tide_plugin_entry(const char* file_name, const char* entry);

/// Limits the total memory of scripts and of tensors in host memory.
void tide_limit_memory(std::size_t bytes);

/// ", memory limit 512.0 MB, taken 500.0 MB"; empty without a limit.
std::string tide_memory_limit_text();

/// Counts memory of a script that is about to be allocated; false if that exceeds the limit, even
/// after releasing cached blocks of tensors.
bool tide_take_memory(std::size_t bytes) noexcept;
/// Counts memory regardless of the limit.
void tide_count_memory(std::size_t bytes) noexcept;
void tide_return_memory(std::size_t bytes) noexcept;

/// The number of ops recorded or queued but not finished. Never waits.
std::int64_t tide_pending_operations(lua_State* L);

/// Flushes the ops recorded by `L`, as at the end of an input or a script. Never throws: failures
/// mark the affected results.
void tide_flush(lua_State* L);

/// Whether a scope was opened since the last call that the script's next instructions assign to a
/// to-be-closed variable (`local _ <close> = tide.no_grad()`): an error before that would leave it
/// open. Safe in a Lua hook.
bool tide_has_opened();

/// Whether to hold an interrupt until the script asks for it. True once, until it has asked. Safe
/// in a signal handler on the script's thread.
bool tide_hold_interrupt();

/// Stops holding interrupts, and clears a held one.
void tide_forget_held_interrupts();

/// The reason of the calling thread's current wait for a device, such as "item"; null if it does
/// not wait. Safe in a signal handler.
const char* tide_present_wait();

/// Makes every wait, now and until tide_interrupt, end immediately and raise the Lua error
/// "interrupted". Safe in a signal handler.
void tide_request_interrupt();

/// Drops recorded and queued work that has not started, stops work that can be interrupted, and
/// undoes tide_request_interrupt. Waits briefly for running work. Returns a message such as "3
/// queued ops were dropped; cuda:0 is still finishing its current op", or an empty string.
std::string tide_interrupt(lua_State* L);

/// Waits for all flushed work and prints unread errors, one per line. True if there were any.
bool tide_report_unread_errors(std::FILE* out);

/// Ends the profile started by TideOptions, and prints it to stderr or writes it as requested.
/// Prints an error and returns false if it cannot be written.
bool tide_finish_profile(lua_State* L);

/// The text with lines broken between words to the width of the terminal on standard output.
/// Continuation lines are indented to the last column of text ("  name  what it is"), or to the
/// beginning of the line. Unchanged if standard output is not a terminal.
std::string tide_break_lines(const std::string& text);

/// Prints where the script waited, how often and how long, by line, if TideOptions::syncs was set.
void tide_report_syncs(std::FILE* out);
