// The command line: conventions of `lua`, and tide's additions.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
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

TEST_CASE("a word that is neither a script nor a command shows the commands", "[command line]") {
  const Outcome outcome = run_tide({"hlep"});
  CHECK(outcome.err ==
        "tide: cannot open hlep: No such file or directory; "
        "`tide --help` lists the commands\n");
  CHECK(outcome.status == 1);
}

TEST_CASE("standard input is a script if there is no other", "[command line]") {
  CHECK(run_tide({}, "print(3)").out == "3\n");
  CHECK(run_tide({"-", "a"}, "print(...)").out == "a\n");
  CHECK(run_tide({}, "# a first line as of a file\nprint(3)").out == "3\n");
}

TEST_CASE("common mistakes get a hint, for any source of the text", "[command line]") {
  const char* text = "local x = tide.ones(2)\nprint(x.sum())";
  const char* call =
      ":2: sum: argument 1 (x): expected tensor, got nothing; use ':', as in x:sum()\n";
  CHECK_THAT(run_tide({}, text).err, EndsWith(std::string("stdin") + call));
  CHECK_THAT(run_tide({"-e", text}).err, EndsWith(std::string("(command line)") + call));
  CHECK(run_tide({}, "x += 1").err == "tide: stdin:1: syntax error near '+'\nin Lua: x = x + 1\n");
  CHECK(run_tide({"-e", "x += 1"}).err ==
        "tide: (command line):1: syntax error near '+'\nin Lua: x = x + 1\n");
}

TEST_CASE("-i prompts after the script, and reads lines if there is no terminal",
          "[command line]") {
  const Outcome outcome = run_tide({"-i", "-e", "x = 20"}, "x + 1\nx +\n1\n= 5\n");
  CHECK_THAT(outcome.out, StartsWith("tide "));
  CHECK_THAT(outcome.out,
             ContainsSubstring(
                 "\nIn [1]: x + 1\n21\nIn [2]: x +\n   ...: 1\n21\nIn [3]: = 5\n5\nIn [4]: \n"));
  CHECK(outcome.status == 0);
}

TEST_CASE("the prompt shows _PROMPT and _PROMPT2", "[command line]") {
  const char* texts =
      "local n = 0 _PROMPT = setmetatable({}, {__tostring = function() n = n + 1 return n .. ':' "
      "end}) _PROMPT2 = '...'";
  CHECK_THAT(run_tide({"-i", "-e", texts}, "a =\n2\n").out,
             ContainsSubstring("\n1:a =\n...2\n2:\n"));
  const Outcome wrong = run_tide(
      {"-i", "-e", "_PROMPT = setmetatable({}, {__tostring = function() error 'none' end})"},
      "7\n");
  CHECK_THAT(wrong.out, ContainsSubstring("In [1]: 7\n7\n"));
  CHECK_THAT(wrong.err, ContainsSubstring("none"));
}

TEST_CASE("the prompt works without print", "[command line]") {
  const Outcome outcome = run_tide({"-e", "print = nil", "-i"}, "10\nio.write 'on'\n");
  CHECK_THAT(outcome.err, StartsWith("error calling 'print' (attempt to call a nil value)"));
  CHECK_THAT(outcome.out, ContainsSubstring("on"));
}

TEST_CASE("arg holds the entire command line", "[command line]") {
  const char* show =
      "local first = 0 while arg[first - 1] do first = first - 1 end "
      "print(table.concat(arg, ' ', first))";
  const TemporaryFolder folder;
  folder.write("show.lua", show);
  const auto out = [&](const std::vector<std::string>& words) {
    return run_tide(words, "", folder.path()).out;
  };
  CHECK(out({"-e", "x = 1", "show.lua", "a"}) == "tide -e x = 1 show.lua a\n");
  CHECK(out({"-W", "-e", show}) == std::string("tide -W -e ") + show + "\n");
  CHECK(out({"run", "--device", "cpu", "show.lua", "a"}) == "tide run --device cpu show.lua a\n");
}

TEST_CASE("a script can start its own interpreter", "[command line]") {
  const TemporaryFolder folder;
  folder.write("again.lua", "os.execute(arg[-1] .. ' -v')");
  const Outcome outcome =
      run_tide({"-e", "os.execute '" TIDE_PROGRAM " again.lua'"}, "", folder.path());
  CHECK(outcome.err.empty());
  CHECK(outcome.out == run_tide({"-v"}).out);
}

TEST_CASE("an arg that is not a table is an error if a script needs it", "[command line]") {
  const Outcome outcome = run_tide({"-e", "arg = 1", "-"}, "print 'unreached'\n");
  CHECK(outcome.err == "tide: 'arg' is not a table\n");
  CHECK(outcome.out.empty());
  CHECK(outcome.status == 1);
  CHECK(run_tide({"-e", "arg[1] = 100", "-"}, "print(...)").out == "100\n");
}

TEST_CASE("standard input gets arguments only after '-'", "[command line]") {
  CHECK(run_tide({"-W"}, "print(...)").out == "\n");
  CHECK(run_tide({"-W", "-", "a"}, "print(...)").out == "a\n");
  const TemporaryFolder folder;
  folder.write("-", "print 'the file'");
  CHECK(run_tide({"--", "-"}, "print 'the input'", folder.path()).out == "the file\n");
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

TEST_CASE("os.exit flushes output and closes variables on request", "[command line]") {
  const char* script =
      "io.write('kept') local _ <close> = setmetatable({}, {__close = function() io.write('!') "
      "end})"
      " os.exit(0, true)";
  CHECK(run_tide({"-e", script}).out == "kept!");
}

TEST_CASE("an invalid option is reported with the usage", "[command line]") {
  CHECK_THAT(run_tide({"-x"}).err, StartsWith("tide: unrecognized option '-x'\nusage: tide"));
  CHECK_THAT(run_tide({"-h"}).err, StartsWith("tide: unrecognized option '-h'\nusage: tide"));
  CHECK_THAT(run_tide({"-e"}).err, StartsWith("tide: '-e' needs argument\n"));
  CHECK_THAT(run_tide({"-e", "-i"}).err, StartsWith("tide: '-e' needs argument\n"));
  CHECK_THAT(run_tide({"run"}).err, StartsWith("tide: run: no script named\nusage: tide run"));
  CHECK_THAT(run_tide({"test", "--jobs", "0"}).err,
             StartsWith("tide: --jobs needs an integer from 1 to 1000, got '0'\n"));
}

TEST_CASE("every command has --help", "[command line]") {
  for (const char* command : {"run", "test", "lesson", "bench", "info", "smi", "help"}) {
    const Outcome outcome = run_tide({command, "--help"});
    CHECK_THAT(outcome.out, StartsWith(std::string("usage: tide ") + command));
    CHECK(outcome.status == 0);
  }
  CHECK_THAT(run_tide({"--help"}).out, StartsWith("usage: tide [options]"));
}

TEST_CASE("help searches for words and lists topics", "[command line]") {
  const Outcome found = run_tide({"help", "--search", "learning rate"});
  CHECK(found.status == 0);
  CHECK_THAT(found.out, ContainsSubstring("tide.optim.lr_scheduler.StepLR"));
  CHECK(run_tide({"help", "--search", "learning", "rate"}).out == found.out);
  CHECK_THAT(run_tide({"help", "optim"}).out, ContainsSubstring("Stochastic gradient"));
  CHECK_THAT(run_tide({"help", "lstm"}).out, StartsWith("tide.nn.LSTM("));
  CHECK_THAT(run_tide({"help", "--search", "nosuchword"}).err,
             StartsWith("tide: nothing in the reference mentions 'nosuchword'"));
  CHECK_THAT(run_tide({"help", "--search"}).err,
             StartsWith("tide: help: --search needs a word to search for\nusage: tide help"));
  CHECK_THAT(run_tide({"help", "a", "b"}).err,
             StartsWith("tide: help: expected one name, or --search and words\n"));
}

TEST_CASE("help fails for an unknown name", "[command line]") {
  CHECK(run_tide({"help", "softmax"}).status == 0);
  const Outcome outcome = run_tide({"help", "softmaxx"});
  CHECK(outcome.status == 1);
  CHECK(outcome.out.empty());
  CHECK_THAT(outcome.err, StartsWith("tide: there is no help on 'softmaxx'; near it: softmax"));
}

TEST_CASE("run takes options before and after the script", "[command line]") {
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

TEST_CASE("gpu means the simulated devices with --device sim", "[command line]") {
  const test::TemporaryFolder folder;
  const std::string file =
      folder.write("gpu.lua", "print(tide.gpu(0), tide.try_gpu(), tide.num_gpus() > 0)");
  CHECK(test::run_tide({"run", file, "--device", "sim"}).out == "sim:0\tsim:0\ttrue\n");
  CHECK(test::run_tide({"run", file, "--device", "cpu"}).out.starts_with("cuda:0\t"));
}

TEST_CASE("run rejects an unknown option on either side of the script", "[command line]") {
  const TemporaryFolder folder;
  folder.write("show.lua", "print(...)");
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    return run_tide(words, "", folder.path());
  };
  for (const char* option : {"--profil", "--syncss", "--device-", "--seeds=1", "-v", "-i"}) {
    CAPTURE(option);
    for (const Outcome& outcome :
         {run({option, "show.lua"}), run({"show.lua", option}), run({"show.lua", "a", option})}) {
      CHECK_THAT(outcome.err, StartsWith(std::string("tide: run: unrecognized option '") + option +
                                         "'; put the script's own options after --"));
      CHECK(outcome.out.empty());
      CHECK(outcome.status == 1);
    }
    CHECK(run({"show.lua", "--", option}).out == std::string(option) + "\n");
  }
  CHECK(run({"show.lua", "-3", "-.5", "-"}).out == "-3\t-.5\t-\n");
}

TEST_CASE("a script without `run` gets all words after it", "[command line]") {
  const TemporaryFolder folder;
  folder.write("show.lua", "print(...)");
  CHECK(run_tide({"show.lua", "--device", "none", "--", "-x"}, "", folder.path()).out ==
        "--device\tnone\t--\t-x\n");
}

TEST_CASE("an option of run after a script that cannot read it is an error", "[command line]") {
  const TemporaryFolder folder;
  const auto run = [&](const std::string& script, std::vector<std::string> words) {
    folder.write("main.lua", script);
    words.insert(words.begin(), "main.lua");
    return run_tide(words, "", folder.path());
  };
  // Code that only looks like reading: a comment, a function's own arguments.
  const char* deaf =
      "#!/usr/bin/env tide\n-- arg, args\nlocal function f(...) return ... end print(f(1))";
  for (const char* option : {"--device", "--device=sim", "--seed=1", "--syncs", "--profile",
                             "--profile-lines", "--advise", "--sandbox", "--scratch",
                             "--time-limit", "--memory-limit", "--binary-chunks"}) {
    CAPTURE(option);
    const Outcome outcome = run(deaf, {"a", option, "1"});
    CHECK_THAT(outcome.err,
               StartsWith(std::string("tide: '") + option +
                          "' is an option of `tide run main.lua`; after `tide "
                          "main.lua` it is an argument of the script, which uses neither"));
    CHECK(outcome.out.empty());
    CHECK(outcome.status == 1);
  }
  CHECK(run(deaf, {"--epochs", "1", "-x", "--", "--device", "sim"}).out == "1\n");
  CHECK(run("print(...)", {"--device", "sim"}).out == "--device\tsim\n");
  CHECK(run("print(arg[1])", {"--device", "sim"}).out == "--device\n");
  CHECK(run("print(_G.arg[2])", {"--device", "sim"}).out == "sim\n");
  CHECK(run("print(tide.args{device = 'cpu'}.device)", {"--device", "sim"}).out == "sim\n");
  CHECK(run("print '[--seed N]'", {"--seed", "1"}).out == "[--seed N]\n");
  CHECK_THAT(run("x =", {"--device", "sim"}).err,
             StartsWith("tide: main.lua:1: unexpected symbol"));
}

TEST_CASE("an option of run before FILE is reported with the right usage", "[command line]") {
  CHECK_THAT(run_tide({"--seed", "1", "show.lua"}).err,
             StartsWith("tide: unrecognized option '--seed'; `tide run` has it\nusage: tide"));
  CHECK_THAT(run_tide({"--device", "sim", "show.lua"}).err,
             StartsWith("tide: --device is for the prompt; `tide run show.lua --device sim` runs"));
}

TEST_CASE("--device sets where tensors are created", "[command line]") {
  const TemporaryFolder folder;
  folder.write("show.lua",
               "print(tide.ones(1).device, tide.accelerator(), tide.zeros(1, {device = "
               "'cpu'}).device)");
  const auto out = [&](std::vector<std::string> words, const std::string& input = "") {
    return run_tide(words, input, folder.path()).out;
  };
  CHECK(out({"run", "show.lua", "--device", "sim:1"}) == "sim:1\tsim:1\tcpu\n");
  CHECK(out({"run", "show.lua"}).starts_with("cpu\t"));
  const std::string ask = "print(tide.ones(1).device, tide.accelerator())";
  CHECK(out({"--device", "sim", "-e", ask}) == "sim:0\tsim:0\n");
  CHECK(out({"--device=sim"}, ask) == "sim:0\tsim:0\n");
  CHECK_THAT(out({"-i", "--device", "sim"}, "tide.ones(1)\n"),
             ContainsSubstring("(1) float32 sim:0\n"));
  CHECK_THAT(run_tide({"--device", "none", "-e", ask}).err,
             StartsWith("tide: device: no device is called 'none'"));
}

TEST_CASE("precompiled chunks are rejected everywhere", "[command line]") {
  const TemporaryFolder folder;
  folder.write("make.lua",
               "local file = io.open('made.lua', 'wb') file:write(string.dump(function() end))");
  REQUIRE(run_tide({"make.lua"}, "", folder.path()).status == 0);
  CHECK_THAT(run_tide({"made.lua"}, "", folder.path()).err,
             ContainsSubstring("attempt to load a binary chunk"));
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

TEST_CASE("the error for a rejected chunk names it", "[command line]") {
  const char* load = "print(load(string.dump(function() end), 'x', %s))";
  const auto message = [&](const char* code, const char* mode) {
    std::string text = code;
    return run_tide({"-e", text.replace(text.find("%s"), 2, mode)}).out;
  };
  const char* refused =
      "nil\tattempt to load a binary chunk: use tide --binary-chunks to allow them\n";
  CHECK(message(load, "nil") == refused);
  CHECK(message(load, "'b'") == refused);
  CHECK(message(load, "'bt'") == refused);
  CHECK(message(load, "'t'") == "nil\tattempt to load a binary chunk (mode is 't')\n");
  CHECK(message("print(load('x = 1', 'x', %s))", "'b'") ==
        "nil\tattempt to load a text chunk (mode is 'b')\n");
}

TEST_CASE("--binary-chunks allows precompiled chunks", "[command line]") {
  const TemporaryFolder folder;
  folder.write("make.lua",
               "local file = io.open('made.lua', 'wb') file:write(string.dump(load 'print(...)'))");
  REQUIRE(run_tide({"make.lua"}, "", folder.path()).status == 0);
  CHECK(run_tide({"--binary-chunks", "made.lua", "a"}, "", folder.path()).out == "a\n");
  CHECK(run_tide({"run", "--binary-chunks", "made.lua", "a"}, "", folder.path()).out == "a\n");
  CHECK(run_tide({"--binary-chunks", "-e", "print(load(string.dump(load 'return 8'), 'x', 'b')())"})
            .out == "8\n");
}

TEST_CASE("a missing module is reported as in stock Lua", "[command line]") {
  const char* script =
      "package.path, package.cpath = '?.lua', '?.so' print(select(2, pcall(require, %s)))";
  std::string other = script, own = script;
  CHECK(run_tide({"-e", other.replace(other.find("%s"), 2, "'XXX'")}).out ==
        "module 'XXX' not found:\n\tno field package.preload['XXX']\n\tno file 'XXX.lua'\n"
        "\tno file 'XXX.so'\n");
  CHECK_THAT(run_tide({"-e", own.replace(own.find("%s"), 2, "'tide.nm'")}).out,
             ContainsSubstring("\n\tno module 'tide.nm' in the tide library\n"));
}

TEST_CASE("-v shows both versions", "[command line]") {
  CHECK_THAT(run_tide({"-v", "-e", "print 'hello'"}).out, ContainsSubstring("PUC-Rio\nhello\n"));
  CHECK_THAT(run_tide({"--version"}).out, StartsWith("tide ") && ContainsSubstring("(Lua 5.4."));
}

TEST_CASE("a yield from a gradient hook is rejected with its name", "[command line]") {
  const char* script = R"(
    local x = tide.ones(3):requires_grad_()
    x:register_hook(function() coroutine.yield() end)
    print(coroutine.resume(coroutine.create(function() x:sum():backward() end))))";
  CHECK(run_tide({}, script).out ==
        "false\tstdin:4: backward: a function that it calls cannot yield\n");
}

TEST_CASE("LUA_INIT is run, and -E ignores it", "[command line]") {
  setenv("LUA_INIT", "print 'init'", 1);
  CHECK(run_tide({"-e", "print(1)"}).out == "init\n1\n");
  CHECK(run_tide({"-E", "-e", "print(1)"}).out == "1\n");
  unsetenv("LUA_INIT");
}

TEST_CASE("the lessons are listed with their first lines", "[command line]") {
  const Outcome outcome = run_tide({"lesson"});
  CHECK_THAT(outcome.out, StartsWith("01_tensors "));
  CHECK(outcome.status == 0);
  CHECK_THAT(run_tide({"lesson", "devices", "--show"}).out, StartsWith("-- Lesson 3: "));
  CHECK_THAT(run_tide({"lesson", "1", "--answers"}).out,
             StartsWith("-- Answers to the exercises of lesson 1, "));
  CHECK_THAT(run_tide({"lesson", "22", "--exercises"}).out,
             StartsWith("-- Exercises of lesson 22, ") && !ContainsSubstring("Solution"));
  CHECK_THAT(run_tide({"lesson", "22", "--exercises", "--notebook"}).out,
             StartsWith("{\n \"cells\": [") && ContainsSubstring("Exercises of lesson 22"));
  CHECK_THAT(run_tide({"lesson", "1", "--exercises"}).err,
             StartsWith("tide: lesson: the exercises of 01_tensors have no checks: "));
  CHECK_THAT(run_tide({"lesson", "99"}).err, StartsWith("tide: lesson: no lesson named '99'\n"));
}

TEST_CASE("--syncs lists where a script waited, only on request", "[command line]") {
  const test::TemporaryFolder folder;
  const std::string script =
      folder.write("waits.lua",
                   "tide.sim.configure {index = 0, launch_cost = 0.05}\n"
                   "print(tide.ones({3}, {device = 'sim:0'}):sum():item())\n");
  const Outcome outcome = run_tide({"run", script, "--syncs"});
  CHECK(outcome.out == "3.0\n");
  const std::string words = "waits.lua:2: item: waited 1 times, ";
  CHECK_THAT(outcome.err, ContainsSubstring(words));
  // As long as the configured launch cost.
  CHECK(std::atof(outcome.err.c_str() + outcome.err.find(words) + words.size()) >= 50);
  // The awaited op, and what to do instead.
  CHECK_THAT(outcome.err, ContainsSubstring(" ms, for sum\n    keep the value on the device"));
  CHECK(run_tide({"run", script}).err.empty());
}

TEST_CASE("--profile writes a profile of the entire script, however it ends", "[command line]") {
  const test::TemporaryFolder folder;
  folder.write("good.lua", "print(tide.ones(3):exp():sum():item() > 8)");
  folder.write("bad.lua", "tide.ones(3):exp():sum():item() error 'boom'");
  folder.write("exits.lua", "tide.ones(3):exp():sum():item() os.exit(3)");
  folder.write(
      "stopped.lua",
      "tide.ones(3):exp():sum():item() io.popen('kill -INT $PPID'):close() while true do end");
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "run");
    return run_tide(words, "", folder.path());
  };
  const Outcome good = run({"good.lua", "--profile", "good.json"});
  CHECK(good.out == "true\n");
  CHECK(good.err.empty());
  CHECK(good.status == 0);
  CHECK_THAT(test::read_file(folder.path() + "/good.json"), ContainsSubstring("exp_sum\""));
  CHECK(run({"bad.lua", "--profile", "bad.html"}).status == 1);
  CHECK_THAT(test::read_file(folder.path() + "/bad.html"), ContainsSubstring("exp_sum\""));
  CHECK(run({"exits.lua", "--profile=exits.json"}).status == 3);
  CHECK_THAT(test::read_file(folder.path() + "/exits.json"), ContainsSubstring("exp_sum\""));
  CHECK_THAT(run({"stopped.lua", "--profile=stopped.json"}).err, ContainsSubstring("interrupted"));
  CHECK_THAT(test::read_file(folder.path() + "/stopped.json"), ContainsSubstring("exp_sum\""));

  const Outcome lines = run({"good.lua", "--profile-lines"});
  CHECK(lines.out == "true\n");
  CHECK_THAT(lines.err, StartsWith("line "));
  CHECK_THAT(lines.err, ContainsSubstring("good.lua:1"));

  const Outcome wrong = run({"good.lua", "--profile", "good.txt"});
  CHECK_THAT(wrong.err,
             ContainsSubstring("run: --profile: expected a name that ends in .json or .html, "
                               "got good.txt"));
  CHECK(wrong.out.empty());
  CHECK(wrong.status == 1);
  const Outcome nowhere = run({"good.lua", "--profile", "none/good.json"});
  CHECK(nowhere.out == "true\n");
  CHECK_THAT(nowhere.err, ContainsSubstring("none/good.json: cannot be written"));
  CHECK(nowhere.status == 1);
}

TEST_CASE("--advise prints advice on the entire script, also with a profile", "[command line]") {
  const test::TemporaryFolder folder;
  folder.write("loop.lua",
               "tide.sim.configure{launch_cost = 5e-3} local x = tide.rand(64, {device = 'sim'})\n"
               "for i = 1, 9 do\n"
               "  x:exp():sum():item()\n"
               "end\n"
               "print(i == nil)\n");
  folder.write("bad.lua", "error 'boom'");
  const Outcome outcome =
      run_tide({"run", "loop.lua", "--advise", "--profile", "loop.json"}, "", folder.path());
  CHECK(outcome.out == "true\n");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.err,
             ContainsSubstring("loop.lua:3: item waits 9 times, for sum (loop.lua:3) (would save"));
  CHECK_THAT(outcome.err, ContainsSubstring("\n    keep the value on the device"));
  CHECK_THAT(test::read_file(folder.path() + "/loop.json"), ContainsSubstring("exp_sum\""));
  const Outcome bad = run_tide({"run", "bad.lua", "--advise"}, "", folder.path());
  CHECK_THAT(bad.err, ContainsSubstring("bad.lua:1: boom"));
  CHECK_THAT(bad.err, ContainsSubstring("nothing to advise: no device had any work"));
  CHECK(bad.status == 1);
}

TEST_CASE("an invalid value of an environment variable is reported once", "[command line]") {
  const auto run_with = [](const char* name, const char* value) {
    const char* const before = std::getenv(name);
    const std::string kept = before ? before : "";
    setenv(name, value, 1);
    const Outcome outcome = run_tide(
        {"-e", "tide.ones(2^22):sum():item() tide.ones(9, {device = 'sim'}):sum():item()"});
    before ? setenv(name, kept.c_str(), 1) : unsetenv(name);
    CHECK(outcome.status == 0);
    return outcome.err;
  };
  CHECK(run_with("TIDE_CPU", "hasswel") ==
        "tide: TIDE_CPU=hasswel is ignored: expected haswell or x86-64\n");
  CHECK_THAT(run_with("TIDE_NUM_THREADS", "0"),
             StartsWith("tide: TIDE_NUM_THREADS=0 is ignored: expected a number from 1 to "));
  CHECK_THAT(run_with("TIDE_SIM_MEMORY", "64MB"),
             StartsWith("tide: TIDE_SIM_MEMORY=64MB is ignored: expected a number from 0 to "));
  CHECK(run_with("TIDE_SIM_MEMORY", "64M").empty());
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  CHECK(run_with("TIDE_CACHE_DIR", folder.path().c_str()).empty());
  CHECK(!std::filesystem::is_empty(folder.path()));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0777));
  CHECK_THAT(run_with("TIDE_CACHE_DIR", folder.path().c_str()),
             EndsWith("kernels are stored in a folder that you own and only you may write to\n"));
}
