// Reads the options of `tide run`.
#include "interpreter/commands/run_options.h"

namespace tide {
bool RunOptions::read(OptionReader& reader) {
  if (limits.read(reader)) return true;
  if (auto device = reader.value("--device")) {
    runtime.device = *device;
  } else if (auto seed = reader.number("--seed", 0)) {
    runtime.seed = *seed;
  } else if (reader.flag("--syncs")) {
    runtime.syncs = true;
  } else {
    return false;
  }
  return true;
}

}  // namespace tide
