// The host waits for a CUDA device when a script reads a value, and rarely otherwise.
#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/backward/backward.h"
#include "runtime/cuda/launch/embedded_kernels.h"
#include "tests/cuda/device_run.h"
#include "tests/cuda/environment.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace tide::test {
namespace {

/// How often the host waits while the script runs with `turns`.
int waits(int turns, const std::string& script) {
  const std::string reported = run_with("skip_kernels=1,count_waits=1",
                                        "local turns = " + std::to_string(turns) + "\n" + script);
  INFO(reported);
  REQUIRE(reported.starts_with("fake driver: "));
  return std::atoi(reported.c_str() + std::string("fake driver: ").size());
}

/// Lesson 5's network and loop; `loss` and `batch` are those of the test.
std::string training(const std::string& batch, const std::string& loss) {
  return R"(
    local nn, F = tide.nn, tide.nn.functional
    local x = tide.randn({256, 1, 8, 8}, {device = "cuda"})
    local y = tide.randint(1, 10, {256}, {device = "cuda"})
    local z = tide.randn({256, 10}, {device = "cuda"})
    local loader = tide.data.DataLoader(tide.data.TensorDataset(x, y), {batch_size = 32, shuffle = true})
    local network = nn.Sequential(
      nn.Conv2d(1, 16, 3, {padding = 1}), nn.ReLU(), nn.Conv2d(16, 32, 3, {padding = 1}), nn.ReLU(),
      nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5), nn.Linear(32 * 4 * 4, 64), nn.ReLU(),
      nn.Linear(64, 10)):to("cuda")
    local optimizer = tide.optim.SGD(network:parameters(), {lr = 0.02, momentum = 0.9})
    local total = tide.zeros({}, {device = "cuda"})
    local function step(batch_x, batch_y)
      optimizer:zero_grad()
      local loss = )" +
         loss + R"(
      loss:backward()
      optimizer:step()
      total:add_(loss:detach())
    end
    for turn = 1, turns do )" +
         batch + " end\n";
}

}  // namespace

TEST_CASE("a training step never waits", "[cuda][fake]") {
  if (!cuda::embedded_ptx("matmul"))
    return ::test::skip("no nvcc here: compute ops have no kernels", "TIDE_EXPECT_NVCC");
  const std::string script =
      training("for i = 1, 8 do step(x:narrow(1, 32 * i - 31, 32), z:narrow(1, 1, 32)) end",
               "F.mse_loss(network(batch_x), batch_y)");
  CHECK(waits(2, script) == waits(6, script));
}

TEST_CASE("a training step waits for nothing but its positions", "[cuda][fake]") {
  if (!cuda::embedded_ptx("matmul"))
    return ::test::skip("no nvcc here: compute ops have no kernels", "TIDE_EXPECT_NVCC");
  // The optimizer's step depends on whether the batch's positions and labels were in range. It
  // waits at most once, and not at all if the device has already checked them.
  const std::string script =
      training("for batch_x, batch_y in loader:iter() do step(batch_x, batch_y) end",
               "F.cross_entropy(network(batch_x), batch_y)");
  CHECK(waits(6, script) <= waits(0, script) + 6 * 8);
}

TEST_CASE("nonzero waits only for the number of true elements", "[fake]") {
  if (!cuda::embedded_ptx("matmul"))
    return ::test::skip("no nvcc here: compute ops have no kernels", "TIDE_EXPECT_NVCC");
  const auto reported = [](const std::string& turn) {
    return run_with("count_waits=1",
                    "local x = tide.rand({100, 70}, {device = 'cuda'}):lt(0.5)\n"
                    "for _ = 1, 5 do " +
                        turn + " end tide.synchronize()");
  };
  CHECK(reported("x:nonzero()") == reported("x:count_nonzero():item()"));
}

TEST_CASE("uploads and events do not make the host wait", "[cuda][fake]") {
  for (const char* source : {"tide.ones({100, 300})", "tide.ones({100, 300}):pin_memory()"}) {
    const std::string script = "local x = " + std::string(source) + R"( tide.synchronize()
      for turn = 1, turns do
        local y = x:to("cuda") * 2
        local event = tide.Event{device = "cuda", timing = true}:record()
        local z = y + tide.tensor({turn}, {device = "cuda"})
      end)";
    INFO(source);
    CHECK(waits(5, script) == waits(25, script));
  }
}

TEST_CASE("uploads have the values at the time of the call, however late the device reads them",
          "[cuda][fake]") {
  CHECK(run_with("late=3000", R"(
    for _, pinned in ipairs {true, false} do
      local copies = {}
      local x = tide.zeros({1000})
      if pinned then x = x:pin_memory() end
      for i = 1, 20 do
        copies[i] = x:to("cuda")
        x:add_(1)                                  -- would be in place without the copy
        local other = tide.full({1000}, -1)        -- reuses the old memory, if released
        if pinned then other = other:pin_memory() end
      end
      for i = 1, 20 do assert(copies[i]:eq(i - 1):all():item(), i) end
    end
    print "right")") == "right\n");
}

TEST_CASE("events measure the device's time", "[cuda][fake]") {
  // Some of the work is 4 ms late; recording the last event returns immediately.
  CHECK(run_with("late=4000", R"(
    local function event() return tide.Event{device = "cuda", timing = true} end
    local a, b, x = event(), event(), tide.ones({8}, {device = "cuda"})
    tide.synchronize()
    local start = tide.time()
    a:record()
    for i = 1, 20 do x = x + 1 tide.flush() end
    b:record()
    local recorded = tide.time() - start
    local passed = a:elapsed_time(b) / 1e3
    local all = tide.time() - start
    assert(passed > 0.008 and passed <= all and recorded < passed, passed)
    print "right")") == "right\n");
}

TEST_CASE("a host callback does not delay the device's work", "[cuda]") {
  cuda::CudaDeviceBackend& device = cuda_device();
  cuda::CudaStreamBackend& stream = cuda_work();
  static std::atomic<bool> later_is_done{false}, was_done{false}, was_called{false};
  float number = 1;
  void* const block = device.allocate(sizeof number);
  stream.copy(block, &number, sizeof number, CopyKind::to_device);
  stream.note(1);
  stream.call_when_done(
      [](void*) {
        for (int i = 0; i < 2000 && !later_is_done; ++i)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        was_done = later_is_done.load();
        was_called = true;
      },
      nullptr);
  stream.copy(block, &number, sizeof number, CopyKind::to_device);
  stream.finish();
  later_is_done = true;
  while (!was_called) std::this_thread::yield();
  CHECK(was_done);
  device.release(block, sizeof number);
}

}  // namespace tide::test
