// The command line: the manners of `lua`, and what tide adds.
#include <catch2/catch.hpp>

#include "tests/interpreter/command.h"

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using test::Outcome;
using test::run_tide;
using test::TemporaryFolder;

TEST_CASE("-e runs a text", "[command line]") {
  const Outcome outcome = run_tide({"-e", "print(1 + 1)"});
  CHECK(outcome.out == "2\n");
  CHECK(outcome.err.empty());
  CHECK(outcome.status == 0);
}

TEST_CASE("the module is a global before the script runs", "[command line]") {
  CHECK(run_tide({"-e", "print(type(tide), tide == require 'tide')"}).out == "table\ttrue\n");
}

TEST_CASE("several -e and -l run in their order", "[command line]") {
  const Outcome outcome =
      run_tide({"-e", "x = 1", "-l", "s=string", "-ex = x + 1 print(x, s.rep)"});
  CHECK_THAT(outcome.out, StartsWith("2\tfunction: builtin") || StartsWith("2\tfunction: 0x"));
}

TEST_CASE("a script sees its arguments", "[command line]") {
  const TemporaryFolder folder;
  folder.write("show.lua", "#!/usr/bin/env tide\nprint(arg[0], arg[-1], arg[1], #arg, ...)");
  CHECK(run_tide({"show.lua", "a", "-i"}, "", folder.path()).out ==
        "show.lua\ttide\ta\t2\ta\t-i\n");
  CHECK(run_tide({"-e", "", "--", "show.lua", "b"}, "", folder.path()).out ==
        "show.lua\t--\tb\t1\tb\n");
}

TEST_CASE("standard input is a script when nothing else is", "[command line]") {
  CHECK(run_tide({}, "print(3)").out == "3\n");
  CHECK(run_tide({"-", "a"}, "print(...)").out == "a\n");
}

TEST_CASE("-i prompts after the script, without marks when that is no terminal", "[command line]") {
  const Outcome outcome = run_tide({"-i", "-e", "x = 20"}, "x + 1\nx +\n1\n= 5\n");
  CHECK_THAT(outcome.out, StartsWith("tide "));
  CHECK_THAT(outcome.out, Contains("\n21\n21\n5\n"));
  CHECK(outcome.status == 0);
}

TEST_CASE("the exit status is lua's", "[command line]") {
  CHECK(run_tide({"-e", "os.exit(3)"}).status == 3);
  CHECK(run_tide({"-e", "os.exit(true)"}).status == 0);
  CHECK(run_tide({"-e", "os.exit(false)"}).status == 1);
  CHECK(run_tide({"-e", "os.exit(4, true)"}).status == 4);
  CHECK(run_tide({"-e", "error 'x'"}).status == 1);
  CHECK(run_tide({"-e", "x ="}).status == 1);
  CHECK(run_tide({"missing.lua"}).status == 1);
  CHECK(run_tide({"-x"}).status == 1);
}

TEST_CASE("os.exit writes out what was printed and closes variables when asked", "[command line]") {
  const char* script =
      "io.write('kept') local _ <close> = setmetatable({}, {__close = function() io.write('!') "
      "end})"
      " os.exit(0, true)";
  CHECK(run_tide({"-e", script}).out == "kept!");
}

TEST_CASE("a wrong option says so and shows the usage", "[command line]") {
  CHECK_THAT(run_tide({"-x"}).err, StartsWith("tide: unrecognized option '-x'\nusage: tide"));
  CHECK_THAT(run_tide({"-e"}).err, StartsWith("tide: '-e' needs argument\n"));
  CHECK_THAT(run_tide({"run"}).err, StartsWith("tide: run: no script named\nusage: tide run"));
  CHECK_THAT(run_tide({"test", "--jobs", "0"}).err,
             StartsWith("tide: --jobs needs a whole number from 1 on: got '0'\n"));
}

TEST_CASE("every command answers --help", "[command line]") {
  for (const char* command : {"run", "test", "lesson", "bench", "info", "smi", "help"}) {
    const Outcome outcome = run_tide({command, "--help"});
    CHECK_THAT(outcome.out, StartsWith(std::string("usage: tide ") + command));
    CHECK(outcome.status == 0);
  }
  CHECK_THAT(run_tide({"--help"}).out, StartsWith("usage: tide [options]"));
}

TEST_CASE("help fails on a name that there is not", "[command line]") {
  CHECK(run_tide({"help", "softmax"}).status == 0);
  const Outcome outcome = run_tide({"help", "softmaxx"});
  CHECK(outcome.status == 1);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, StartsWith("tide: there is no help on 'softmaxx'; near it: softmax"));
}

TEST_CASE("run takes options before and behind the script", "[command line]") {
  const TemporaryFolder folder;
  folder.write("show.lua", "print(...)");
  const auto out = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    return run_tide(words, "", folder.path()).out;
  };
  CHECK(out({"show.lua", "--device", "cpu", "a", "--seed=1", "b"}) == "a\tb\n");
  CHECK(out({"--device=cpu", "show.lua", "a"}) == "a\n");
  CHECK(out({"show.lua", "--", "--device", "a"}) == "--device\ta\n");
}

TEST_CASE("precompiled chunks are refused everywhere", "[command line]") {
  const TemporaryFolder folder;
  folder.write("make.lua",
               "local file = io.open('made.lua', 'wb') file:write(string.dump(function() end))");
  REQUIRE(run_tide({"make.lua"}, "", folder.path()).status == 0);
  CHECK_THAT(run_tide({"made.lua"}, "", folder.path()).err,
             Contains("attempt to load a binary chunk"));
  for (const char* use : {"load(string.dump(function() end))", "load(string.dump(print), 'x', 'b')",
                          "loadfile('made.lua')", "loadfile('made.lua', 'b')",
                          "pcall(dofile, 'made.lua')", "pcall(require, 'made')"}) {
    CAPTURE(use);
    const std::string script = std::string("print((") + use + "))";
    const std::string out = run_tide({"-e", script}, "", folder.path()).out;
    const bool refused = out == "nil\n" || out == "false\n" || out.empty();
    CHECK(refused);
  }
}

TEST_CASE("LUA_INIT is run, and -E ignores it", "[command line]") {
  setenv("LUA_INIT", "print 'init'", 1);
  CHECK(run_tide({"-e", "print(1)"}).out == "init\n1\n");
  CHECK(run_tide({"-E", "-e", "print(1)"}).out == "1\n");
  unsetenv("LUA_INIT");
}

TEST_CASE("the lessons are listed with their first lines", "[command line]") {
  const Outcome outcome = run_tide({"lesson"});
  CHECK_THAT(outcome.out, StartsWith("01_devices "));
  CHECK(outcome.status == 0);
  CHECK_THAT(run_tide({"lesson", "devices", "--show"}).out, StartsWith("-- "));
  CHECK_THAT(run_tide({"lesson", "99"}).err, StartsWith("tide: lesson: there is no lesson '99'\n"));
}
