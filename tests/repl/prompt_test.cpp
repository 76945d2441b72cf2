// The prompt where a transcript says too little: many keys, interrupts, history between sessions.
#include <chrono>
#include <cstdlib>
#include <sstream>

#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using test::Terminal;

namespace {

/// Types a line and returns what was shown up to the next prompt.
std::string answer(Terminal& terminal, const std::string& line) {
  terminal.type(line + "\n");
  return terminal.read_to_prompt();
}

/// The pager of the programs that start while this is there.
struct Pager {
  explicit Pager(const char* command) { setenv("PAGER", command, 1); }
  ~Pager() { unsetenv("PAGER"); }
  Pager(const Pager&) = delete;
  Pager& operator=(const Pager&) = delete;
};

}  // namespace

TEST_CASE("Tab on every prefix of an expression leaves the prompt usable", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  const std::string text =
      "tide.ones(2, 2):matmul(x[1].shape) .. ('a'):rep(2) --[[ require \"tide.nn\" ]]";
  for (size_t size = 0; size <= text.size(); ++size) {
    CAPTURE(text.substr(0, size));
    terminal.type(text.substr(0, size) + "\t\t\x15");  // Ctrl-U deletes the line.
    terminal.type("print('alive' .. " + std::to_string(size) + ")\n");
    CHECK_THAT(terminal.read_until("]\nIn ["),
               ContainsSubstring("\nalive" + std::to_string(size) + "\n"));
  }
}

TEST_CASE("help that is longer than the screen goes through the pager", "[repl]") {
  const Pager pager("sed s/^/paged:/");
  Terminal terminal;
  terminal.read_to_prompt();
  CHECK_THAT(answer(terminal, "?optim"), ContainsSubstring("\npaged:Optimizers\n"));
  CHECK_THAT(answer(terminal, "help()"), ContainsSubstring("\npaged:On a name: "));
  CHECK_THAT(answer(terminal, "?sleep"), ContainsSubstring("\ntide.sleep(seconds)\n"));
  CHECK_THAT(test::run_tide({"help", "optim"}).out, !ContainsSubstring("paged:"));
  Terminal command({"help", "optim"});
  CHECK_THAT(command.read_until("paged:Learning rate"), ContainsSubstring("paged:Optimizers\n"));
  CHECK(command.wait() == 0);
}

TEST_CASE("help does without a pager that cannot be started", "[repl]") {
  for (const char* command : {"", "no-such-pager"}) {
    const Pager pager(command);
    Terminal terminal;
    terminal.read_to_prompt();
    CHECK_THAT(answer(terminal, "?optim"), ContainsSubstring("\nOptimizers\n"));
  }
}

TEST_CASE("Tab completes a field of an element of a field", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  answer(terminal, "box = {inner = {deep = {[3] = {needle = 42}}}}");
  terminal.type("print('found', box.inner.deep[3].nee\t)\n");
  CHECK_THAT(terminal.read_until("]\nIn ["),
             ContainsSubstring("found\t42") || ContainsSubstring("found   42"));
}

TEST_CASE("Tab completes what a chain of 32 tables in __index contains", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  answer(terminal,
         "link = {} chain = link for i = 2, 33 do local next = {['at_' .. i .. '_'] = i} "
         "setmetatable(link, {__index = next}) link = next end");
  terminal.type("print('found', chain.at_32\t, chain.at_33\t)\n");
  const std::string shown = terminal.read_until("]\nIn [");
  CHECK_THAT(shown,
             ContainsSubstring("found\t32\tnil") || ContainsSubstring("found   32      nil"));
}

TEST_CASE("Tab completes names that a value's metatable declares for it", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  answer(terminal,
         "shy = setmetatable({own = 'needle'}, {__index = function(_, name) return #name end, "
         "__names = function(self) return {[rawget(self, 'own')] = true} end})");
  terminal.type("print('found', shy.nee\t)\n");
  CHECK_THAT(terminal.read_until("]\nIn ["),
             ContainsSubstring("found\t6") || ContainsSubstring("found   6"));
}

TEST_CASE("the README's example runs when it is typed line by line", "[repl]") {
  std::istringstream readme(test::read_file(TIDE_TESTS "/../README.md"));
  Terminal terminal;
  terminal.read_to_prompt();
  bool inside = false;
  std::string shown;
  for (std::string line; std::getline(readme, line);) {
    if (inside && line == "```") break;
    if (inside) {
      terminal.type(line + "\n");
      shown += terminal.read_until(": ");
    }
    inside = inside || line == "```lua";
  }
  REQUIRE(inside);
  terminal.type("print('typed')\n");
  shown += terminal.read_until("typed");
  CHECK_THAT(shown, !ContainsSubstring("]:1: ") &&
                        ContainsSubstring("\n0."));  // no error; the loss that it prints
}

TEST_CASE("a pasted block of 500 lines runs as one", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  std::string block = "local sum = 0\n";
  for (int i = 1; i <= 498; ++i) block += "sum = sum + " + std::to_string(i) + "\n";
  terminal.type("\x1b[200~" + block + "print('sum', sum)\x1b[201~\n");
  CHECK_THAT(terminal.read_until("]\nIn ["),
             ContainsSubstring("\nsum\t124251\n") || ContainsSubstring("\nsum     124251\n"));
}

TEST_CASE("500 lines typed faster than they run are all run", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  std::string lines = "n = 0\n";
  for (int i = 1; i <= 498; ++i) lines += "n = n + 1\n";
  terminal.type(lines + "print('n is ' .. n)\n");
  CHECK_THAT(terminal.read_until("n is 498\n"), ContainsSubstring("n is 498"));
}

TEST_CASE("Ctrl-C stops what runs and keeps the state", "[repl]") {
  const char* loops[] = {
      "while true do end",
      "while true do pcall(function() while true do end end) end",
      "coroutine.wrap(function() while true do end end)()",
      "repeat until not coroutine.resume(coroutine.create(function() repeat until nil end))",
      "tide.sleep(1000)",
      "while true do waits = (waits or 0) + 1 slow:add_(1) tide.flush() end",
  };
  Terminal terminal;
  terminal.read_to_prompt();
  answer(terminal, "kept = 42 slow = tide.ones({4}, {device = 'sim:0'})");
  answer(terminal, "tide.sim.configure {index = 0, launch_cost = 0.02}");
  for (const char* loop : loops) {
    CAPTURE(loop);
    terminal.type(std::string(loop) + "\n");
    terminal.read_until_quiet(0.3);
    const auto start = std::chrono::steady_clock::now();
    terminal.type("\x03");
    CHECK_THAT(terminal.read_to_prompt(), ContainsSubstring("interrupted"));
    CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
    CHECK_THAT(answer(terminal, "kept"), ContainsSubstring("\n42\n"));
  }
}

TEST_CASE("a coroutine that was not running is not interrupted later", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  answer(terminal, "co = coroutine.wrap(function() while true do coroutine.yield 'awake' end end)");
  CHECK_THAT(answer(terminal, "co()"), ContainsSubstring("\nawake\n"));
  terminal.type("while true do end\n");
  terminal.read_until_quiet(0.3);
  terminal.type("\x03");
  terminal.read_to_prompt();
  CHECK_THAT(answer(terminal, "co()"), ContainsSubstring("\nawake\n"));
}

TEST_CASE("history outlives the session, blocks of lines included", "[repl]") {
  Terminal first;
  first.read_to_prompt();
  answer(first, "x = 1 \\ 2");
  first.type("for i = 1, 2 do\n");
  first.read_until("...: ");
  answer(first, "print(i * 21) end");
  first.type("\x04");
  CHECK(first.wait() == 0);
  CHECK(test::read_file(first.history_path()) ==
        "x = 1 \\\\ 2\nfor i = 1, 2 do\\n  print(i * 21) end\n");

  Terminal second({}, first.state_path());
  second.read_to_prompt();
  const std::string two_before = "\x10\x10";  // Ctrl-P: the entry before
  CHECK_THAT(answer(second, two_before), ContainsSubstring("unexpected symbol near '\\'"));
  CHECK_THAT(answer(second, two_before), ContainsSubstring("\n21\n42\n"));
}

TEST_CASE("errors, numbers, types, devices and notes have colours", "[repl]") {
  Terminal terminal({}, "", {200, {{"NO_COLOR", ""}}});
  terminal.read_to_prompt();
  const auto shown = [&](const std::string& line) {
    terminal.raw();
    answer(terminal, line);
    return terminal.raw();
  };
  CHECK_THAT(shown("nosuch.field"), ContainsSubstring("\033[31mIn [1]:1: attempt to index"));
  const std::string tensor = shown("tide.ones(1)");
  CHECK_THAT(tensor, ContainsSubstring("\033[36m1.\033[0m"));
  CHECK_THAT(tensor, ContainsSubstring("m\033[0m") || ContainsSubstring("mfloat32\033[0m"));
  CHECK_THAT(tensor, ContainsSubstring("mcpu\033[0m"));
  CHECK_THAT(shown("tide.no_grad()"), ContainsSubstring("\033[33mnote: a scope"));
  CHECK_THAT(shown("1"), ContainsSubstring("\033[2m["));  // the time
}

TEST_CASE("a line gets colours while it is typed, and the signature after it", "[repl]") {
  Terminal terminal({}, "", {200, {{"NO_COLOR", ""}}});
  terminal.read_to_prompt();
  terminal.type("for i = 1, tide.ones(");
  terminal.read_until("tide.ones(shape");
  const std::string raw = terminal.raw();
  CHECK_THAT(raw, ContainsSubstring("mfor\033[0m"));
  CHECK_THAT(raw, ContainsSubstring("\033[2m  tide.ones(shape"));
}

TEST_CASE("%timeit and %time say how long something takes, with its value", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  answer(terminal, "x = tide.ones(8, 8)");
  CHECK_THAT(answer(terminal, "%timeit x:matmul(x)"), ContainsSubstring(" runs on cpu\n"));
  const std::string time = answer(terminal, "%time x:sum():item()");
  CHECK_THAT(time, ContainsSubstring("the host") && ContainsSubstring("of which it waited") &&
                       ContainsSubstring("\n64.0\n"));
  answer(terminal, "tide.sim.configure({launch_cost = 0.5}); x = tide.ones(8, {device = 'sim'})");
  CHECK_THAT(answer(terminal, "%syncs x:sum():item()"),
             ContainsSubstring("item: waited once") && ContainsSubstring("\n8.0\n"));
}

TEST_CASE("%profile shows a profile, which is the result", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  CHECK_THAT(answer(terminal, "%profile tide.ones(3):sum():item()"),
             ContainsSubstring("bound by") && ContainsSubstring("(wait: item)") &&
                 ContainsSubstring("In [1]:1"));
  CHECK_THAT(answer(terminal, "_:summary().events > 0"), ContainsSubstring("\ntrue\n"));
}

TEST_CASE("a prompt on a device makes tensors there", "[repl]") {
  Terminal terminal({"--device", "sim"});
  terminal.read_to_prompt();
  CHECK_THAT(answer(terminal, "tide.ones(1)"),
             ContainsSubstring("tensor([1.]) (1) float32 sim:0\n"));
  CHECK_THAT(answer(terminal, "nn.Linear(1, 1).weight.device"), ContainsSubstring("\nsim:0\n"));
  CHECK_THAT(answer(terminal, "%device cpu"), ContainsSubstring("\ncpu\n"));
  CHECK_THAT(answer(terminal, "tide.ones(1).device"), ContainsSubstring("\ncpu\n"));
}

TEST_CASE("keys that mean nothing leave the prompt and its variables", "[repl]") {
  const char* sequences[] = {
      "\x12\x18"  // Ctrl-R Ctrl-X a
      "a",
      "\x12\x18\x10",  // Ctrl-R Ctrl-X Ctrl-P
      "\x12\x18\x07",  // Ctrl-R Ctrl-X Ctrl-G
      "\x12\x18)",     // Ctrl-R Ctrl-X ), the end of a macro
      "\x1b"
      "3\x12\x18z",     // with a count
      "\x1d\x1bJ",      // Ctrl-] ESC J
      "\x1d\x1by",      // Ctrl-] ESC y
      "\x1b\x1d\x1bJ",  // ESC Ctrl-] ESC J
      "\x1d\x1b[Z",     // Ctrl-] Shift-Tab
  };
  Terminal terminal;
  terminal.read_to_prompt();
  answer(terminal, "kept = 42");
  for (const char* keys : sequences) {
    CAPTURE(keys);
    terminal.type(keys);
    terminal.read_until_quiet(0.2);
    terminal.type("\x03");
    terminal.read_until_quiet(0.2);
    CHECK_THAT(answer(terminal, "'kept is ' .. kept"), ContainsSubstring("\nkept is 42\n"));
  }
}

TEST_CASE("Ctrl-C ends a search of the history, and the prompt is whole again", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  answer(terminal, "found = 1");
  terminal.type(
      "\x12"
      "foun");
  terminal.read_until_quiet(0.3);
  terminal.type("\x03");
  CHECK_THAT(terminal.read_until("In [2]: "), ContainsSubstring("^C\nIn [2]: "));
  CHECK_THAT(answer(terminal, "found"), ContainsSubstring("\n1\n"));
}

TEST_CASE("the arrow up finds entries that begin as what is typed", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  for (const char* line : {"alpha = 'first'", "beta = 2", "alpha = 'second'", "gamma = 3"})
    answer(terminal, line);
  answer(terminal, "al\x1b[A\x1b[A");
  CHECK_THAT(answer(terminal, "alpha"), ContainsSubstring("\nfirst\n"));
  answer(terminal, "\x1b[A\x1b[A\x1b[A\x1b[B");  // with nothing typed: all entries, and back
  CHECK_THAT(answer(terminal, "alpha"), ContainsSubstring("\nfirst\n"));
}

TEST_CASE("a pasted line may end in two bytes", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  terminal.type("\x1b[200~text = [[\r\na\r\nb]]\r\n\x1b[201~\r");
  terminal.read_to_prompt();
  CHECK_THAT(answer(terminal, "#text"), ContainsSubstring("\n3\n"));
}

TEST_CASE("what the prompt prints breaks between words", "[repl]") {
  Terminal terminal({}, "", {60});
  CHECK_THAT(terminal.read_to_prompt(), ContainsSubstring("tide "));
  CHECK_THAT(answer(terminal, "?index_reduce"),
             ContainsSubstring("    Reduces parts at the positions of a vector: prod, mean,\n"
                               "    amax, amin, sum\n"));
  CHECK_THAT(answer(terminal, "tide.ones(3):matmul(tide.ones(4, 5), 'and more')"),
             ContainsSubstring("\nIn [2]:1: "));
  CHECK_THAT(
      answer(terminal, "error(('word '):rep(20), 0)"),
      ContainsSubstring("word word word word word word word word word word word word\nword"));
}

TEST_CASE("a word that no row holds stands alone, and spaces at the end of a line are dropped",
          "[repl]") {
  Terminal terminal({}, "", {40});
  terminal.read_to_prompt();
  const std::string word(45, 'w');
  CHECK_THAT(answer(terminal, "error('before ' .. ('w'):rep(45) .. ' after', 0)"),
             ContainsSubstring("\nbefore\n" + word + "\nafter\n"));
  CHECK_THAT(answer(terminal, "error('short' .. (' '):rep(60) .. '\\nnext', 0)"),
             ContainsSubstring("\nshort\nnext\n"));
}

TEST_CASE("the greeting fits a terminal of 80 columns", "[repl]") {
  Terminal terminal({}, "", {80});
  std::istringstream lines(terminal.read_to_prompt());
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("Ctrl-D leaves with status 0", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  terminal.type("\x04");
  CHECK(terminal.wait() == 0);
}

TEST_CASE("os.exit leaves with its status", "[repl]") {
  Terminal terminal;
  terminal.read_to_prompt();
  terminal.type("os.exit(7)\n");
  CHECK(terminal.wait() == 7);
}
