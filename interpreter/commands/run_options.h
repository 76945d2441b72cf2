// The options of `tide run`.
#pragma once

#include <lua5.4/lua.hpp>
#include <string>

#include "bindings/module.h"
#include "interpreter/commands/option_reader.h"
#include "interpreter/commands/script_limits.h"

namespace tide {

struct RunOptions {
  TideOptions runtime;
  ScriptLimits limits;

  /// Consumes the reader's current argument and its value; false if it is not an option of `tide
  /// run`.
  bool read(OptionReader& reader);
};

/// Applies options to a new state. Prints the error and returns false if that fails.
bool apply_options(lua_State* L, const TideOptions& options);

/// Whether an argument is an option of `tide run`, such as --device or --device=sim.
bool is_run_option(const std::string& word);

/// For `tide FILE words`, where all words are the script's arguments: throws UsageError if an
/// option of `tide run` precedes any "--" and the script cannot read it: it uses neither `...`,
/// `arg` nor `tide.args` and does not name the option.
void refuse_unread_options(const std::string& file, const Words& words);

}  // namespace tide
