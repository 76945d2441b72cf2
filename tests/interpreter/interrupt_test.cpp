// Ctrl-C during training: no partial step is applied, and the session continues.
#include <unistd.h>

#include <chrono>
#include <random>
#include <set>

#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using test::Terminal;

TEST_CASE("Ctrl-C at 100 random points leaves the parameters of a complete step", "[interrupt]") {
  constexpr int kPoints = 100;
  Terminal terminal;
  terminal.read_to_prompt();
  terminal.type("dofile '" TIDE_TESTS "/interpreter/interrupted_training.lua'\n");
  terminal.read_to_prompt();
  // The present duration of a training on this machine.
  const auto start = std::chrono::steady_clock::now();
  terminal.type("train()\n");
  terminal.read_until("trained");
  const std::chrono::duration<double, std::micro> whole = std::chrono::steady_clock::now() - start;
  terminal.type("\x03");
  terminal.read_to_prompt();
  terminal.type("check()\n");
  terminal.read_until("]\nIn [");
  const auto longest = static_cast<unsigned>(whole.count());
  std::mt19937 random(7);
  std::set<std::string> answers;
  for (int point = 0; point < kPoints; ++point) {
    terminal.type("train()\n");
    terminal.read_until("\ntraining");
    usleep(random() % longest);
    terminal.type("\x03");
    REQUIRE_THAT(terminal.read_to_prompt(), ContainsSubstring("interrupted"));
    terminal.type("check()\n");
    const std::string answer = terminal.read_until("]\nIn [");
    CAPTURE(point, answer);
    REQUIRE_THAT(answer, ContainsSubstring("whole steps\t"));
    const size_t number = answer.find("whole steps\t");
    answers.insert(answer.substr(number, answer.find('\n', number) - number));
  }
  CHECK(answers.size() > 10);
}

TEST_CASE("Ctrl-C ends a profile, and the next one can begin", "[interrupt]") {
  Terminal terminal;
  terminal.read_to_prompt();
  for (int round = 0; round < 5; ++round) {
    terminal.type(
        "tide.profile(function() print('profi' .. 'ling'); while true do tide.ones(9):sum():item() "
        "end end)\n");
    terminal.read_until("\nprofiling");
    usleep(20000);
    terminal.type("\x03");
    REQUIRE_THAT(terminal.read_to_prompt(), ContainsSubstring("interrupted"));
    terminal.type(
        "tide.profile(function() return tide.ones(9):sum():item() end):table()[1].name\n");
    CHECK_THAT(terminal.read_to_prompt(), ContainsSubstring("sum"));
  }
}

TEST_CASE("Ctrl-C ends a wait for another thread, and the session continues", "[interrupt]") {
  Terminal terminal;
  terminal.read_to_prompt();
  for (const char* line :
       {"c = tide.channel(); print('wait' .. 'ing'); c:pop()\n",
        "t = tide.thread(function() while true do end end); print('wait' .. 'ing'); t:join()\n",
        "print('wait' .. 'ing'); for _ in tide.data.DataLoader({1}, {num_workers = 1, collate_fn = "
        "function() while true do end end}):iter() do end\n"}) {
    CAPTURE(line);
    terminal.type(line);
    terminal.read_until("\nwaiting");
    terminal.type("\x03");
    REQUIRE_THAT(terminal.read_to_prompt(), ContainsSubstring("interrupted"));
  }
  terminal.type("tide.thread(function() return 6 * 7 end):join()\n");
  REQUIRE_THAT(terminal.read_to_prompt(), ContainsSubstring("42"));
}

TEST_CASE("Ctrl-C stops a large matmul while it runs", "[interrupt]") {
  for (const char* device : {"cpu", "sim"}) {
    CAPTURE(device);
    Terminal terminal;
    terminal.read_to_prompt();
    terminal.type(std::string("tide.set_num_threads(1); tide.set_default_device '") + device +
                  "'\n");
    terminal.read_to_prompt();
    terminal.type("x = tide.randn(7000, 7000); tide.synchronize()\n");
    terminal.read_to_prompt();
    terminal.type("p = x:matmul(x); tide.flush(); print('start' .. 'ed'); p:sum():item()\n");
    terminal.read_until("\nstarted");
    terminal.read_until_quiet(0.1);
    terminal.type("\x03");
    CHECK_THAT(terminal.read_to_prompt(),
               ContainsSubstring("stopping a wait for a device (item)") &&
                   ContainsSubstring("interrupted") &&
                   ContainsSubstring(" queued ops were dropped"));
    terminal.type("p:sum():item()\n");
    CHECK_THAT(terminal.read_to_prompt(),
               ContainsSubstring("matmul: interrupted before it was done"));
    terminal.type("x:narrow(1, 1, 1):numel()\n");
    CHECK_THAT(terminal.read_to_prompt(), ContainsSubstring("\n7000\n"));
  }
}
