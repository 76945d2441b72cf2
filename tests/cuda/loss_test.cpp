// Loss of a device: every later use of it reports the cause, and everything else keeps working.

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
      "  for i = 1, 3 do assert((tide.ones(8, {device = 'cuda:1'}) * i):mean():item() == i) end\n"
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

TEST_CASE("every use of a lost device reports the loss", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      kStart +
          "local function check(f, ...)\n"
          "  local fine, reported = pcall(f, ...)\n"
          "  assert(not fine and reported:find('lost.lua:3 (add)', 1, true), reported)\n"
          "  assert(reported:find('are lost: restart the process to use it', 1, true), reported)\n"
          "end\n"
          "for _, lost in ipairs {x, y, x * 3} do\n"
          "  check(lost.tolist, lost) check(lost.cpu, lost) check(lost.tolist, lost)\n"
          "end\n"
          "for i = 1, 50 do\n"
          "  check(function() return tide.full({100 * i}, i, {device = 'cuda'}):sum():item() end)\n"
          "end\n"
          "check(function() return pinned:to('cuda'):sum():item() end)\n"
          "check(function() x:fill_(7) return x:sum():item() end)\n"
          "check(function()\n"
          "  tide.stream(tide.Stream 'cuda', function() return (x + 1):sum():item() end)\n"
          "end)\n"
          "local event = tide.Event 'cuda' event:record() event:synchronize()\n"
          "tide.cuda.synchronize()\n"
          "print('well')",
      settings());
  INFO(outcome.err);
  CHECK(outcome.out == "well\n");
  CHECK(outcome.err == "");
  CHECK(outcome.status == 0);
}

TEST_CASE("the host and other devices keep working after a loss", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local host, other = tide.ones(8) * 3, tide.ones(8, {device = 'cuda:1'}) * 4\n" + kStart +
          "assert(pinned:sum():item() == 4 and host:sum():item() == 24)\n"
          "assert(other:sum():item() == 32 and host:to('cuda:1'):sum():item() == 24)\n"
          "assert(tide.ones(8, {device = 'cuda:1'}):sum():item() == 8)\n"
          "local held = tide.cuda.memory_allocated()\n"
          "x, y = nil, nil collectgarbage() collectgarbage() tide.cuda.synchronize()\n"
          "assert(tide.cuda.memory_allocated() < held)\n"
          "print('well')",
      settings());
  INFO(outcome.err);
  CHECK(outcome.out == "well\n");
}

TEST_CASE("copies from pinned memory read it directly", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local pinned = tide.ones(4):pin_memory()\n"
      "assert(pinned:to('cuda'):sum():item() == 4)\n"
      "assert(tide.ones(3):pin_memory():to('cuda'):sum():item() == 3)\n"
      "print('copied')",
      "pinned_only=1");
  INFO(outcome.err);
  CHECK(outcome.out == "copied\n");
}

TEST_CASE("work queued on a lost device fails", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local eager <close> = tide.eager()\n"
      "local x = tide.ones(64, {device = 'cuda'})\n"
      "local chain, why = {}, nil\n"
      "pcall(function() for i = 1, 500 do x = x + 1 chain[i] = x end end)\n"
      "for i = 1, #chain do\n"
      "  local ok, value = pcall(function() return chain[i]:sum():item() end)\n"
      "  assert(ok and value == 64 * (i + 1) or not ok and value:find('are lost', 1, true), "
      "value)\n"
      "  why = not ok and value or why\n"
      "end\n"
      "print(why and why:match 'queued at %S*lost.lua:%d' and 'lost' or #chain)",
      "lose_after=300");
  INFO(outcome.err);
  CHECK(outcome.out == "lost\n");
}

TEST_CASE("errors that invalidate the context lose the device", "[cuda][fake]") {
  for (const char* error : {"214", "220", "226", "702", "709", "710", "714", "715", "716", "717",
                            "718", "721", "810"}) {
    const auto outcome =
        run_losing_script(kStart +
                              "print(why:find('lost.lua:3 (add)', 1, true) ~= nil, "
                              "(pcall(tide.ones(1).to, tide.ones(1), 'cuda')))",
                          settings(std::string(",lose_error=") + error));
    INFO(error << outcome.err);
    CHECK(outcome.out == "true\tfalse\n");
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

TEST_CASE("work of all streams of a lost device fails", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local streams = {tide.Stream 'cuda', tide.Stream 'cuda', tide.Stream 'cuda'}\n"
      "local sums, wrong, lost = {}, 0, 0\n"
      "for i = 1, 300 do\n"
      "  pcall(tide.stream, streams[i % 3 + 1], function()\n"
      "    local x = tide.full({64}, i + 0.0, {device = 'cuda'})\n"
      "    sums[i] = ((sums[i - 1] or x) * 0 + x + 1):clone()\n"
      "  end)\n"
      "end\n"
      "for i = 1, 300 do\n"
      "  local ok, value = pcall(function() return sums[i]:sum():item() end)\n"
      "  if not ok then lost = lost + 1 elseif value ~= 64 * (i + 1) then wrong = wrong + 1 end\n"
      "end\n"
      "print(wrong, lost > 50 and 'some lost' or lost)",
      "lose_after=150");
  INFO(outcome.err);
  CHECK(outcome.out == "0\tsome lost\n");
}

TEST_CASE("training continues on another device after a loss", "[cuda][fake]") {
  const auto outcome = run_losing_script(
      "local nn = tide.nn\n"
      "local function train(device)\n"
      "  tide.manual_seed(1)\n"
      "  local net = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)):to(device)\n"
      "  local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.05})\n"
      "  local x, y, last = tide.randn(16, 4):to(device), tide.randn(16, 1):to(device)\n"
      "  for _ = 1, 12 do\n"
      "    optimizer:zero_grad()\n"
      "    local loss = nn.functional.mse_loss(net(x), y)\n"
      "    loss:backward() optimizer:step()\n"
      "    last = loss:item()\n"
      "  end\n"
      "  return last\n"
      "end\n"
      "local ok, why = pcall(train, 'cuda:0')\n"
      "assert(not ok and why:find('its memory are lost', 1, true), why)\n"
      "assert(train 'cuda:1' == train 'cuda:1')\n"
      "print('trained')",
      "lose_after=60");
  INFO(outcome.err);
  CHECK(outcome.out == "trained\n");
}

}  // namespace tide::test
