// `tide lesson N` at a terminal: text, code and output in order, and the question at each section.

#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Terminal;

TEST_CASE("a lesson stops at its sections, and shows text and code before what they print",
          "[lesson]") {
  Terminal terminal({"lesson", "1"});
  std::string shown = terminal.read_until("q leaves: ");
  CHECK_THAT(shown, StartsWith("\nLesson 1: tensors. "));
  CHECK_THAT(shown, ContainsSubstring("\n1. As much Lua as you need\n--------------------------\n"
                                      "`local` makes a variable. "));
  const size_t code = shown.find("\n  | for i, value in ipairs(list) do print(");
  const size_t output = shown.find("\n  list[1] is 10\n  list[2] is 20\n");
  CHECK(code < output);
  CHECK(output != std::string::npos);
  CHECK_THAT(shown, !ContainsSubstring("2. A tensor\n"));
  CHECK_THAT(shown, ContainsSubstring("-- Enter goes on with 2. A tensor; q leaves: "));
  terminal.type("\n");
  shown = terminal.read_until("q leaves: ");
  CHECK_THAT(shown, ContainsSubstring("\n2. A tensor\n-----------\n"));
  terminal.type("q\n");
  CHECK(terminal.wait() == 0);
}

TEST_CASE("a lesson ends with the end of the input, and by Ctrl-C", "[lesson]") {
  Terminal at_the_end({"lesson", "1"});
  at_the_end.read_until("q leaves: ");
  at_the_end.type("\x04");
  CHECK(at_the_end.wait() == 0);
  Terminal interrupted({"lesson", "1"});
  interrupted.read_until("q leaves: ");
  interrupted.type("\x03");
  CHECK(interrupted.wait() != 0);
}

TEST_CASE("--all does not stop, nor does what is not a terminal", "[lesson]") {
  Terminal terminal({"lesson", "1", "--all"});
  CHECK_THAT(terminal.read_until("`tide lesson 1 --answers` shows answers."),
             ContainsSubstring("\n7. A first slope\n"));
  CHECK(terminal.wait() == 0);
  const test::Outcome outcome = test::run_tide({"lesson", "1"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("\n7. A first slope\n") &&
                              !ContainsSubstring("q leaves") && !ContainsSubstring("\x1b["));
}
