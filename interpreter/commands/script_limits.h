// The options on what a script may do and take, which `tide` and `tide run` share.
#pragma once

#include <optional>
#include <string>

#include "interpreter/commands/option_reader.h"
#include "interpreter/run/state.h"

namespace tide {

/// --sandbox, --scratch, --time-limit, --memory-limit and --binary-chunks.
struct ScriptLimits {
  bool binary_chunks = false;
  bool sandbox = false;
  std::string scratch;
  std::optional<double> seconds;
  std::optional<size_t> bytes;

  /// Takes the reader's present word, and its value; false if it is none of these options.
  bool read(OptionReader& reader);

  /// Sets the limits for a script, or for texts if `script` is empty. Behind catch_interrupts and
  /// before a State. Throws UsageError or std::exception.
  void begin(const std::string& script) const;

  /// Does what is left to do in a new state; false if that failed, which is reported.
  bool close_libraries(State& state, const std::string& script) const;
};

}  // namespace tide
