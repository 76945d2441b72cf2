// Queries of tide.plot to a terminal that answers, to a silent one, and without one.
#include <string>

#include "tests/interpreter/command.h"
#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

namespace {

using Catch::Matchers::ContainsSubstring;

/// Sends a query and shows the answer, with "<esc>" for escapes, and the size of the terminal.
std::string question(const std::string& seconds) {
  return "local native = require 'tide.native' "
         "local answer = native.ask_terminal('attributes?\\27[c', 'c', " +
         seconds +
         ") "
         "local size = table.concat({native.terminal_size()}, ' ') "
         "print(('answer %s, size %s.'):format((tostring(answer):gsub('\\27', '<esc>')), size)) ";
}

}  // namespace

TEST_CASE("a terminal is queried, and its answer is not echoed", "[terminal]") {
  test::Terminal terminal({"-e", question("30")});
  terminal.read_until("attributes?");
  terminal.type("\x1b[?62;4;22c");
  const std::string shown = terminal.read_until("size");
  CHECK_THAT(shown, ContainsSubstring("answer <esc>[?62;4;22c, size"));
  CHECK(shown.find("62;4") == shown.rfind("62;4"));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("a silent terminal gives no answer", "[terminal]") {
  test::Terminal terminal({"-e", question("0.01")});
  CHECK_THAT(terminal.read_until("."), ContainsSubstring("answer nil, size 200 50 0."));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("type-ahead input is not mistaken for an answer", "[terminal]") {
  test::Terminal terminal({"-e", "io.write('ready\\n') io.flush() io.read() " + question("30") +
                                     "print('then ' .. io.read() .. '!')"});
  terminal.read_until("ready");
  terminal.type("first\nc second\n");
  CHECK_THAT(terminal.read_until("!"),
             ContainsSubstring("answer nil") && ContainsSubstring("then c second!"));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("no query is sent if the output is not a terminal", "[terminal]") {
  CHECK(test::run_tide({"-e", question("30")}).out == "answer nil, size .\n");
}
