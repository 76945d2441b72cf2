// `tide run FILE`: runs a script with runtime options.
#include <cstdlib>
#include <string>

#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/commands/run_options.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"

namespace tide {
namespace {

/// Records the current argument as the script's name.
void take_script(const OptionReader& reader, ScriptArguments& arguments) {
  arguments.script = reader.word();
  const Words before = reader.before();
  arguments.before.insert(arguments.before.end(), before.begin(), before.end());
}

/// Whether an argument is a negative number such as -3 or -.5; no option looks like one.
bool is_number(const std::string& word) { return word.find_first_of("0123456789.") == 1; }

}  // namespace

int run_command(const Words& words) {
  RunOptions options;
  ScriptArguments arguments;
  arguments.before.push_back("run");
  OptionReader reader(words);
  bool only_arguments = false;  // after "--"
  while (reader.next()) {
    if (!only_arguments) {
      if (reader.flag("--")) {
        only_arguments = true;
        continue;
      }
      if (options.read(reader)) continue;
      if (reader.is_option() && !is_number(reader.word()))
        throw UsageError{"run: unrecognized option '" + reader.word() +
                         "'; put the script's own options after --"};
    }
    if (arguments.script.empty()) {
      take_script(reader, arguments);
    } else {
      arguments.after.push_back(reader.word());
    }
  }
  if (arguments.script.empty()) throw UsageError{"run: no script named"};

  catch_interrupts(Impatience::kEndProgram);
  const bool input = arguments.script == "-";
  const std::string file = input ? "" : arguments.script;
  options.limits.begin(file);
  State state(options.limits.sandbox);
  state.set_arguments(arguments);
  if (!options.limits.close_libraries(state, file)) return EXIT_FAILURE;
  if (!apply_options(state, options.runtime)) return EXIT_FAILURE;
  const bool succeeded = run_script(state, input ? nullptr : file.c_str());
  return finish(state, succeeded ? EXIT_SUCCESS : EXIT_FAILURE);
}

}  // namespace tide
