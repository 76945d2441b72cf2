// What tide.plot asks the terminal, at one that answers, one that is silent, and none.
#include <string>

#include "tests/interpreter/command.h"
#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

namespace {

using Catch::Matchers::ContainsSubstring;

/// Asks "attributes?" and shows the answer, with "<esc>" for escapes, and the size of the terminal.
std::string question(const std::string& seconds) {
  return "local native = require 'tide.native' "
         "local answer = native.ask_terminal('attributes?\\27[c', 'c', " +
         seconds +
         ") "
         "local size = table.concat({native.terminal_size()}, ' ') "
         "print(('answer %s, size %s.'):format((tostring(answer):gsub('\\27', '<esc>')), size)) ";
}

}  // namespace

TEST_CASE("a terminal is asked, and its answer is not echoed", "[terminal]") {
  test::Terminal terminal({"-e", question("30")});
  terminal.read_until("attributes?");
  terminal.type("\x1b[?62;4;22c");
  const std::string shown = terminal.read_until("size");
  CHECK_THAT(shown, ContainsSubstring("answer <esc>[?62;4;22c, size"));
  CHECK(shown.find("62;4") == shown.rfind("62;4"));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("a silent terminal has no answer", "[terminal]") {
  test::Terminal terminal({"-e", question("0.01")});
  CHECK_THAT(terminal.read_until("."), ContainsSubstring("answer nil, size 200 50 0."));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("what was typed ahead is not taken for an answer", "[terminal]") {
  test::Terminal terminal({"-e", "io.write('ready\\n') io.flush() io.read() " + question("30") +
                                     "print('then ' .. io.read() .. '!')"});
  terminal.read_until("ready");
  terminal.type("first\nc second\n");
  CHECK_THAT(terminal.read_until("!"),
             ContainsSubstring("answer nil") && ContainsSubstring("then c second!"));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("no question is asked if the output is not a terminal", "[terminal]") {
  CHECK(test::run_tide({"-e", question("30")}).out == "answer nil, size .\n");
}
