// `tide [options] [FILE [args]]`: has the options, the order of actions and the exit status of
// `lua`.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include "interpreter/commands/commands.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/commands/run_options.h"
#include "interpreter/repl/prompt.h"
#include "interpreter/run/interrupt.h"
#include "interpreter/run/script.h"
#include "interpreter/run/state.h"
#include "interpreter/version.h"
#include "runtime/os/environment.h"

namespace tide {
namespace {

/// An -e, -l or -W option; they are executed in the order given.
struct Action {
  char option;
  std::string text;
};

struct Options {
  std::vector<Action> actions;
  bool prompt = false;
  bool version = false;
  bool copyright = false;
  bool ignore_environment = false;
  ScriptLimits limits;
  TideOptions runtime;
  size_t words_read = 0;  ///< up to the script's name
};

/// Reads one argument that begins with a hyphen, and the value after it if it needs one.
void read_option(const Words& words, size_t& i, Options& options) {
  const std::string& word = words[i];
  const auto refuse = [&] {
    throw UsageError{"unrecognized option '" + word + "'" +
                     (is_run_option(word) ? "; `tide run` has it" : "")};
  };
  const bool takes_value = word[1] == 'e' || word[1] == 'l';
  if (word == "--version") {
    options.version = true;
  } else if (OptionReader reader(words, i); options.limits.read(reader)) {
    i = reader.index();
  } else if (auto device = reader.value("--device")) {
    i = reader.index();
    options.runtime.device = *device;
  } else if (takes_value) {
    std::string value = word.substr(2);
    if (value.empty()) {
      if (++i == words.size() || words[i].starts_with('-'))
        throw UsageError{"'" + word + "' needs argument"};
      value = words[i];
    }
    options.actions.push_back({word[1], value});
  } else if (word.size() != 2) {
    refuse();
  } else if (word[1] == 'i') {
    options.prompt = options.version = true;
  } else if (word[1] == 'v') {
    options.version = options.copyright = true;
  } else if (word[1] == 'E') {
    options.ignore_environment = true;
  } else if (word[1] == 'W') {
    options.actions.push_back({'W', "@on"});
  } else {
    refuse();
  }
}

Options read_options(const Words& words) {
  Options options;
  size_t i = 0;
  for (; i < words.size() && words[i].size() > 1 && words[i][0] == '-'; ++i) {
    if (words[i] == "--") {
      ++i;
      break;
    }
    read_option(words, i, options);
  }
  options.words_read = i;
  options.ignore_environment |= options.limits.sandbox;
  return options;
}

bool carry_out(lua_State* L, const Action& action) {
  switch (action.option) {
    case 'e':
      return run_text(L, action.text, "=(command line)");
    case 'l':
      return require_module(L, action.text);
    default:
      lua_warning(L, action.text.c_str(), false);
      return true;
  }
}

/// Runs LUA_INIT: a chunk, or "@file".
bool run_environment(lua_State* L) {
  for (const Variable variable : {Variable::lua_init_5_4, Variable::lua_init})
    if (const char* text = environment_text(variable))
      return text[0] == '@' ? run_file(L, text + 1)
                            : run_text(L, text, std::string("=").append(name_of(variable)));
  return true;
}

/// The script file at `index`; none if there is no script, or if it is "-", which means standard
/// input unless it follows "--".
std::optional<std::string> script_file(const Words& words, size_t index) {
  if (index >= words.size()) return std::nullopt;
  if (words[index] == "-" && (index == 0 || words[index - 1] != "--")) return std::nullopt;
  return words[index];
}

ScriptArguments script_arguments(const Words& words, size_t script) {
  ScriptArguments arguments;
  if (script >= words.size()) {
    // Without a script, arg[0] is the program, followed by its options.
    arguments.script = arguments.before[0];
    arguments.before.clear();
    arguments.after = words;
    return arguments;
  }
  arguments.before.insert(arguments.before.end(), words.begin(), words.begin() + script);
  arguments.script = words[script];
  arguments.after.assign(words.begin() + script + 1, words.end());
  return arguments;
}

}  // namespace

int lua_command(const Words& words) {
  const Options options = read_options(words);
  const bool has_script = options.words_read < words.size();
  bool has_text = false;
  for (const Action& action : options.actions) has_text |= action.option == 'e';
  const bool idle = !has_script && !has_text && !options.version;
  const bool prompt = options.prompt || (idle && isatty(STDIN_FILENO));

  catch_interrupts(prompt ? Impatience::kWarnFirst : Impatience::kEndProgram);
  const std::optional<std::string> script = script_file(words, options.words_read);
  const std::string file = script.value_or("");
  const ScriptArguments arguments = script_arguments(words, options.words_read);
  if (has_script && !options.runtime.device.empty())
    throw UsageError{"--device is for the prompt; `tide run " + file + " --device " +
                     options.runtime.device + "` runs a script on a device"};
  if (has_script) refuse_unread_options(file, arguments.after);
  options.limits.begin(file);
  State state(options.ignore_environment);
  state.set_arguments(arguments);
  if (!options.limits.close_libraries(state, file)) return EXIT_FAILURE;
  if (!apply_options(state, options.runtime)) return EXIT_FAILURE;
  if (options.version || prompt) print_version();
  if (options.copyright) print_copyright();
  if (!options.ignore_environment && !run_environment(state)) return finish(state, EXIT_FAILURE);
  for (const Action& action : options.actions) {
    if (!carry_out(state, action)) return finish(state, EXIT_FAILURE);
  }
  if (has_script && !run_script(state, script ? file.c_str() : nullptr) && !options.prompt) {
    return finish(state, EXIT_FAILURE);
  }
  if (prompt) {
    run_prompt(state);
  } else if (idle && !run_file(state, nullptr)) {
    return finish(state, EXIT_FAILURE);
  }
  return finish(state, EXIT_SUCCESS);
}

}  // namespace tide
