// A process of `tide test`: runs one file of tests and reports each test on kReportDescriptor.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"
#include "interpreter/test/test_result.h"

namespace tide {
namespace {

/// Library chunks: the globals of a test file, the runner of its registered tests, and a function
/// that lists the files loaded from then on.
constexpr std::string_view kEnvironment = "return (require 'tide.test.environment')";
constexpr std::string_view kRunTests = "local options = ... require('tide.test').run(options)";
constexpr std::string_view kLoadedFiles = "return (require 'tide.test.loaded_files')";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(kReportDescriptor, text.data(), text.size());
    if (count <= 0) std::exit(EXIT_FAILURE);  // the runner has ended
    text.remove_prefix(count);
  }
}

std::string optional_string(lua_State* L, int index) {
  size_t size = 0;
  const char* text = lua_tolstring(L, index, &size);
  return text ? std::string(text, size) : std::string();
}

/// report(name, status, message, seconds), called by tide.test.
int report(lua_State* L) {
  write_all(encode(
      {optional_string(L, 1), optional_string(L, 2), optional_string(L, 3), lua_tonumber(L, 4)}));
  return 0;
}

/// Reports the error on the stack as a failed test named `name`.
void report_failure(lua_State* L, const std::string& name) {
  write_all(encode({name, "failed", optional_string(L, -1), 0}));
  lua_pop(L, 1);
}

struct WorkerOptions {
  std::string path, filter;
  bool list = false, report_loaded = false;
  Words devices, tags;
};

WorkerOptions read_worker_options(const Words& words) {
  WorkerOptions options;
  OptionReader reader(words);
  while (reader.next()) {
    if (auto filter = reader.value("--filter")) {
      options.filter = *filter;
    } else if (auto tag = reader.value("--tag")) {
      options.tags.push_back(*tag);
    } else if (auto device = reader.value("--device")) {
      options.devices.push_back(*device);
    } else if (reader.flag("--list")) {
      options.list = true;
    } else if (reader.flag("--report-loaded")) {
      options.report_loaded = true;
    } else {
      options.path = reader.word();
    }
  }
  return options;
}

/// Calls a library chunk with the arguments on top of the stack.
bool call_library(lua_State* L, std::string_view text, int arguments, int results) {
  push_library_function(L, text, "test runner");
  lua_insert(L, -1 - arguments);
  return call(L, arguments, results);
}

/// Sets a field of the table on top of the stack to a list of strings, unless it is empty.
void set_words(lua_State* L, const char* name, const Words& words) {
  if (words.empty()) return;
  lua_newtable(L);
  for (const std::string& word : words) {
    lua_pushlstring(L, word.data(), word.size());
    lua_rawseti(L, -2, static_cast<lua_Integer>(lua_rawlen(L, -2)) + 1);
  }
  lua_setfield(L, -2, name);
}

/// Runs the file with busted's functions in addition to Lua's globals.
bool run_test_file(lua_State* L, const std::string& path) {
  if (luaL_loadfilex(L, path.c_str(), "t") != LUA_OK) {
    describe_syntax_error(L, "@" + path);
    return false;
  }
  if (!call_library(L, kEnvironment, 0, 1)) return false;
  lua_setupvalue(L, -2, 1);
  return call(L, 0, 0);
}

bool run_registered_tests(lua_State* L, const WorkerOptions& options) {
  lua_newtable(L);
  lua_pushcfunction(L, report);
  lua_setfield(L, -2, "report");
  lua_pushboolean(L, options.list);
  lua_setfield(L, -2, "list");
  if (!options.filter.empty()) {
    lua_pushlstring(L, options.filter.data(), options.filter.size());
    lua_setfield(L, -2, "filter");
  }
  set_words(L, "tags", options.tags);
  set_words(L, "devices", options.devices);
  return call_library(L, kRunTests, 1, 0);
}

/// Reports the files returned by the function on top of the stack.
void report_loaded(lua_State* L) {
  if (!call(L, 0, 1)) return;
  for (lua_Integer i = 1; lua_rawgeti(L, -1, i) == LUA_TSTRING; ++i, lua_pop(L, 1))
    write_all(encode({lua_tostring(L, -1), "loaded", "", 0}));
}

}  // namespace

int test_worker_command(const Words& words) {
  const WorkerOptions options = read_worker_options(words);
  State state;
  state.set_arguments({{program_name, "test"}, options.path, {}});
  if (options.report_loaded && !call_library(state, kLoadedFiles, 0, 1))
    report_failure(state, "the list of loaded files");
  if (!run_test_file(state, options.path))
    report_failure(state, "the file itself");
  else if (!run_registered_tests(state, options))
    report_failure(state, "the file's tests");
  if (options.report_loaded) report_loaded(state);
  const int status = finish(state, EXIT_SUCCESS);
  write_all(kReportEnd);
  return status;
}

}  // namespace tide
