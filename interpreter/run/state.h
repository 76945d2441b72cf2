// The program's Lua state, from opening the libraries to the exit status.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>
#include <vector>

#include "interpreter/run/script_memory.h"
#include "interpreter/version.h"

namespace tide {

/// Lets threads of scripts open states like State. Must be called once, before any thread starts.
void open_states_for_threads();

/// The global `arg` of a script: `script` at 0, the words before it at -1, -2, ...
struct ScriptArguments {
  std::vector<std::string> before = {program_name};
  std::string script;
  std::vector<std::string> after;
};

/// Whether warn(...) prints, and whether its last message is to be continued.
struct Warnings {
  bool on = false;
  bool continues = false;
};

/// A Lua state with the standard libraries and the global `tide`.
class State {
 public:
  /// Opens the state; `ignore_environment` ignores LUA_PATH and similar variables. Throws
  /// std::runtime_error if the libraries cannot be opened.
  explicit State(bool ignore_environment = false);
  /// Closes the state after finishing queued work.
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

/// Pushes a global, or nil. Raw access, so that a strict global table cannot raise an error outside
/// a protected call.
void push_global(lua_State* L, const char* name);

/// Pops a value into a global, with raw access.
void set_global(lua_State* L, const char* name);

/// Called at the end of every script: finishes queued work, and prints unread errors, the requested
/// profile and the waits of `--syncs` to stderr. Returns the exit status, which is not 0 if there
/// were unread errors.
int finish(lua_State* L, int status);

/// Flushes standard output. Returns the exit status; prints an error and returns a nonzero status
/// if that fails, as on a full disk.
int with_output_written(int status);

}  // namespace tide
