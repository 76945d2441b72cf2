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

  /// Takes the reader's present word, and its value; false if `tide run` has no such option.
  bool read(OptionReader& reader);
};

/// Applies options to a new state. Prints the error if that fails, and returns whether it did not.
bool apply_options(lua_State* L, const TideOptions& options);

/// Whether a word is such an option, such as --device or --device=sim.
bool is_run_option(const std::string& word);

/// For `tide FILE words`, where all words are the script's: throws UsageError if an option of `tide
/// run` is among them, up to a "--", and the script cannot read it, as it uses neither `...` nor
/// `arg` nor `tide.args` and does not name the option itself.
void refuse_unread_options(const std::string& file, const Words& words);

}  // namespace tide
