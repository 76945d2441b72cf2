// Loss of a device: its values are lost, the cause is reported, and the device is set up again.

#include "runtime/backward/backward.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

::test::Outcome run_losing_script(const std::string& script, const std::string& fake) {
  const Environment environment({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", fake}});
  const ::test::TemporaryFolder folder;
  return ::test::run_tide({folder.write("lost.lua", script)});
}

/// Line 3 loses the device, which has run two kernels by then.
const std::string kStart =
    "local x = tide.ones(8, {device = 'cuda'}) * 2\n"
    "tide.synchronize() local pinned = tide.ones(4):pin_memory() x:cpu()\n"
    "local y = x + 1\n"
    "local ok, why = pcall(y.tolist, y)\n"
    "assert(not ok)\n";

std::string settings(const std::string& more = "") { return "lose_after=1" + more; }

}  // namespace

TEST_CASE("a failed kernel is reported with the line that queued it", "[cuda][fake]") {
  for (const auto& [error, words] : {std::pair("700", "an illegal memory access was encountered"),
                                     std::pair("719", "unspecified launch failure")}) {
    const auto outcome =
        run_losing_script(kStart + "print(why)", settings(std::string(",lose_error=") + error));
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(outcome.out.find(words) != std::string::npos);
    CHECK(outcome.out.find("lost.lua:3 (add), noticed at ") != std::string::npos);
  }
}

TEST_CASE("a profile outlives the loss of a device", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local x = tide.ones(8, {device = 'cuda'}) * 2\n"
      "tide.synchronize()\n"
      "local p = tide.profile(function()\n"
      "  local y = x + 1\n"
      "  assert(not pcall(y.tolist, y))\n"
      "  for i = 1, 3 do assert((tide.ones(8, {device = 'cuda'}) * i):mean():item() == i) end\n"
      "end)\n"
      "for _, row in ipairs(p:table{by = 'kernel'}) do\n"
      "  assert(row.device_ms >= 0 and row.device_ms <= p:summary().wall_ms)\n"
      "end\n"
      "print(p:table{by = 'kernel', sort = 'calls'}[1].calls)",
      settings());
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
  CHECK(outcome.out == "3\n");
}

TEST_CASE("a lost device is set up again, without its values", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      kStart +
          "for _, lost in ipairs {x, y, x * 3} do\n"
          "  local read, reported = pcall(lost.tolist, lost)\n"
          "  assert(not read and reported:find('lost.lua:3', 1, true), reported)\n"
          "end\n"
          "local kept = {}\n"
          "for i = 1, 50 do\n"
          "  kept[i] = tide.full({100 * i}, i + 0.0, {device = 'cuda'}) + i\n"
          "  assert(not pcall(x.tolist, x), 'a lost value came back')\n"
          "end\n"
          "for i = 1, 50 do assert(kept[i]:mean():item() == 2 * i) end\n"
          "assert(kept[3][{{1, 4}}]:matmul(tide.eye(4, {device = 'cuda'})):sum():item() == 24)\n"
          "assert(pinned:sum():item() == 4 and pinned:to('cuda'):sum():item() == 4)\n"
          "assert(tide.ones(3):pin_memory():to('cuda'):sum():item() == 3)\n"
          "x:fill_(7) assert(x:sum():item() == 56)\n"
          "assert(tide.ones(8, {device = 'cuda:1'}):sum():item() == 8)\n"
          "local held = tide.cuda.memory_allocated()\n"
          "x, y, kept = nil, nil, nil collectgarbage() collectgarbage() tide.cuda.synchronize()\n"
          "assert(tide.cuda.memory_allocated() < held)\n"
          "print('well')",
      settings());
  INFO(outcome.err);
  CHECK(outcome.out == "well\n");
  CHECK(outcome.status == 0);
}

TEST_CASE("pinned memory is pinned again after a loss", "[cuda][fake]") {
  const std::string copies =
      "assert(pinned:to('cuda'):sum():item() == 4)\n"
      "assert(tide.ones(3):pin_memory():to('cuda'):sum():item() == 3)\n"
      "print('copied')";
  const auto before =
      run_losing_script("local pinned = tide.ones(4):pin_memory()\n" + copies, "pinned_only=1");
  INFO(before.err);
  CHECK(before.out == "copied\n");
  const auto after = run_losing_script(kStart + copies, settings(",pinned_only=1"));
  INFO(after.err);
  CHECK(after.out == "copied\n");
}

TEST_CASE("work queued on a lost device does not run with old addresses", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local eager <close> = tide.eager()\n"
      "local x = tide.ones(64, {device = 'cuda'})\n"
      "local chain = {}\n"
      "for i = 1, 500 do x = x + 1 chain[i] = x end\n"
      "local bad = 0\n"
      "for i = 1, 500 do\n"
      "  local ok, value = pcall(function() return chain[i]:sum():item() end)\n"
      "  if ok then assert(value == 64 * (i + 1)) else bad = bad + 1 end\n"
      "end\n"
      "assert(bad > 100, bad)\n"
      "local y = tide.ones(64, {device = 'cuda'}) + 1\n"
      "print(y:sum():item())",
      "lose_after=300");
  INFO(outcome.err);
  CHECK(outcome.out == "128.0\n");
}

TEST_CASE("a device that cannot be set up again reports it each time", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      kStart +
          "for _ = 1, 3 do\n"
          "  local ok, reported = pcall(function() return tide.ones(8, {device = "
          "'cuda'}):sum():item() "
          "end)\n"
          "  assert(not ok and reported:find('cuda:0 is permanently lost', 1, true), reported)\n"
          "end\n"
          "local z = tide.ones(8, {device = 'cuda'}) * 3\n"
          "for _ = 1, 2 do\n"
          "  local ok, reported = pcall(z.tolist, z)\n"
          "  assert(not ok and reported:find('cuda:0 is permanently lost', 1, true), reported)\n"
          "end\n"
          "assert(not pcall(x.tolist, x))\n"
          "assert(pinned:sum():item() == 4)\n"
          "print(tide.ones(8, {device = 'cuda:1'}):sum():item(), tide.ones(2):sum():item())",
      settings(",lost_for_good=1"));
  INFO(outcome.err);
  CHECK(outcome.out == "8.0\t2.0\n");
}

TEST_CASE("a context that other code holds is not destroyed", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      kStart +
          "local ok, reported = pcall(function() return tide.ones(8, {device = "
          "'cuda'}):sum():item() "
          "end)\n"
          "assert(not ok and reported:find('other code in this process uses its context', 1, "
          "true), "
          "reported)\n"
          "assert(reported:find('restart the program to use it', 1, true), reported)\n"
          "assert(pinned:sum():item() == 4)\n"
          "print(tide.ones(8, {device = 'cuda:1'}):sum():item(), tide.ones(2):sum():item())",
      settings(",other_holders=1"));
  INFO(outcome.err);
  CHECK(outcome.out == "8.0\t2.0\n");
}

TEST_CASE("errors that invalidate the context lose the device", "[cuda][fake]") {
  for (const char* error : {"214", "220", "226", "702", "709", "710", "714", "715", "716", "717",
                            "718", "721", "810"}) {
    const auto outcome =
        run_losing_script(kStart +
                              "print(why:find('lost.lua:3 (add)', 1, true) ~= nil, "
                              "(tide.ones(8, {device = 'cuda'}) + 1):sum():item())",
                          settings(std::string(",lose_error=") + error));
    INFO(error << outcome.err);
    CHECK(outcome.out == "true\t16.0\n");
  }
}

TEST_CASE("work whose event fails is not done", "[cuda][fake]") {
  // Each call in turn; the first three are in the setup of streams. Streams are late, so that
  // values read too early are wrong.
  for (const char* call : {"create", "record", "query"})
    for (int number = 1; number <= 11; ++number) {
      const auto outcome = run_losing_script(
          "local a, b = tide.Stream 'cuda', tide.Stream 'cuda'\n"
          "for i = 1, 6 do\n"
          "  local x, y\n"
          "  tide.stream(a, function()\n"
          "    x = (tide.full({1000}, i, {device = 'cuda'}) * 2):cumsum(1)\n"
          "  end)\n"
          "  tide.stream(b, function() y = x:cumsum(1) end)\n"
          "  local ok, values = pcall(y.tolist, y)\n"
          "  assert(ok and values[1000] == 1001000 * i or not ok and values:find 'cuEvent',\n"
          "         ok and values[1000] or values)\n"
          "end\n"
          "print 'right'",
          "late=5000,fail_event=" + std::string(call) +
              ",fail_event_call=" + std::to_string(number));
      INFO(call << " " << number << outcome.err);
      CHECK(outcome.out == "right\n");
    }
}

TEST_CASE("all streams of a lost device are set up again", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local streams = {tide.Stream 'cuda', tide.Stream 'cuda', tide.Stream 'cuda'}\n"
      "local sums, wrong, lost = {}, 0, 0\n"
      "local function work(from, to)\n"
      "  for i = from, to do\n"
      "    tide.stream(streams[i % 3 + 1], function()\n"
      "      local x = tide.full({64}, i + 0.0, {device = 'cuda'})\n"
      "      sums[i] = ((sums[i - 1] or x) * 0 + x + 1):clone()\n"
      "    end)\n"
      "  end\n"
      "end\n"
      "work(1, 300)\n"
      "for i = 1, 300 do\n"
      "  local ok, value = pcall(function() return sums[i]:sum():item() end)\n"
      "  if not ok then lost = lost + 1 elseif value ~= 64 * (i + 1) then wrong = wrong + 1 end\n"
      "end\n"
      "sums = {}\n"
      "work(301, 400)\n"
      "for i = 301, 400 do assert(sums[i]:sum():item() == 64 * (i + 1)) end\n"
      "print(wrong, lost > 50 and 'some lost' or lost)",
      "lose_after=150");
  INFO(outcome.err);
  CHECK(outcome.out == "0\tsome lost\n");
}

TEST_CASE("training continues after the loss of a device", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local nn = tide.nn\n"
      "local function train()\n"
      "  tide.manual_seed(1)\n"
      "  local net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)):to('cuda')\n"
      "  local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.05})\n"
      "  local x, y, last = tide.randn(16, 4):cuda(), tide.randn(16, 1):cuda()\n"
      "  for _ = 1, 12 do\n"
      "    optimizer:zero_grad()\n"
      "    local loss = nn.functional.mse_loss(net(x), y)\n"
      "    loss:backward() optimizer:step()\n"
      "    last = loss:item()\n"
      "  end\n"
      "  return last\n"
      "end\n"
      "local ok, why = pcall(train)\n"
      "assert(not ok and why:find('its memory are lost', 1, true), why)\n"
      "local again, second_run = train(), train()\n"
      "assert(again == second_run)\n"
      "print('trained', tide.statistics().graphs > 0)",
      "lose_after=60");
  INFO(outcome.err);
  CHECK(outcome.out == "trained\ttrue\n");
}

}  // namespace tide::test
