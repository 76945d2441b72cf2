// The options of `tide run`.
#pragma once

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

}  // namespace tide
