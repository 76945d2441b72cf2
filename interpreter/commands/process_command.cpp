// The entry point of processes started by tide.process.
#include "bindings/module.h"
#include "interpreter/commands/commands.h"
#include "interpreter/run/state.h"

namespace tide {

int process_command(const Words&) {
  State state(false);
  return finish(state, tide_run_process(state));
}

}  // namespace tide
