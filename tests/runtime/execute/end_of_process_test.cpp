// What ends a process, on whichever thread.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "runtime/record/device_state.h"
#include "tests/support/catch.h"

using namespace tide;

namespace {

constexpr const char* kAsked = "TIDE_TEST_END_OF_PROCESS";

}  // namespace

// Run by the next one in a process of its own, and only there: filters that only leave tests out
// run hidden ones too.
TEST_CASE("a queue's thread ends its process", "[.end-of-process]") {
  if (!std::getenv(kAsked)) return;
  Queue& queue = *DeviceState::of({}).streams().front()->queue;
  const uint64_t ticket = queue.submit_task([](Task& task) { task.run = [] { std::exit(7); }; });
  queue.wait_uninterrupted(ticket);
}

TEST_CASE("a process may end on a queue's thread", "[execute]") {
  const std::string program =
      std::string(kAsked) + "=1 timeout 60 /proc/" + std::to_string(getpid()) + "/exe";
  const int status = std::system((program + " '[.end-of-process]' > /dev/null").c_str());
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
}
