// A process of `tide test`: runs one file of tests and reports each test on kReportDescriptor.
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "bindings/support/embedded.h"
#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"
#include "interpreter/test/test_result.h"

namespace tide {
namespace {

/// Runs the tests that the file has registered.
constexpr std::string_view kRunTests = R"(
  local report, list, filter, devices = ...
  require("tide.test").run {report = report, list = list, filter = filter, devices = devices}
)";

void write_all(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(kReportDescriptor, text.data(), text.size());
    if (count <= 0) std::exit(EXIT_FAILURE);  // The runner is gone.
    text.remove_prefix(count);
  }
}

std::string optional_string(lua_State* L, int index) {
  size_t size = 0;
  const char* text = lua_tolstring(L, index, &size);
  return text ? std::string(text, size) : std::string();
}

/// report(name, status, message, seconds), as tide.test calls it.
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

struct Options {
  std::string path, filter;
  bool list = false;
  Words devices;
};

Options read_options(const Words& words) {
  Options options;
  OptionReader reader(words);
  while (reader.next()) {
    if (auto filter = reader.value("--filter")) {
      options.filter = *filter;
    } else if (auto device = reader.value("--device")) {
      options.devices.push_back(*device);
    } else if (reader.flag("--list")) {
      options.list = true;
    } else {
      options.path = reader.word();
    }
  }
  return options;
}

bool run_registered_tests(lua_State* L, const Options& options) {
  const std::string chunk_name = std::string(kLibrarySource) + "test runner";
  luaL_loadbufferx(L, kRunTests.data(), kRunTests.size(), chunk_name.c_str(), "t");
  lua_pushcfunction(L, report);
  lua_pushboolean(L, options.list);
  if (options.filter.empty()) {
    lua_pushnil(L);
  } else {
    lua_pushlstring(L, options.filter.data(), options.filter.size());
  }
  if (options.devices.empty()) {
    lua_pushnil(L);
  } else {
    lua_newtable(L);
    for (const std::string& device : options.devices) {
      lua_pushlstring(L, device.data(), device.size());
      lua_rawseti(L, -2, static_cast<lua_Integer>(lua_rawlen(L, -2)) + 1);
    }
  }
  return call(L, 4, 0);
}

}  // namespace

int test_worker_command(const Words& words) {
  const Options options = read_options(words);
  State state;
  state.set_arguments({{program_name, "test"}, options.path, {}});
  const bool loaded = luaL_loadfilex(state, options.path.c_str(), "t") == LUA_OK;
  if (!loaded || !call(state, 0, 0)) {
    report_failure(state, "the file itself");
  } else if (!run_registered_tests(state, options)) {
    report_failure(state, "the file's tests");
  }
  const int status = finish(state, EXIT_SUCCESS);
  write_all(kReportEnd);
  return status;
}

}  // namespace tide
