// Ctrl-C in the middle of a training: no step takes half effect, and the session goes on.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "tests/interpreter/terminal.h"

using Catch::Matchers::Contains;
using test::Terminal;

TEST_CASE("Ctrl-C at 100 random points leaves the parameters of some step", "[interrupt]") {
  constexpr int kPoints = 100;
  constexpr unsigned kLongest = 30'000;  // microseconds
  Terminal terminal;
  terminal.read_to_prompt();
  terminal.type("dofile '" TIDE_TESTS "/interpreter/interrupted_training.lua'\n");
  terminal.read_to_prompt();
  std::mt19937 random(7);
  std::set<std::string> answers;
  int stopped = 0;
  for (int point = 0; point < kPoints; ++point) {
    terminal.type("train()\n");
    usleep(random() % kLongest);
    terminal.type("\x03");
    // One that comes too late gives a prompt of its own.
    std::string shown = terminal.read_to_prompt();
    shown += terminal.read_until_quiet(0.02);
    stopped += shown.find("interrupted") != std::string::npos;
    terminal.type("check()\n");
    const std::string answer = terminal.read_until("]\n> ");
    CAPTURE(point, answer);
    REQUIRE_THAT(answer, Contains("whole steps\t"));
    const size_t number = answer.find("whole steps\t");
    answers.insert(answer.substr(number, answer.find('\n', number) - number));
  }
  CHECK(stopped > kPoints / 2);
  CHECK(answers.size() > 10);
}
