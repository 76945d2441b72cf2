// `tide run FILE`: a script with options of the runtime.
#include <cstdlib>
#include <string>

#include "bindings/module.h"
#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"

namespace tide {
namespace {

int apply_options(lua_State* L) {
  tide_set_options(L, *static_cast<const TideOptions*>(lua_touserdata(L, 1)));
  return 0;
}

}  // namespace

int run_command(const Words& words) {
  TideOptions options;
  ScriptArguments arguments;
  arguments.before.push_back("run");
  OptionReader reader(words);
  while (reader.next()) {
    if (reader.flag("--")) {
      Words rest = reader.rest();
      if (arguments.script.empty() && !rest.empty()) {
        arguments.script = rest.front();
        rest.erase(rest.begin());
      }
      arguments.after.insert(arguments.after.end(), rest.begin(), rest.end());
      break;
    }
    if (auto device = reader.value("--device")) {
      options.device = *device;
    } else if (auto seed = reader.number("--seed", 0)) {
      options.seed = *seed;
    } else if (reader.flag("--syncs")) {
      options.syncs = true;
    } else if (!arguments.script.empty()) {
      arguments.after.push_back(reader.word());
    } else if (reader.is_option()) {
      reader.refuse();
    } else {
      arguments.script = reader.word();
    }
  }
  if (arguments.script.empty()) throw UsageError{"run: no script named"};

  catch_interrupts(Impatience::kEndProgram);
  State state;
  state.set_arguments(arguments);
  lua_pushcfunction(state, apply_options);
  lua_pushlightuserdata(state, &options);
  if (!call(state, 1, 0)) {
    report_error(state);
    return EXIT_FAILURE;
  }
  const bool succeeded = run_file(state, arguments.script);
  return finish(state, succeeded ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace tide
