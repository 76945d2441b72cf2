// Opens and closes the program's Lua state.
#include "interpreter/run/state.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "bindings/module.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/time_limit.h"

namespace tide {
namespace {

/// os.exit([code [, close]]): like Lua's, but finishes as at the end of a script.
int exit_program(lua_State* L) {
  int status = EXIT_SUCCESS;
  if (lua_isboolean(L, 1)) {
    status = lua_toboolean(L, 1) ? EXIT_SUCCESS : EXIT_FAILURE;
  } else {
    status = static_cast<int>(luaL_optinteger(L, 1, EXIT_SUCCESS));
  }
  status = finish(L, status);
  if (lua_toboolean(L, 2)) lua_close(L);
  std::exit(with_output_written(status));
}

/// Lua's warn(...), as in the lua program: off until "@on".
void warn(void* data, const char* text, int to_be_continued) {
  auto& warnings = *static_cast<Warnings*>(data);
  if (!warnings.continues && !to_be_continued && *text == '@') {
    if (std::strcmp(text, "@on") == 0) warnings.on = true;
    if (std::strcmp(text, "@off") == 0) warnings.on = false;
    return;
  }
  if (warnings.on) {
    if (!warnings.continues) std::fputs("Lua warning: ", stderr);
    std::fputs(text, stderr);
    if (!to_be_continued) std::fputc('\n', stderr);
    std::fflush(stderr);
  }
  warnings.continues = to_be_continued != 0;
}

/// Python's constants: used by mistake, they would be nil.
constexpr std::pair<std::string_view, const char*> kConstants[] = {
    {"None", "nil"}, {"True", "true"}, {"False", "false"}};

/// Type names used without quotes: being nil, they would act like an omitted option.
constexpr std::string_view kTypes[] = {"float16", "bfloat16", "float32", "float64", "int8",
                                       "int16",   "int32",    "int64",   "uint8"};

/// __index of the global table, called for missing globals.
int read_missing_global(lua_State* L) {
  const std::string_view name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  for (const auto& [constant, in_lua] : kConstants)
    if (name == constant)
      return luaL_error(L, "there is no global '%s'; in Lua: %s", constant.data(), in_lua);
  for (const std::string_view type : kTypes)
    if (name == type)
      return luaL_error(L, "there is no global '%s': types are \"%s\" or tide.%s", type.data(),
                        type.data(), type.data());
  return 0;
}

void refuse_constants(lua_State* L) {
  lua_pushglobaltable(L);
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, read_missing_global);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_pop(L, 1);
}

int open_libraries(lua_State* L) {
  if (lua_toboolean(L, 1)) {
    lua_pushboolean(L, true);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");  // read by Lua's own libraries
  }
  luaL_openlibs(L);
  lua_getglobal(L, "os");
  lua_pushcfunction(L, exit_program);
  lua_setfield(L, -2, "exit");
  luaL_requiref(L, "tide", luaopen_tide, true);
  refuse_constants(L);
  return 0;
}

/// The Lua state of a script's thread.
struct ThreadState {
  const MemoryLimited limited;
  State state;
};

/// Registry key of the ThreadState.
constexpr char kThreadState = 0;

lua_State* open_for_thread() {
  auto* made = new ThreadState;
  lua_State* const L = made->state;
  lua_pushlightuserdata(L, made);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &kThreadState);
  return L;
}

void close_for_thread(lua_State* L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &kThreadState);
  delete static_cast<ThreadState*>(lua_touserdata(L, -1));
}

}  // namespace

void open_states_for_threads() { tide_set_states({open_for_thread, close_for_thread}); }

State::State(bool ignore_environment) : state_(lua_newstate(ScriptMemory::allocate, &memory_)) {
  if (!state_) throw std::runtime_error("cannot open a Lua state: not enough memory");
  lua_setwarnf(state_, warn, &warnings_);
  lua_pushcfunction(state_, open_libraries);
  lua_pushboolean(state_, ignore_environment);
  if (lua_pcall(state_, 1, 0, 0) != LUA_OK) {
    const char* text = lua_tostring(state_, -1);
    std::string message = text ? text : "cannot open the libraries";
    lua_close(state_);
    throw std::runtime_error(message);
  }
}

State::~State() {
  const MemoryLimited limited;  // Finalizers run.
  lua_close(state_);
}

void State::set_arguments(const ScriptArguments& arguments) {
  const auto put = [this](const std::string& text, lua_Integer index) {
    lua_pushlstring(state_, text.data(), text.size());
    lua_seti(state_, -2, index);
  };
  lua_newtable(state_);
  lua_Integer index = -static_cast<lua_Integer>(arguments.before.size());
  for (const std::string& word : arguments.before) put(word, index++);
  put(arguments.script, index++);
  for (const std::string& word : arguments.after) put(word, index++);
  set_global(state_, "arg");
}

void push_global(lua_State* L, const char* name) {
  lua_pushglobaltable(L);
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

void set_global(lua_State* L, const char* name) {
  lua_pushglobaltable(L);
  lua_insert(L, -2);
  lua_pushstring(L, name);
  lua_insert(L, -2);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

int with_output_written(int status) {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  // errno is lost if an earlier call failed.
  std::fprintf(stderr, "%s: standard output could not be written (is the disk full?)\n",
               program_name);
  return status == EXIT_SUCCESS ? EXIT_FAILURE : status;
}

int finish(lua_State* L, int status) {
  std::fflush(stdout);
  tide_flush(L);
  const bool written = tide_finish_profile(L);
  const bool failed = tide_report_unread_errors(stderr) || !written;
  tide_report_syncs(stderr);
  if (stopped_for_good()) return kTimeLimitStatus;
  return failed && status == EXIT_SUCCESS ? EXIT_FAILURE : status;
}

}  // namespace tide
