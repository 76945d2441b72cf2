// `tide test`: results for passing, failing, slow and crashing files.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

#include "tests/interpreter/command.h"
#include "tests/interpreter/terminal.h"
#include "tests/support/catch.h"

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using test::Outcome;
using test::run_tide;
using test::TemporaryFolder;

namespace {

constexpr char kHead[] = "local test = require 'tide.test' local it = test.it\n";

/// Runs `tide test` on a file with this text below the usual first lines.
Outcome run_file(const std::string& text, std::vector<std::string> options = {}) {
  const TemporaryFolder folder;
  folder.write("one_test.lua", kHead + text);
  options.insert(options.begin(), {"test", folder.path()});
  return run_tide(options, "", folder.path());
}

/// Whether the process runs, and is not a zombie.
bool is_running(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string stat;
  std::getline(file, stat, '\0');
  const size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat[name_end + 2] != 'Z';
}

/// Checks the condition repeatedly, far longer than needed on a busy machine.
template <class Condition>
bool comes_true(const Condition& condition) {
  for (int look = 0; look < 2000; ++look) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("passed, failed and pending tests are counted in the last line", "[test command]") {
  const Outcome outcome = run_file(
      "test.describe('a', function() it('works', function() end) it('fails', function() "
      "error('no') "
      "end) test.pending('later') end)");
  CHECK_THAT(outcome.out, EndsWith("\n1 passed, 1 failed, 1 skipped\n"));
  CHECK_THAT(outcome.out, ContainsSubstring("one_test.lua: a fails"));
  CHECK(outcome.status == 1);
}

TEST_CASE("the output of a failing file is shown", "[test command]") {
  const Outcome outcome = run_file(
      "test.describe('a', function() it('fails', function() print('seen') error('no') end) end)");
  CHECK_THAT(outcome.out, ContainsSubstring("it printed:\n    seen\n"));
}

TEST_CASE("names and messages preserve lines, tabs and backslashes", "[test command]") {
  const Outcome outcome = run_file(
      "test.describe('a\\tb', function() it('c\\\\n', function() error('one\\n\\ttwo\\\\three', 0) "
      "end) end)");
  CHECK_THAT(outcome.out, ContainsSubstring(": a\tb c\\n\n    one\n    \ttwo\\three\n"));
}

TEST_CASE("a file that ends its process early is a failure", "[test command]") {
  CHECK_THAT(run_file("os.exit(0)").out, ContainsSubstring("the process ended before its tests"));
  CHECK_THAT(run_file("os.execute('kill -SEGV $PPID')").out,
             ContainsSubstring("ended by signal SIGSEGV"));
  CHECK_THAT(run_file("x =").out, ContainsSubstring("unexpected symbol near <eof>"));
}

TEST_CASE("a test whose output exceeds memory ends the run with a message", "[test command]") {
  const TemporaryFolder folder;
  folder.write("one_test.lua",
               "it('prints', function() local line = ('x'):rep(1 << 20) for _ = 1, 300 do "
               "print(line) end error('no') end)");
  const std::string command =
      "ulimit -v 200000; exec '" TIDE_PROGRAM "' test '" + folder.path() + "' 2>&1";
  std::FILE* const pipe = popen(command.c_str(), "r");
  std::string said;
  for (int c; (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
  CHECK(WEXITSTATUS(pclose(pipe)) == 1);
  CHECK(said == TIDE_PROGRAM ": out of memory on the host\n");
}

TEST_CASE("a file that runs too long is killed", "[test command]") {
  const Outcome outcome = run_file("while true do end", {"--timeout", "1"});
  CHECK_THAT(outcome.out, ContainsSubstring("ran longer than 1 s"));
  CHECK_THAT(outcome.out, EndsWith("\n0 passed, 1 failed\n"));
}

TEST_CASE("a folder with a runner is one program whose counts are used", "[test command]") {
  const TemporaryFolder folder;
  folder.write("runner.lua", "print('all  40 passed  2 failed  3 not there yet') os.exit(false)");
  const Outcome outcome = run_tide({"test", folder.path()});
  CHECK_THAT(outcome.out, EndsWith("\n40 passed, 2 failed, 3 skipped\n"));
  CHECK(outcome.status == 1);
}

TEST_CASE("results are written as JUnit XML", "[test command]") {
  const TemporaryFolder folder;
  folder.write("one_test.lua",
               std::string(kHead) + "test.describe('a', function() it('<b>', function() end) end)");
  const std::string file = folder.path() + "/results.xml";
  CHECK(run_tide({"test", folder.path(), "--junit", file}).status == 0);
  const std::string xml = test::read_file(file);
  CHECK_THAT(xml, StartsWith("<?xml"));
  CHECK_THAT(xml, ContainsSubstring("tests=\"1\" failures=\"0\" skipped=\"0\""));
  CHECK_THAT(xml, ContainsSubstring("name=\"a &lt;b&gt;"));
}

TEST_CASE("a missing path is reported", "[test command]") {
  CHECK_THAT(run_tide({"test", "nowhere"}).err,
             StartsWith("tide: test: no file or folder 'nowhere'\n"));
}

TEST_CASE("a test file has busted's functions as globals, and may be called _spec",
          "[test command]") {
  const TemporaryFolder folder;
  folder.write("one_spec.lua",
               "describe('a', function() local x before_each(function() x = 1 end) "
               "it('works', function() assert.are.equal(1, x) end) "
               "it('fails', function() assert.is_nil(x) end) end)");
  folder.write("two_test.lua", "it('works', function() assert(require 'a_module') end)");
  folder.write("a_module.lua", "return describe == nil and type(assert) == 'function'");
  const Outcome outcome = run_tide({"test", "."}, "", folder.path());
  CHECK_THAT(outcome.out,
             ContainsSubstring("one_spec.lua: a fails\n    ./one_spec.lua:1: nil: got 1"));
  CHECK_THAT(outcome.out, EndsWith("\n2 passed, 1 failed\n"));
}

TEST_CASE("a terminal shows the number of finished files", "[test command]") {
  const TemporaryFolder folder;
  for (const char* name : {"a_test.lua", "b_test.lua", "c_test.lua"})
    folder.write(name, "it('works', function() end)");
  test::Terminal terminal({"test", folder.path(), "--jobs", "1"});
  // A read may return more than it waited for.
  const std::string all = terminal.read_until("\n3 passed, 0 failed");
  size_t at = 0;
  for (const char* next : {"a_test.lua", "[1/3] 1 passed, 0 failed", "b_test.lua",
                           "[2/3] 2 passed, 0 failed", "c_test.lua"}) {
    INFO(all);
    at = all.find(next, at);
    REQUIRE(at != std::string::npos);
  }
  CHECK_THAT(all, !ContainsSubstring("[3/3]"));
  CHECK(terminal.wait() == 0);
}

TEST_CASE("finding no tests is a failure", "[test command]") {
  const TemporaryFolder folder;
  const Outcome none = run_tide({"test", folder.path()});
  CHECK(none.status == 1);
  CHECK_THAT(none.err, StartsWith("tide: test: no *_test.lua or *_spec.lua below '"));

  const Outcome empty = run_file("");
  CHECK(empty.status == 1);
  CHECK_THAT(empty.out, ContainsSubstring("one_test.lua: the file\n    contains no tests"));

  const std::string text = "test.describe('a', function() it('works #fast', function() end) end)";
  for (const char* option : {"--filter", "--tag"}) {
    const Outcome outcome = run_file(text, {option, "fas"});
    CAPTURE(option, outcome.out);
    CHECK(outcome.status == (std::string(option) == "--tag" ? 1 : 0));
  }
  const Outcome filtered = run_file(text, {"--filter", "nothing"});
  CHECK(filtered.status == 1);
  CHECK_THAT(filtered.err, ContainsSubstring("tide: test: no test matches --filter 'nothing'\n"));
  CHECK(run_file(text, {"--filter", "nothing", "--list"}).status == 1);
  CHECK_THAT(run_file(text, {"--tag", "fast"}).out, EndsWith("\n1 passed, 0 failed\n"));

  const TemporaryFolder program;
  program.write("runner.lua", "print('0 passed  0 failed')");
  CHECK(run_tide({"test", program.path()}).status == 1);
}

TEST_CASE("numbers in options are parsed completely", "[test command]") {
  for (const char* words : {"--jobs 3x", "--jobs x", "--jobs 0", "--jobs 1.5", "--jobs 99999999999",
                            "--jobs=", "--timeout 3s", "--timeout -1"}) {
    CAPTURE(words);
    std::istringstream text(words);
    std::vector<std::string> options;
    for (std::string word; text >> word;) options.push_back(word);
    const Outcome outcome = run_file("", options);
    CHECK(outcome.status == 1);
    CHECK_THAT(outcome.err, ContainsSubstring(" needs an integer from 1 "));
  }
}

TEST_CASE("processes started by a test end with its file", "[test command]") {
  const bool times_out = GENERATE(false, true);
  CAPTURE(times_out);
  const TemporaryFolder folder;
  // A child, a grandchild, and both again in a separate session.
  folder.write("children.sh",
               "sleep 300 & echo $$ $! >>pids\n"
               "[ $# = 1 ] || { setsid sh children.sh again & }\nwait\n");
  folder.write("one_test.lua",
               "os.execute 'sh children.sh >/dev/null 2>&1 &' repeat local n = 0 "
               "for _ in io.lines 'pids' do n = n + 1 end until n == 2 " +
                   std::string(times_out ? "while true do end" : "it('works', function() end)"));
  folder.write("pids", "");
  const Outcome outcome = run_tide({"test", ".", "--timeout", "3"}, "", folder.path());
  CHECK(outcome.status == (times_out ? 1 : 0));
  std::istringstream pids(test::read_file(folder.path() + "/pids"));
  int count = 0;
  for (pid_t pid; pids >> pid; ++count) {
    CAPTURE(pid);
    CHECK(kill(pid, 0) == -1);
  }
  CHECK(count == 4);
}

TEST_CASE("a test ends when its runner or the runner's supervisor is killed", "[test command]") {
  const bool runner = GENERATE(true, false);
  CAPTURE(runner);
  const TemporaryFolder folder;
  const std::string path = folder.write("pids", "");
  folder.write("one_test.lua",
               "local stat = io.open('/proc/self/stat'):read 'a'\n"
               "local own, parent = stat:match '^(%d+) .*%) %S (%d+) '\n"
               "local file <close> = io.open('" +
                   path +
                   "', 'w')\n"
                   "file:write(own, ' ', parent, '\\n')\nfile:flush()\nwhile true do end");
  std::optional<test::Terminal> terminal;
  terminal.emplace(std::vector<std::string>{"test", folder.path()});
  REQUIRE(comes_true([&] { return test::read_file(path).ends_with('\n'); }));
  std::istringstream pids(test::read_file(path));
  pid_t test = 0, supervisor = 0;
  REQUIRE(pids >> test >> supervisor);
  if (runner)
    terminal.reset();  // kills it
  else
    kill(supervisor, SIGKILL);
  CHECK(comes_true([&] { return !is_running(test); }));
  CHECK(comes_true([&] { return !is_running(supervisor); }));
  if (is_running(test)) kill(test, SIGKILL);
}

TEST_CASE("--watch runs the tests again when a file changes, until Ctrl-C", "[test command]") {
  const TemporaryFolder folder, elsewhere;
  const std::string module = elsewhere.write("watched.lua", "return 1");
  const std::string test = folder.write(
      "one_test.lua", "it('is one', function() assert.are.equal(1, dofile '" + module + "') end)");
  test::Terminal terminal({"test", folder.path(), "--watch"});
  const auto change = [](const std::string& path, const std::string& text) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    std::ofstream(path) << text;
  };
  CHECK_THAT(terminal.read_until("watching 2 files; Ctrl-C ends"),
             ContainsSubstring("1 passed, 0 failed\n"));
  change(module, "return 22");
  CHECK_THAT(
      terminal.read_until("watching 2 files"),
      ContainsSubstring(module + " has changed") && ContainsSubstring("0 passed, 1 failed\n"));
  change(folder.path() + "/two_spec.lua", "it('works', function() end)");
  CHECK_THAT(
      terminal.read_until("watching 3 files"),
      ContainsSubstring("two_spec.lua has changed") && ContainsSubstring("1 passed, 1 failed\n"));
  std::filesystem::remove(test);
  CHECK_THAT(
      terminal.read_until("watching 1 files"),
      ContainsSubstring("one_test.lua has changed") && ContainsSubstring("1 passed, 0 failed\n"));
  terminal.type("\x03");
  CHECK(terminal.wait() == 128 + SIGINT);
}
