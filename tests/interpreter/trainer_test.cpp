// A training by tide.Trainer at a terminal: its progress bar, and Ctrl-C.

#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using test::Terminal;

TEST_CASE("Ctrl-C ends a training after a step, and the session continues", "[interrupt]") {
  Terminal terminal;
  terminal.read_to_prompt();
  for (const char* line :
       {"batch = {tide.ones(3, 2), tide.tensor{1, 2, 1}}; batches = {}\n",
        "for i = 1, 10000000 do batches[i] = batch end\n", "net = tide.nn.Linear(2, 2)\n",
        "trainer = tide.Trainer{max_epochs = 1, device = 'cpu'}\n"}) {
    terminal.type(line);
    terminal.read_to_prompt();
  }
  for (int round = 0; round < 2; ++round) {
    CAPTURE(round);
    terminal.type(
        "trainer:fit(net, batches, {loss = tide.nn.functional.cross_entropy, "
        "optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})})\n");
    const std::string bar = terminal.read_until(" left  loss 0.");
    CHECK_THAT(bar, ContainsSubstring("epoch 1/1 ") && ContainsSubstring("/10000000  ") &&
                        ContainsSubstring("/s  "));
    terminal.type("\x03");
    const std::string answer = terminal.read_to_prompt();
    CHECK_THAT(answer,
               ContainsSubstring("stopping after this step; press Ctrl-C again to stop now"));
    CHECK_THAT(answer, ContainsSubstring("interrupted in epoch 1 after step "));
    CHECK_THAT(answer, ContainsSubstring("nothing is saved without default_root_dir"));
    terminal.type("print('was', trainer.interrupted)\n");
    CHECK_THAT(terminal.read_to_prompt(), ContainsSubstring("was\ttrue"));
  }
}

TEST_CASE("a second Ctrl-C ends a training immediately", "[interrupt]") {
  Terminal terminal;
  terminal.read_to_prompt();
  terminal.type("net = tide.nn.Linear(2, 2)\n");
  terminal.read_to_prompt();
  terminal.type(
      "tide.Trainer{max_epochs = 1, device = 'cpu'}:fit(net, {{tide.ones(3, 2), 1}}, "
      "{loss = function(outputs) print('run' .. 'ning') while true do end end, "
      "optimizer = tide.optim.SGD(net:parameters(), {lr = 0.1})})\n");
  terminal.read_until("\nrunning");
  terminal.type("\x03");
  terminal.read_until("stopping after this step");
  terminal.type("\x03");
  REQUIRE_THAT(terminal.read_to_prompt(), ContainsSubstring("interrupted"));
  terminal.type("6 * 7\n");
  REQUIRE_THAT(terminal.read_to_prompt(), ContainsSubstring("42"));
}
