// Loops that share a launch: they compute the same as one by one, and fail one by one.
#include <string>
#include <vector>

#include "runtime/backward/backward.h"
#include "runtime/codegen/gpu_form.h"
#include "tests/cuda/device_run.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/runtime/codegen/loop_interpreter.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

/// The loop over fewer elements: `part` quarters of its extents. A nested operand's position in the
/// row depends on the dimensions of the entire row.
LoopCase part_of(const LoopCase& loop, int64_t part) {
  LoopCase made = loop;
  const size_t row_rank = made.program.row_rank;
  for (size_t d = 0; d < made.extents.size() - row_rank; ++d)
    made.extents[d] = made.extents[d] * part / 4;
  return made;
}

/// Runs parts of a random loop, from nothing to all, by one call; each must equal the reference,
/// bit for bit. (Both sides produce the same nans.)
void check_parts(LoopKind kind, Orientation orientation, int64_t length, unsigned seed) {
  std::mt19937 random(seed);
  const LoopCase all = random_case(random, kind, orientation, length, false);
  std::vector<LoopCase> loops;
  for (const int64_t part : {4, 0, 1, 3, 2, 4}) loops.push_back(part_of(all, part));
  std::vector<LoopCase> alone = loops;
  for (LoopCase& loop : alone) run_on_device(loop);
  const size_t launches = run_together_on_device(loops);
  INFO("seed " << seed << " length " << length);
  CHECK(launches < loops.size());
  for (size_t i = 0; i < loops.size(); ++i)
    for (const size_t output : all.outputs) {
      INFO("loop " << i << " operand " << output);
      CHECK(loops[i].memory[output] == alone[i].memory[output]);
    }
}

/// Prints launches of `fn` by the names of their ops, with the number of loops of each.
const char* const kLaunches = R"(
  local device = {device = 'cuda'}
  local function launches(fn)
    tide.synchronize()
    local kept
    local p = tide.profile(function() kept = fn() tide.synchronize() end)
    local lines = {}
    for _, row in ipairs(p:table {by = 'kernel'}) do
      lines[#lines + 1] = ('%s: %d of %s loops'):format(row.name, row.calls, row.loops or '-')
    end
    table.sort(lines)
    return table.concat(lines, ', ')
  end
  local function arrays(...)
    local made = {}
    for i, n in ipairs {...} do made[i] = tide.arange(1, n + 1, device):to('float32') * i end
    tide.synchronize()
    return made
  end
)";

std::string run(const std::string& script, const std::string& settings = "") {
  return run_with(settings, kLaunches + script);
}

}  // namespace

TEST_CASE("maps that share a launch have the same bits", "[cuda]") {
  for (unsigned seed = 0; seed < 30; ++seed)
    check_parts(LoopKind::map, Orientation::outer, int64_t{8} << seed % 5, seed);
}

TEST_CASE("rows that share a launch have the same bits", "[cuda]") {
  for (unsigned seed = 0; seed < 15; ++seed) {
    check_parts(LoopKind::row, Orientation::row, int64_t{16} << seed % 6, seed);
    check_parts(LoopKind::row, Orientation::outer, int64_t{16} << seed % 4, seed);
  }
  check_parts(LoopKind::partial, Orientation::row, 2 * kReductionBlock + 8, 1);
  check_parts(LoopKind::partial, Orientation::outer, kReductionBlock + 72, 2);
  check_parts(LoopKind::single_block, Orientation::row, 300, 3);
}

TEST_CASE("a full table of loops causes another launch", "[cuda]") {
  std::mt19937 random(5);
  const LoopCase one = random_case(random, LoopKind::map, Orientation::outer, 16, false);
  const size_t small = GpuTableLayout(one.program, GpuTable::small).entries,
               large = GpuTableLayout(one.program, GpuTable::large).entries;
  REQUIRE(small > 1);
  for (const size_t count : {small, small + 1, large, large + 1, 2 * large + 1}) {
    CAPTURE(count);
    std::vector<LoopCase> loops(count, one);
    CHECK(run_together_on_device(loops) == (count + large - 1) / large);
    LoopCase alone = one;
    run_on_device(alone);
    for (const LoopCase& loop : loops)
      for (const size_t output : one.outputs) REQUIRE(loop.memory[output] == alone.memory[output]);
  }
}

TEST_CASE("loops of one kernel on independent data are one launch", "[cuda][fake]") {
  CHECK(
      run(R"(
    local x = arrays(3, 1000, 64, 5000, 8)
    print(launches(function()
      local y = {}
      for i = 1, 5 do y[i] = x[i] * 2 + 1 end
      return y
    end))
    print(launches(function()
      local y = {}
      for i = 1, 3 do y[i] = x[i] * 2 + 1 end
      return y
    end))
  )") ==
      "mul_add: 1 of 1 loops, mul_add: 1 of 4 loops\nmul_add: 1 of 1 loops, mul_add: 1 of 1 loops, "
      "mul_add: 1 of 1 loops\n");
}

TEST_CASE("interleaved loops are gathered", "[cuda][fake]") {
  CHECK(run(R"(
    local x = arrays(64, 128, 192, 256)
    print(launches(function()
      local y = {}
      for i = 1, 4 do
        y[i] = x[i]:sum()
        y[i + 4] = x[i]:reshape(8, -1):amax(1) * 2
      end
      return y
    end))
  )") == "max_mul: 1 of 4 loops, sum: 1 of 4 loops\n");
}

TEST_CASE("loops that depend on each other are separate launches", "[cuda][fake]") {
  CHECK(run(R"(
    local x = tide.arange(1, 65, device)
    local y
    print(launches(function()
      y = x
      for i = 1, 5 do y = y:roll(3) end
      return y
    end))
    print(table.concat(y:tolist(), ' ', 14, 18))
  )") == "copy: 5 of 1 loops, copy: 5 of 1 loops\n63 64 1 2 3\n");
}

TEST_CASE("an optimizer's step is a launch or two, and a norm of gradients few", "[cuda][fake]") {
  CHECK(run(R"(
    tide.manual_seed(1)
    local net = tide.nn.Sequential()
    for i = 1, 20 do net:append(tide.nn.Linear(8 + i, 9 + i)) end
    net:to('cuda')
    for _, p in ipairs(net:parameters()) do p.grad = tide.randn_like(p) end
    local optimizer = tide.optim.AdamW(net:parameters())
    optimizer:step()
    print((launches(function() optimizer:step() end):gsub('^.*: (%d+) of', '%1 of')))
    local text = launches(function() tide.nn.utils.clip_grad_norm_(net:parameters(), 1) end)
    local all = 0
    for count in text:gmatch ': (%d+) of' do all = all + count end
    print(all < 12 and 'few' or text)
  )") == "1 of 40 loops\nfew\n");
}

TEST_CASE("training has the same bits as ops one by one", "[cuda][fake]") {
  const std::string training = R"(
    tide.manual_seed(3)
    local nn = tide.nn
    local net = nn.Sequential()
    for i = 1, 6 do net:append(nn.Linear(4 + i, 5 + i)):append(nn.Tanh()) end
    net:to('cuda')
    local average = {}
    local optimizer = tide.optim.%s(net:parameters(), {lr = 0.01})
    for i, p in ipairs(net:parameters()) do average[i] = p:detach():clone() end
    local x = tide.randn(6, 5):cuda()
    for _ = 1, 5 do
      optimizer:zero_grad()
      net(x):square():mean():backward()
      nn.utils.clip_grad_norm_(net:parameters(), 0.1)
      optimizer:step()
      for i, p in ipairs(net:parameters()) do average[i]:mul_(0.9):add_(p:detach(), {alpha = 0.1}) end
    end
    for i, p in ipairs(net:parameters()) do
      for _, v in ipairs(p:flatten():tolist()) do io.write(('%%a '):format(v)) end
      for _, v in ipairs(average[i]:flatten():tolist()) do io.write(('%%a '):format(v)) end
    end
  )";
  for (const char* optimizer : {"SGD", "Adam", "AdamW", "RMSprop"}) {
    CAPTURE(optimizer);
    std::string script = training;
    script.replace(script.find("%s"), 2, optimizer);
    for (size_t at; (at = script.find("%%")) != std::string::npos;) script.erase(at, 1);
    const std::string together = run_with("", script);
    const Environment eager({{"TIDE_EAGER", "1"}});
    CHECK(together.size() > 1000);
    CHECK(together == run_with("", script));
  }
}

TEST_CASE("a loop of a batch whose input is lost fails by itself", "[cuda][fake]") {
  CHECK(run(R"(
    local x = arrays(4, 5, 6, 7, 8, 9)
    local bad = x[3]:gather(1, tide.tensor({7}, {dtype = 'int64', device = 'cuda'})):expand(6)
    local y = {}
    for i = 1, 6 do y[i] = (i == 3 and bad:contiguous() or x[i]) * 2 + 1 end
    tide.flush()
    for i = 1, 6 do
      local ok, message = pcall(function() return y[i]:sum():item() end)
      print(i, ok and message or (message:match 'gather' or message))
    end
  )") == "1\t24.0\n2\t65.0\n3\tgather\n4\t231.0\n5\t368.0\n6\t549.0\n");
}

TEST_CASE("parts of one value that are written together are complete or lost", "[cuda][fake]") {
  CHECK(run(R"(
    local x = arrays(4, 5, 6, 7, 8, 9)
    local parts = {}
    for i = 1, 6 do parts[i] = x[i]:sum() end
    local whole
    print(launches(function() whole = tide.stack(parts) return whole end))
    print(table.concat(whole:tolist(), ' '))
    local bad = x[3]:gather(1, tide.tensor({7}, {dtype = 'int64', device = 'cuda'})):squeeze()
    local lost = tide.stack {parts[1], parts[2], bad, parts[4], parts[5], parts[6]}
    tide.flush()
    print((select(2, pcall(lost.tolist, lost)):match 'gather'))
  )") == "copy: 1 of 6 loops\n10.0 30.0 63.0 112.0 180.0 270.0\ngather\n");
}

TEST_CASE("a write over another loop's input is a separate launch", "[cuda][fake]") {
  CHECK(run(R"(
    local x = arrays(64, 64, 64, 64, 64)
    -- All have one kernel; each but the first reads what the one before overwrites.
    for i = 1, 4 do
      x[i]:copy_(x[i + 1] * 2 + 1)
    end
    for i = 1, 5 do io.write(x[i]:sum():item(), ' ') end
    print()
  )") == "8384 12544 16704 20864 10400 \n");
}

TEST_CASE("repeated windows of batches have new arguments", "[cuda][fake]") {
  CHECK(run(R"(
    for turn = 1, 8 do
      local x, y, z = arrays(8, 16, 24, 32, 40), {}, {}
      for i = 1, 5 do y[i] = x[i] * turn + i end
      for i = 1, 5 do z[i] = y[i]:sum() end
      for i = 1, 5 do
        local n = 8 * i
        local expected = turn * i * n * (n + 1) / 2 + i * n
        assert(z[i]:item() == expected, ('turn %d: %g, not %g'):format(turn, z[i]:item(), expected))
      end
    end
    print 'right'
  )") == "right\n");
}

}  // namespace tide::test
