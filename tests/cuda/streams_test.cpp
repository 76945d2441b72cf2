// Streams of a CUDA device with delayed work: a missing wait causes wrong values.

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

::test::Outcome run_late(const std::vector<std::string>& words, const std::string& late) {
  const Environment environment(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "late=" + late}});
  return ::test::run_tide(words);
}

}  // namespace

TEST_CASE("a stream waits for the event of another", "[cuda][fake]") {
  const auto outcome =
      run_late({"-e",
                "local streams = {tide.Stream 'cuda', tide.Stream 'cuda'}\n"
                "local sums = {}\n"
                "for i = 1, 30 do\n"
                "  local x = tide.full({64}, i, {device = 'cuda'}):cumsum(1)\n"
                "  local y = tide.stream(streams[1], function() return (x + 1):cumsum(1) end)\n"
                "  local z = tide.stream(streams[2], function() return (y + x):cumsum(1) end)\n"
                "  sums[i] = z + y\n"
                "end\n"
                "for i = 1, 30 do assert(sums[i][1]:item() == 3 * i + 2) end\n"
                "print('right')"},
               "3000");
  INFO(outcome.err);
  CHECK(outcome.out == "right\n");
}

TEST_CASE("a write waits for the positions that it depends on, also in a graph", "[cuda][fake]") {
  const std::string late = GENERATE("0", "2000");
  const std::string between = GENERATE("", "tide.flush()\n");  // one window, or several
  const auto outcome = run_late(
      {"-e",
       "local source = tide.arange(1, 5, {device = 'cuda'})\n"
       "for i = 1, 20 do\n"  // from the third on the window runs as a graph
       "  local sum = tide.zeros({1}, {device = 'cuda'}) + i\n"
       "  local good = source:index_select(1, tide.tensor({1}, {device = 'cuda'}))\n" +
           between + "  local bad = source:index_select(1, tide.tensor({9}, {device = 'cuda'}))\n" +
           between + "  sum:add_(bad)\n" + between +
           "  local ok, why = pcall(bad.tolist, bad)\n"
           "  assert(not ok and why:find('position 9', 1, true))\n"
           "  assert(sum:item() == i)\n"
           "  assert(good:item() == 1)\n"
           "end\n"
           "print('right')"},
      late);
  INFO(outcome.err);
  CHECK(outcome.out == "right\n");
}

TEST_CASE("the script tests of streams pass on devices that are late or full", "[cuda][fake]") {
  const char* settings = GENERATE("late=300", "queue_depth=4,callback_us=300,order=reversed");
  const Environment environment(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", settings}});
  const auto outcome = ::test::run_tide(
      {"test", "--device", "cuda", TIDE_SOURCES "/tests/scripts/devices/streams_test.lua"});
  INFO(settings << outcome.out << outcome.err);
  CHECK(outcome.status == 0);
}

}  // namespace tide::test
