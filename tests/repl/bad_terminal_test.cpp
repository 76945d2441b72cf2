// The prompt where its surroundings are bad: narrow, dying and dumb terminals, broken settings, no
// place for the history, lines beyond measure.
#include <signal.h>

#include <filesystem>
#include <string>

#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using test::Surroundings;
using test::Terminal;

namespace {

/// Types a line and returns what was shown up to the next prompt.
std::string answer_on(Terminal& terminal, const std::string& line) {
  terminal.type(line + "\n");
  return terminal.read_to_prompt();
}

/// As from a clipboard: tabs stay tabs.
std::string pasted(const std::string& text) { return "\x1b[200~" + text + "\x1b[201~"; }

const std::string kWide =
    "print(('columns '):rep(9), 'of a line that no row of this terminal holds')";

}  // namespace

TEST_CASE("a window of few columns, with colours", "[repl]") {
  for (const unsigned short columns : {10, 2, 1, 0}) {
    CAPTURE(columns);
    Terminal terminal({}, "", {columns, {{"NO_COLOR", ""}}});
    terminal.read_to_prompt();
    // The prompt itself is drawn again and again: what is waited for are the answers.
    terminal.type("1 + 41\n");
    terminal.read_until("\n42\n");
    terminal.type(kWide + "\n");
    terminal.read_until("holds\n");
    terminal.type("nosuch.field\n");
    terminal.read_until("'nosuch')\n");
    terminal.type("tide.nn.Linear(\t\t");  // a hint, and candidates
    terminal.read_until_quiet(0.4);        // Ctrl-C overtakes keys
    terminal.type("\x03");
    terminal.read_until("^C\n");
    terminal.type("'still ' .. 'here'\n");
    CHECK_THAT(terminal.read_until("\nstill here\n"), ContainsSubstring("still here"));
  }
}

TEST_CASE("a line is broken where its indentation is wider than the window", "[repl]") {
  Terminal terminal({"-e",
                     "io.write(require('tide.native').break_lines((' '):rep(66) .. 'GPUs, other "
                     "programs'), '|\\n')"},
                    "", {60});
  CHECK_THAT(terminal.read_until("|"),
             ContainsSubstring("\n" + std::string(40, ' ') + "GPUs, other programs|"));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("a dumb terminal shows no colours", "[repl]") {
  Terminal terminal({}, "", {80, {{"NO_COLOR", ""}, {"TERM", "dumb"}}});
  terminal.read_to_prompt();
  CHECK_THAT(answer_on(terminal, kWide), ContainsSubstring("holds\n"));
  CHECK_THAT(answer_on(terminal, "?sleep"), ContainsSubstring("tide.sleep(seconds)"));
}

TEST_CASE("a terminal that dies ends the program, and the history is whole", "[repl]") {
  const std::string beginnings[] = {
      "half of a li",                             // in the middle of a line
      "for i = 1, 3 do\n",                        // in the middle of an input
      "while true do end\n",                      // while Lua runs
      "while true do print 'still there' end\n",  // while it prints
      "tide.sleep(1000)\n",
      "x = tide.ones(6000, 6000); x:matmul(x):sum():item()\n",  // in a wait for a device
  };
  for (const std::string& beginning : beginnings) {
    CAPTURE(beginning);
    Terminal terminal;
    terminal.read_to_prompt();
    answer_on(terminal, "kept = 1");
    terminal.type(beginning);
    terminal.read_until(beginning.substr(0, 8));
    terminal.hang_up();
    const int status = terminal.wait();
    CHECK((status == 0 || status == 128 + SIGHUP));
    const std::string history = test::read_file(terminal.history_path());
    const bool is_input = beginning.ends_with('\n') && !beginning.starts_with("for");
    CHECK((history == "kept = 1\n" || (is_input && history == "kept = 1\n" + beginning)));
  }
}

TEST_CASE("a locale that is not there", "[repl]") {
  Terminal terminal({}, "", {80, {{"LC_ALL", "no_SUCH.UTF-8"}, {"NO_COLOR", ""}}});
  terminal.read_to_prompt();
  CHECK_THAT(answer_on(terminal, "#'\xC3\xA4\xE6\x97\xA5'"), ContainsSubstring("\n5\n"));
  CHECK_THAT(answer_on(terminal, "'\xC3\xA4' .. '\xE6\x97\xA5'"),
             ContainsSubstring("\n\xC3\xA4\xE6\x97\xA5\n"));
  CHECK_THAT(answer_on(terminal, "1.5"), ContainsSubstring("\n1.5\n"));
}

TEST_CASE("unicode and tabs in a line, with colours", "[repl]") {
  Terminal terminal({}, "", {20, {{"LC_ALL", "C.UTF-8"}, {"NO_COLOR", ""}}});
  terminal.read_to_prompt();
  CHECK_THAT(
      answer_on(terminal,
                pasted("if true then\n\tprint('\xC3\xA4\t\xE6\x97\xA5', #'\t\xC3\xA4')\nend")),
      ContainsSubstring("\xE6\x97\xA5") && ContainsSubstring("3\n"));
  CHECK_THAT(answer_on(terminal,
                       pasted("#'\xE6\x97\xA5\xE6\x97\xA5\xE6\x97\xA5\xE6\x97\xA5\xE6\x97\xA5'")),
             ContainsSubstring("\n15\n"));
  CHECK_THAT(answer_on(terminal, pasted("#'\xFF\xFE'")), ContainsSubstring("\n2\n"));  // no UTF-8
}

TEST_CASE("a line of 100,000 columns", "[repl]") {
  Terminal terminal({}, "", {80, {{"NO_COLOR", ""}}});
  terminal.read_to_prompt();
  terminal.type(pasted("long = '" + std::string(100000, 'x') + "'") + "\n");
  terminal.read_until("]\nIn [");
  CHECK_THAT(answer_on(terminal, "#long"), ContainsSubstring("\n100000\n"));
  terminal.type(pasted("error('" + std::string(100000, 'y') + "')") + "\n");
  CHECK_THAT(terminal.read_until("]\nIn ["), ContainsSubstring("yyy\n"));
  CHECK(std::filesystem::file_size(terminal.history_path()) > 200000);
}

TEST_CASE("a history that is a folder, and a home that cannot be written to", "[repl]") {
  const test::TemporaryFolder state;
  std::filesystem::create_directories(state.path() + "/tide/history");
  {
    Terminal terminal({}, state.path());
    terminal.read_to_prompt();
    CHECK_THAT(answer_on(terminal, "6 * 7"), ContainsSubstring("\n42\n"));
    CHECK_THAT(answer_on(terminal, "\x10"), ContainsSubstring("\n42\n"));  // the entry before
    terminal.type("\x04");
    CHECK(terminal.wait() == 0);
  }
  for (const char* folder : {"/proc", "/dev/null", "/dev/null/home"}) {
    CAPTURE(folder);
    Terminal terminal({}, "", {80, {{"XDG_STATE_HOME", ""}, {"HOME", folder}}});
    terminal.read_to_prompt();
    CHECK_THAT(answer_on(terminal, "6 * 7"), ContainsSubstring("\n42\n"));
    CHECK_THAT(answer_on(terminal, "tide.ones(2) + 1"), ContainsSubstring("tensor([2., 2.])"));
    terminal.type("\x04");
    CHECK(terminal.wait() == 0);
  }
}
