// Repeated windows run as CUDA graphs: with the same values, never with old arguments, and without
// graphs if the driver fails.
#include "runtime/cuda/launch/launch_graphs.h"

#include <dlfcn.h>

#include <cstring>

#include "runtime/backward/backward.h"
#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/kernel.h"
#include "tests/cuda/device_run.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace tide::test {
namespace {

struct Run {
  std::string out, err;
};

Run run_script(const std::string& script, const std::string& graphs = "1") {
  const Environment environment(
      {{"TIDE_CUDA_GRAPHS", graphs}, {"TIDE_EAGER", "0"}, {"TIDE_LOG", "1"}});
  auto outcome = ::test::run_tide({"-e", script});
  CHECK(outcome.status == 0);
  return {std::move(outcome.out), std::move(outcome.err)};
}

/// Six loops per window, of different kernels, as loops of one kernel would share a launch: values,
/// addresses and (with `grow`) sizes change from turn to turn.
const char* const kTurns = R"(
  local function turns(count, grow)
    local sums = {}
    for turn = 1, count do
      local x = {}
      for k = 1, 6 do x[k] = tide.full({k + (grow and turn or 0), 3}, turn, {device = 'cuda'}) end
      tide.synchronize()
      local kept = {} -- different addresses in each turn
      for k = 1, 6 do
        kept[k] = x[k] * turn
        for _ = 1, k do kept[k] = kept[k] + 1 end
      end
      tide.flush()
      sums[turn] = kept
    end
    for turn, kept in ipairs(sums) do
      for k = 1, 6 do
        for _, v in ipairs(kept[k]:flatten():tolist()) do
          assert(v == turn * turn + k, ('turn %d part %d: %g'):format(turn, k, v))
        end
      end
    end
    return tide.statistics().graphs
  end
)";

std::string turns(const std::string& rest) { return kTurns + rest; }

/// Trains a small network and prints all of its values.
const char* const kTraining = R"(
  tide.manual_seed(3)
  local nn = tide.nn
  local net = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 5), nn.ReLU(), nn.Linear(5, 2)):to('cuda')
  local optimizer = tide.optim.Adam(net:parameters(), {lr = 0.01})
  local x, y = tide.randn(16, 6):cuda(), tide.randint(1, 2, {16}):cuda()
  for _ = 1, 8 do
    optimizer:zero_grad()
    local loss = nn.functional.cross_entropy(net(x), y)
    loss:backward()
    optimizer:step()
    io.write(('%a '):format(loss:item()))
  end
  for _, p in ipairs(net:parameters()) do
    for _, v in ipairs(p:flatten():tolist()) do io.write(('%a '):format(v)) end
  end
)";

}  // namespace

TEST_CASE("a repeated window runs as a graph", "[cuda]") {
  CHECK(run_script(turns("print(turns(10) > 0)")).out == "true\n");
  CHECK(run_script(turns("print(turns(10))"), "0").out == "0\n");
}

TEST_CASE("a window that ran twice is not yet a graph", "[cuda]") {
  CHECK(run_script(turns("print(turns(2))")).out == "0\n");
}

TEST_CASE("windows of other sizes are other windows", "[cuda]") {
  CHECK(run_script(turns("print(turns(10, true) >= 0)")).out == "true\n");
}

TEST_CASE("tide's own compute kernels are part of graphs", "[cuda]") {
  // Two of the four are compute kernels: pooling, and a gather whose positions may be out of range.
  const char* const script = R"(
    local function turn(i, position)
      local x = tide.full({1, 1, 4, 4}, i, {device = 'cuda'})
      local index = tide.full({2, 1}, position, {dtype = 'int64', device = 'cuda'})
      local y = tide.nn.functional.max_pool2d(x * 2, 2):exp():view(2, 2)
      return y:gather(2, index) + 1
    end
    for i = 1, 6 do io.write(('%.3f '):format(turn(i / 4, 2):sum():item())) end
    io.write(tostring(pcall(function() return turn(1, 3):sum():item() end)), ' ')
    io.write(('%.3f'):format(turn(0.5, 1):sum():item()))
    io.stderr:write(tide.statistics().graphs)
  )";
  const Run with = run_script(script), without = run_script(script, "0");
  CHECK(with.out == "5.297 7.437 10.963 16.778 26.365 42.171 false 7.437");
  CHECK(with.out == without.out);
  CHECK(without.err.substr(without.err.rfind('\n') + 1) == "0");
  if (cuda::embedded_ptx("pooling")) {
    CHECK(with.err.substr(with.err.rfind('\n') + 1) != "0");
  } else {
    ::test::skip("no nvcc here: compute ops have no kernels", "TIDE_EXPECT_NVCC");
  }
}

TEST_CASE("windows of fewer than four steps do not become graphs", "[cuda]") {
  // Each step takes two kernels: one of them checks the positions.
  const char* const script = R"(
    local x = tide.ones({4, 4}, {device = 'cuda'})
    local index = tide.full({4, 4}, 2, {dtype = 'int64', device = 'cuda'})
    tide.synchronize()
    for steps = 1, 4 do
      local before = tide.statistics().graphs
      for _ = 1, 8 do
        local y = x
        for _ = 1, steps do y = y:gather(2, index) end
        assert(y:tolist()[4][4] == 1)
      end
      io.write(tostring(tide.statistics().graphs > before), ' ')
    end
  )";
  if (cuda::embedded_ptx("indexing"))
    CHECK(run_script(script).out == "false false false true ");
  else
    ::test::skip("no nvcc here: compute ops have no kernels", "TIDE_EXPECT_NVCC");
}

TEST_CASE("training gives the same bits with graphs and without", "[cuda]") {
  const Run with = run_script(std::string(kTraining) + "io.stderr:write(tide.statistics().graphs)");
  CHECK(with.err.substr(with.err.rfind('\n') + 1) != "0");
  const Run without = run_script(kTraining, "0");
  CHECK(with.out.size() > 500);
  CHECK(with.out == without.out);
}

TEST_CASE("a failed graph is not tried again for a window", "[cuda][fake]") {
  for (const char* failing : {"create", "add", "add,fail_graph_after=2", "instantiate", "set",
                              "set,fail_graph_after=2", "launch", "launch,fail_graph_after=2"}) {
    INFO(failing);
    const Environment fake({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER},
                            {"TIDE_FAKE_CUDA", std::string("fail_graph=") + failing}});
    const Run run = run_script(turns("turns(10) print('right')"));
    CHECK(run.out == "right\n");
    const std::string reported = "a window of 6 kernels no longer uses a graph";
    int times = 0;
    for (size_t at = 0; (at = run.err.find(reported, at)) != std::string::npos; ++at) ++times;
    CHECK(times == 1);  // one window of six kernels in each of ten turns
  }
}

namespace {

/// to = from + number, over `n` elements.
struct Addition {
  LoopStep step;

  Addition() {
    using Kind = LoopInstruction::Kind;
    LoopProgram& program = step.program;
    program.operands = {{.type = DType::f32, .vector_stride = 1},
                        {.type = DType::f32, .vector_stride = 1}};
    program.parameter_count = 1;
    LoopInstruction add{
        .kind = Kind::map, .type = DType::f32, .op = static_cast<OpCode>(ElementwiseOp::add)};
    add.arity = 2, add.a[0] = 0, add.a[1] = 1;
    program.code = {{.kind = Kind::load, .type = DType::f32, .operand = 0},
                    {.kind = Kind::parameter, .type = DType::f32, .operand = 0},
                    add,
                    {.kind = Kind::store, .type = DType::f32, .operand = 1, .a = {2}}};
    step.kernel = &Kernel::find(program);
  }

  void launch(cuda::CudaKernels& kernels, cuda::LaunchGraphs& launches, void* to, void* from,
              int64_t n, float add) {
    step.extents = {n};
    step.strides = {1, 1};
    void* bases[] = {from, to};
    uint64_t parameter = 0;
    std::memcpy(&parameter, &add, sizeof add);
    kernels.launch(step, bases, &parameter, launches);
  }
};

}  // namespace

TEST_CASE("a graph runs with the addresses, sizes and values of its run", "[cuda]") {
  cuda::CudaDeviceBackend& device = cuda_device();
  cuda::CudaStreamBackend& work = cuda_work();
  cuda::CudaStream stream = nullptr;
  REQUIRE(cuda::driver().stream_create(&stream, cuda::kStreamNonBlocking) == 0);
  cuda::CudaKernels kernels(75, std::make_shared<cuda::LoadedKernels>(75, 4, 1024));
  Addition addition;
  constexpr int64_t kMost = 1000;
  constexpr size_t kBytes = kMost * sizeof(float);
  std::vector<void*> blocks;
  for (int i = 0; i < 3; ++i) blocks.push_back(device.allocate(kBytes));
  {
    cuda::LaunchGraphs launches(stream);
    const PlanInfo plan{.number = 1, .kernels_in_a_row = 5};
    for (int run = 0; run < 12; ++run) {
      // Sizes change the grid, and sometimes the kernel: vectors of 16 bytes or single elements.
      const int64_t n = run % 6 == 5 ? 999 : 1000 - 8 * run;
      void *a = blocks[static_cast<size_t>(run) % 3], *b = blocks[static_cast<size_t>(run + 1) % 3];
      std::vector<float> values(kMost, static_cast<float>(run));
      work.copy(a, values.data(), kBytes, CopyKind::to_device);
      work.finish();
      launches.begin(plan);
      for (int k = 0; k < 5; ++k) {
        addition.launch(kernels, launches, b, a, n, static_cast<float>(run + k));
        std::swap(a, b);
      }
      launches.end();
      REQUIRE(cuda::driver().stream_synchronize(stream) == 0);
      work.copy(values.data(), a, kBytes, CopyKind::to_host);
      for (int64_t i = 0; i < n; ++i)
        REQUIRE(values[static_cast<size_t>(i)] == static_cast<float>(6 * run + 10));
    }
    CHECK(launches.replays() == 10);
  }
  for (void* block : blocks) device.release(block, kBytes);
}

TEST_CASE("the number of graphs is bounded, and graphs are released", "[cuda]") {
  cuda_device().use();
  // Only the fake driver counts them.
  const auto live = reinterpret_cast<int (*)()>(dlsym(
      dlopen(cuda::driver_report().library.c_str(), RTLD_NOW | RTLD_NOLOAD), "fake_live_graphs"));
  if (!live) return ::test::skip("a real driver does not count its graphs");
  const int before = live();
  cuda::CudaStream stream = nullptr;
  REQUIRE(cuda::driver().stream_create(&stream, cuda::kStreamNonBlocking) == 0);
  cuda::CudaKernels kernels(75, std::make_shared<cuda::LoadedKernels>(75, 4, 1024));
  Addition addition;
  void* block = cuda_device().allocate(64);
  {
    cuda::LaunchGraphs launches(stream);
    for (int p = 0; p < 300; ++p) {
      const PlanInfo plan{.number = static_cast<uint64_t>(p), .kernels_in_a_row = 4};
      for (int run = 0; run < 3; ++run) {
        launches.begin(plan);
        for (int k = 0; k < 4; ++k) addition.launch(kernels, launches, block, block, 16, 1);
        launches.end();
      }
    }
    CHECK(launches.replays() == 300);
    CHECK(live() - before > 0);
    CHECK(live() - before <= 2 * 256);
    REQUIRE(cuda::driver().stream_synchronize(stream) == 0);
  }
  CHECK(live() == before);
  cuda_device().release(block, 64);
}

}  // namespace tide::test
