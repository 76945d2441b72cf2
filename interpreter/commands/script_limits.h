// The options that limit a script, shared by `tide` and `tide run`.
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

  /// Consumes the reader's current argument and its value; false if it is not one of these options.
  bool read(OptionReader& reader);

  /// Sets the limits for a script, or for chunks of text if `script` is empty. Call it after
  /// catch_interrupts and before creating a State. Throws UsageError or std::exception.
  void begin(const std::string& script) const;

  /// Applies the sandbox to a new state; reports an error and returns false if that fails.
  bool close_libraries(State& state, const std::string& script) const;
};

}  // namespace tide
