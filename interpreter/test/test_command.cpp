#include "interpreter/commands/commands.h"
namespace tide {
int test_command(const Words&) { return 0; }
int test_worker_command(const Words&) { return 0; }
}  // namespace tide
