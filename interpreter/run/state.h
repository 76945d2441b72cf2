// The Lua state of the program: its life, from opening the libraries to the exit status.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <vector>

#include "interpreter/run/script_memory.h"
#include "interpreter/version.h"

namespace tide {

/// Lets threads of scripts open states of this kind. To be called once, before there is a thread.
void open_states_for_threads();

/// What a script sees as `arg`: `script` at 0, what stood before it at -1, -2, ...
struct ScriptArguments {
  std::vector<std::string> before = {program_name};
  std::string script;
  std::vector<std::string> after;
};

/// Whether warn(...) prints, and whether its last message goes on.
struct Warnings {
  bool on = false;
  bool continues = false;
};

/// A Lua state with the standard libraries and the global `tide`.
class State {
 public:
  /// Opens the state; with `ignore_environment` LUA_PATH and the like are not read. Throws
  /// std::runtime_error if the libraries do not open.
  explicit State(bool ignore_environment = false);
  /// Closes the state; what is still queued is finished first.
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  lua_State* get() const { return state_; }
  operator lua_State*() const { return state_; }

  void set_arguments(const ScriptArguments& arguments);

 private:
  ScriptMemory memory_;
  Warnings warnings_;
  lua_State* state_;
};

/// Pushes a global, or nil. Raw, so that a strict global table cannot raise outside a call.
void push_global(lua_State* L, const char* name);

/// Takes the value off the stack into a global; raw as well.
void set_global(lua_State* L, const char* name);

/// The end of every script: finishes what is queued and prints to stderr the errors that nobody
/// read, the profile that was asked for, and where `--syncs` saw waits. The program's exit status,
/// not 0 if there were such errors.
int finish(lua_State* L, int status);

/// Writes out what was printed. The exit status: not 0 if that fails, as on a full disk, which is
/// said on stderr.
int with_output_written(int status);

}  // namespace tide
