// `tide test`: what it makes of good, bad, slow and crashing files.
#include <catch2/catch.hpp>

#include "tests/interpreter/command.h"

using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;
using test::Outcome;
using test::run_tide;
using test::TemporaryFolder;

namespace {

constexpr char kHead[] = "local test = require 'tide.test' local it = test.it\n";

/// Runs `tide test` on one file with this text below the usual head.
Outcome run_file(const std::string& text, std::vector<std::string> options = {}) {
  const TemporaryFolder folder;
  folder.write("one_test.lua", kHead + text);
  options.insert(options.begin(), {"test", folder.path()});
  return run_tide(options, "", folder.path());
}

}  // namespace

TEST_CASE("passed, failed and pending tests are counted in the last line", "[test command]") {
  const Outcome outcome = run_file(
      "test.describe('a', function() it('works', function() end) it('fails', function() "
      "error('no') "
      "end) test.pending('later') end)");
  CHECK_THAT(outcome.out, EndsWith("\n1 passed, 1 failed, 1 skipped\n"));
  CHECK_THAT(outcome.out, Contains("one_test.lua: a fails"));
  CHECK(outcome.status == 1);
}

TEST_CASE("what a failing file printed is shown", "[test command]") {
  const Outcome outcome = run_file(
      "test.describe('a', function() it('fails', function() print('seen') error('no') end) end)");
  CHECK_THAT(outcome.out, Contains("it printed:\n    seen\n"));
}

TEST_CASE("a file that ends its process early is a failure", "[test command]") {
  CHECK_THAT(run_file("os.exit(0)").out, Contains("the process ended before its tests did"));
  CHECK_THAT(run_file("os.execute('kill -SEGV $PPID')").out, Contains("ended by signal SIGSEGV"));
  CHECK_THAT(run_file("x =").out, Contains("unexpected symbol near <eof>"));
}

TEST_CASE("a file that runs too long is killed", "[test command]") {
  const Outcome outcome = run_file("while true do end", {"--timeout", "1"});
  CHECK_THAT(outcome.out, Contains("ran longer than 1 s"));
  CHECK_THAT(outcome.out, EndsWith("\n0 passed, 1 failed\n"));
}

TEST_CASE("a folder with a runner is one program whose counts are taken", "[test command]") {
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
  CHECK_THAT(xml, Contains("tests=\"1\" failures=\"0\" skipped=\"0\""));
  CHECK_THAT(xml, Contains("name=\"a &lt;b&gt;"));
}

TEST_CASE("a path that is not there is named", "[test command]") {
  CHECK_THAT(run_tide({"test", "nowhere"}).err, StartsWith("tide: test: there is no 'nowhere'\n"));
}
