// `tide lesson N` at a terminal: text, code and output in order, and the pause at each section.

#include <sstream>

#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using test::Terminal;

namespace {

constexpr char kQuestion[] = "Lua is run: ";

const test::Surroundings kHigh = {200, {}, 500};  ///< A section fits.

}  // namespace

TEST_CASE("a lesson pauses at its sections, and shows text and code before their output",
          "[lesson]") {
  Terminal terminal({"lesson", "1"}, "", kHigh);
  std::string shown = terminal.read_until(kQuestion);
  CHECK_THAT(shown, StartsWith("\nLesson 1: tensors. "));
  CHECK_THAT(shown, ContainsSubstring("\n1. As much Lua as you need\n--------------------------\n"
                                      "`local` declares a variable. "));
  const size_t code = shown.find("\n  | for i, value in ipairs(list) do print(");
  const size_t output = shown.find("\n  list[1] is 10\n  list[2] is 20\n");
  CHECK(code < output);
  CHECK(output != std::string::npos);
  CHECK_THAT(shown, !ContainsSubstring("2. A tensor\n"));
  CHECK_THAT(shown, ContainsSubstring("-- Enter goes on with 2. A tensor; q leaves; Lua is run: "));
  terminal.type("\n");
  shown = terminal.read_until(kQuestion);
  CHECK_THAT(shown, ContainsSubstring("\n2. A tensor\n-----------\n"));
  terminal.type("q\n");
  CHECK(terminal.wait() == 0);
}

TEST_CASE("a lesson is shown screen by screen, its lines wrapped between words", "[lesson]") {
  Terminal terminal({"lesson", "1"}, "", {80, {}, 24});
  std::string all;
  int pages = 0;
  for (std::string shown = terminal.read_until(kQuestion); pages < 20; ++pages) {
    if (pages > 0) shown.erase(0, 1);  // the echo of Enter, in the row of the question
    std::istringstream lines(shown);
    int rows = 0;
    for (std::string line; std::getline(lines, line); ++rows) CHECK(line.size() <= 80);
    CHECK(rows <= 24);
    all += shown;
    terminal.type("\n");
    shown = terminal.read_until(kQuestion);
  }
  CHECK_THAT(all, ContainsSubstring(
                      "\nclaim below is checked by an `assert`, so what you read here is what "
                      "this\nmachine did."));
  CHECK_THAT(all, ContainsSubstring("-- Enter goes on; q leaves; Lua is run: "));
  CHECK_THAT(all, !ContainsSubstring("local function heading"));
  // The comment of a helper is code.
  CHECK_THAT(all,
             ContainsSubstring("  | --- Runs something that fails and shows what it says; checks "
                               "that these\n  | --- words are in it.\n  | local function fails("));
}

TEST_CASE("Lua that is typed at a pause of a lesson is run with its variables", "[lesson]") {
  Terminal terminal({"lesson", "1"}, "", kHigh);
  terminal.read_until("2. A tensor; q leaves; Lua is run: ");
  const auto answer = [&](const std::string& line) {
    terminal.type(line + "\n");
    return terminal.read_until(kQuestion);
  };
  CHECK_THAT(answer("total + #list"), ContainsSubstring("\n63\n"));
  answer("total = total + 1; mine = 'kept'");
  CHECK_THAT(answer("mine, total"),
             ContainsSubstring("\nkept    61\n") || ContainsSubstring("\nkept\t61\n"));
  CHECK_THAT(answer("nothing.there"), ContainsSubstring("attempt to index a nil value"));
  CHECK_THAT(answer("for"), ContainsSubstring("the line is unfinished"));
  CHECK_THAT(answer(""), ContainsSubstring("\n2. A tensor\n-----------\n"));
}

TEST_CASE("a lesson ends with the end of the input, and by Ctrl-C", "[lesson]") {
  Terminal at_the_end({"lesson", "1"});
  at_the_end.read_until(kQuestion);
  at_the_end.type("\x04");
  CHECK(at_the_end.wait() == 0);
  Terminal interrupted({"lesson", "1"});
  interrupted.read_until(kQuestion);
  interrupted.type("\x03");
  CHECK(interrupted.wait() != 0);
}

TEST_CASE("without a terminal, or with --all, a lesson does not pause", "[lesson]") {
  Terminal terminal({"lesson", "1", "--all"});
  CHECK_THAT(terminal.read_until("`tide lesson 1 --answers` shows answers."),
             ContainsSubstring("\n7. A first slope\n"));
  CHECK(terminal.wait() == 0);
  const test::Outcome outcome = test::run_tide({"lesson", "1"});
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, ContainsSubstring("\n7. A first slope\n") &&
                              !ContainsSubstring("q leaves") && !ContainsSubstring("\x1b["));
}
