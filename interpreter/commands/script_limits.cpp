// Parses and applies the limits of a script.
#include "interpreter/commands/script_limits.h"

#include "bindings/module.h"
#include "interpreter/run/sandbox.h"
#include "interpreter/run/script.h"
#include "interpreter/run/text_chunks.h"
#include "interpreter/run/time_limit.h"

namespace tide {
namespace {

int close_in_call(lua_State* L) {
  close_libraries(L, *static_cast<const std::string*>(lua_touserdata(L, 1)));
  return 0;
}

}  // namespace

bool ScriptLimits::read(OptionReader& reader) {
  if (reader.flag("--binary-chunks")) {
    binary_chunks = true;
  } else if (reader.flag("--sandbox")) {
    sandbox = true;
  } else if (auto folder = reader.value("--scratch")) {
    scratch = *folder;
  } else if (auto time = reader.seconds("--time-limit")) {
    seconds = time;
  } else if (auto memory = reader.bytes("--memory-limit")) {
    bytes = memory;
  } else {
    return false;
  }
  return true;
}

void ScriptLimits::begin(const std::string& script) const {
  if (sandbox && binary_chunks)
    throw UsageError{"--sandbox and --binary-chunks are mutually exclusive"};
  if (binary_chunks) allow_binary_chunks();
  if (!scratch.empty()) tide_use_scratch(scratch);
  if (sandbox) begin_sandbox(folder_of(script));
  if (bytes) tide_limit_memory(*bytes);
  if (seconds) limit_time(*seconds);
}

bool ScriptLimits::close_libraries(State& state, const std::string& script) const {
  if (!sandbox) return true;
  std::string folder = folder_of(script);
  lua_pushcfunction(state, close_in_call);
  lua_pushlightuserdata(state, &folder);
  if (call(state, 1, 0)) return true;
  report_error(state);
  return false;
}

}  // namespace tide
