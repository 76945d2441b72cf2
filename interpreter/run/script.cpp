// Runs Lua chunks and formats their errors: the message, then a traceback of the script's frames.
#include "interpreter/run/script.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include "bindings/module.h"
#include "bindings/support/embedded.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/script_memory.h"
#include "interpreter/run/state.h"

namespace tide {
namespace {

/// The traceback without frames outside the script: the library's, the C functions they call, and
/// the initial C call. Empty if the rest adds nothing to `message`: a single Lua frame, at the line
/// where the message begins.
std::string script_traceback(std::string_view message, std::string_view traceback) {
  const std::string library = std::string("\t").append(kLibrarySource.substr(1));
  std::string kept, called;  // `called`: C functions whose caller has not been seen yet.
  int lua_frames = 0;
  bool named = false, of_library = false;
  for (size_t begin = traceback.find('\n'); begin != std::string_view::npos;) {
    const size_t end = traceback.find('\n', begin + 1);
    const std::string_view line = traceback.substr(begin + 1, end - begin - 1);
    begin = end;
    // This line belongs to the frame in the previous line.
    if (of_library && line == "\t(...tail calls...)") continue;
    of_library = line.starts_with(library);
    if (of_library) {
      called.clear();
    } else if (line.starts_with("\t[C]: ")) {
      if (line != "\t[C]: in ?") called.append("\n").append(line);
    } else {
      kept.append(called).append("\n").append(line);
      called.clear();
      ++lua_frames;
      named = message.starts_with(line.substr(1, line.find(": in ")));
    }
  }
  kept.append(called);
  if (kept.empty() || (lua_frames == 1 && named)) return {};
  return "\nstack traceback:" + kept;
}

/// Calls a function of tide.mistakes.errors with the top `arguments` values of the stack, the first
/// of which is a message. Replaces them with its result, or on failure with the message.
void improve_message(lua_State* L, const char* function, int arguments) {
  const int message = lua_gettop(L) - arguments + 1;
  push_global(L, "require");
  lua_pushliteral(L, "tide.mistakes.errors");
  if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_getfield(L, -1, function) == LUA_TFUNCTION) {
    for (int i = 0; i < arguments; ++i) lua_pushvalue(L, message + i);
    if (lua_pcall(L, arguments, 1, 0) == LUA_OK && lua_isstring(L, -1)) lua_replace(L, message);
  }
  lua_settop(L, message);
}

/// Replaces "interrupted" at the end of a wait's message with the reason the script was stopped.
void name_reason(lua_State* L) {
  constexpr std::string_view kWord = "interrupted";
  const std::string_view message = lua_tostring(L, 1);
  if (!message.ends_with(kWord)) return;
  lua_pushlstring(L, message.data(), message.size() - kWord.size());
  lua_pushstring(L, stop_reason());
  lua_concat(L, 2);
  lua_replace(L, 1);
}

/// The message handler of every call: converts the error to a string followed by a traceback.
int describe_error(lua_State* L) {
  if (!lua_isstring(L, 1)) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) return 1;
    lua_pushfstring(L, "(error object is a %s value)", luaL_typename(L, 1));
    lua_replace(L, 1);
  }
  lua_settop(L, 1);
  lua_tostring(L, 1);
  if (stopped_for_good()) name_reason(L);
  improve_message(L, "describe", 1);
  luaL_traceback(L, L, nullptr, 1);
  const std::string traceback = script_traceback(lua_tostring(L, 1), lua_tostring(L, 2));
  lua_pop(L, 1);
  lua_pushlstring(L, traceback.data(), traceback.size());
  lua_concat(L, 2);
  return 1;
}

/// Returns the values of the global `arg`, starting at 1.
int script_arguments(lua_State* L) {
  if (lua_getglobal(L, "arg") != LUA_TTABLE) return luaL_error(L, "'arg' is not a table");
  const int count = static_cast<int>(luaL_len(L, -1));
  luaL_checkstack(L, count + 3, "too many arguments to script");
  for (int i = 1; i <= count; ++i) lua_rawgeti(L, -i, i);
  return count;
}

/// Runs the chunk that a load left on the stack, or reports the load error.
bool run_loaded(lua_State* L, int load_status, const std::string& chunk_name, bool with_arguments) {
  bool succeeded = load_status == LUA_OK;
  if (load_status == LUA_ERRSYNTAX) describe_syntax_error(L, chunk_name);
  const int chunk = lua_gettop(L);
  if (succeeded && with_arguments) {
    lua_pushcfunction(L, script_arguments);
    succeeded = call(L, 0, LUA_MULTRET);
  }
  if (succeeded) succeeded = call(L, lua_gettop(L) - chunk, 0);
  if (!succeeded) report_error(L);
  lua_settop(L, chunk - 1);
  return succeeded;
}

/// Prints notes to stderr on common mistakes in a text that Lua accepts silently.
void note_mistakes(lua_State* L, const char* name, const std::string& text) {
  constexpr std::string_view kSigns[] = {":any()", ":all()", ".shape["};
  if (std::ranges::none_of(
          kSigns, [&](std::string_view sign) { return text.find(sign) != std::string::npos; }))
    return;
  const int top = lua_gettop(L);
  push_global(L, "require");
  lua_pushliteral(L, "tide.mistakes.notes");
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
    lua_pushstring(L, name);
    lua_pushlstring(L, text.data(), text.size());
    if (lua_pcall(L, 2, 1, 0) == LUA_OK && lua_isstring(L, -1))
      std::fputs(lua_tostring(L, -1), stderr);
  }
  lua_settop(L, top);
}

/// Like luaL_loadfile of standard input, but keeps the text for error messages.
int load_standard_input(lua_State* L) {
  std::string text;
  char block[4096];
  while (const size_t size = std::fread(block, 1, sizeof block, stdin)) text.append(block, size);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (text.starts_with('#')) text.erase(0, text.find('\n'));
  keep_text(L, "=stdin", text, 1);
  const int status = luaL_loadbuffer(L, text.data(), text.size(), "=stdin");
  if (status == LUA_OK) note_mistakes(L, "stdin", text);
  return status;
}

/// The first megabyte of a file; empty for a pipe, which can be read only once.
std::string text_of_file(const char* path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  const uintmax_t size = std::min<uintmax_t>(std::filesystem::file_size(path, error), 1 << 20);
  std::string text(error ? 0 : size, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  return text;
}

bool run_source(lua_State* L, const char* path, bool with_arguments) {
  if (!path) return run_loaded(L, load_standard_input(L), "=stdin", with_arguments);
  const int status = luaL_loadfile(L, path);
  if (status == LUA_OK) note_mistakes(L, path, text_of_file(path));
  if (status == LUA_ERRFILE && !std::strpbrk(path, "./")) {
    lua_pushliteral(L, "; `tide --help` lists the commands");
    lua_concat(L, 2);
  }
  return run_loaded(L, status, std::string("@").append(path), with_arguments);
}

}  // namespace

bool call(lua_State* L, int arguments, int results) {
  const int handler = lua_gettop(L) - arguments;
  lua_pushcfunction(L, describe_error);
  lua_insert(L, handler);
  int status;
  std::string dropped;
  {
    Interruptible interruptible(L, dropped);
    const MemoryLimited limited;
    status = lua_pcall(L, arguments, results, handler);
    if (status == LUA_OK && interruptible.asked()) {
      // It ended normally, such as a sleep cut short by the signal; its queued work is dropped.
      lua_settop(L, handler);
      lua_pushstring(L, stop_reason());
      status = LUA_ERRRUN;
    }
  }
  lua_remove(L, handler);
  if (status != LUA_OK && !dropped.empty() && !stopped_for_good()) {
    lua_pushfstring(L, "\n(%s)", dropped.c_str());
    lua_concat(L, 2);
  }
  return status == LUA_OK;
}

void describe_syntax_error(lua_State* L, const std::string& chunk_name) {
  lua_pushlstring(L, chunk_name.data(), chunk_name.size());
  improve_message(L, "in_syntax", 2);
}

void push_library_function(lua_State* L, std::string_view text, std::string_view name) {
  const std::string chunk_name = std::string(kLibrarySource).append(name);
  luaL_loadbufferx(L, text.data(), text.size(), chunk_name.c_str(), "t");
}

void keep_text(lua_State* L, const std::string& chunk_name, std::string_view text, int first_line) {
  const int top = lua_gettop(L);
  push_global(L, "require");
  lua_pushliteral(L, "tide.mistakes.source");
  if (lua_pcall(L, 1, 1, 0) == LUA_OK && lua_getfield(L, -1, "keep") == LUA_TFUNCTION) {
    lua_pushlstring(L, chunk_name.data(), chunk_name.size());
    lua_pushlstring(L, text.data(), text.size());
    lua_pushinteger(L, first_line);
    lua_pcall(L, 3, 0, 0);
  }
  lua_settop(L, top);
}

void report_error(lua_State* L) {
  std::fflush(stdout);
  const char* message = lua_tostring(L, -1);
  const bool memory = message && std::strcmp(message, "not enough memory") == 0;
  std::fprintf(stderr, "%s: %s%s\n", program_name,
               message ? message : "(error object is not a string)",
               memory ? tide_memory_limit_text().c_str() : "");
  std::fflush(stderr);
  lua_pop(L, 1);
}

bool run_script(lua_State* L, const char* path) { return run_source(L, path, true); }

bool run_file(lua_State* L, const char* path) { return run_source(L, path, false); }

bool run_text(lua_State* L, std::string_view text, const std::string& chunk_name) {
  keep_text(L, chunk_name, text, 1);
  const int status = luaL_loadbufferx(L, text.data(), text.size(), chunk_name.c_str(), "t");
  return run_loaded(L, status, chunk_name, chunk_name.starts_with('@'));
}

bool require_module(lua_State* L, const std::string& specification) {
  const size_t mark = specification.find('=');
  const std::string module =
      mark == std::string::npos ? specification : specification.substr(mark + 1);
  // As in `lua`, the part after a hyphen is a version tag, not part of the global's name.
  const std::string global = mark == std::string::npos
                                 ? specification.substr(0, specification.find('-'))
                                 : specification.substr(0, mark);
  push_global(L, "require");
  lua_pushlstring(L, module.data(), module.size());
  if (!call(L, 1, 1)) {
    report_error(L);
    return false;
  }
  set_global(L, global.c_str());
  return true;
}

}  // namespace tide
