// The workspace of ops on a full device, and large workspaces.

#include "runtime/cuda/launch/embedded_kernels.h"
#include "tests/cuda/environment.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace tide::test {
namespace {

/// A product whose result shows who computed it: cuBLASLt rounds the factor to 1, tide's kernel
/// does not. fill() fills the device, and empty() releases that memory to the cache.
constexpr const char* kFull = R"(
  tide.set_float32_matmul_precision("high")
  local cuda = {device = "cuda"}
  local a, b = tide.full({16, 16}, 1 + 2^-12, cuda), tide.eye(16, cuda)
  local function product() return a:matmul(b)[1][1]:item() end
  local second = tide.Stream "cuda"
  product()
  local blocks = {}
  local function fill()
    while pcall(function() blocks[#blocks + 1] = tide.zeros({1 << 18}, cuda) tide.flush() end) do end
  end
  local function empty() blocks = {} collectgarbage() tide.synchronize() end
)";

}  // namespace

TEST_CASE("a product has the same bits if values or the cache fill the device", "[cuda][fake]") {
  const auto run = [](const char* script) {
    return run_with("memory=96M", std::string(kFull) + script);
  };
  // The first stream has its workspace from the start; another one needs memory from the cache.
  CHECK(run("fill() print(#blocks > 50, product()) empty() print(product())") ==
        "true\t1.0\n1.0\n");
  CHECK(run("fill() empty() print(tide.stream(second, product))") == "1.0\n");
  const std::string refused =
      run("fill() print(pcall(tide.stream, second, product))\n"
          "empty() print(tide.stream(second, product))");
  INFO(refused);
  CHECK(refused.find("matmul: out of memory: requested 32.0 MB of workspace; queued at") !=
        std::string::npos);
  CHECK(refused.ends_with("\n1.0\n"));
}

TEST_CASE("a library that fails on a full device is tried again later", "[cuda][fake]") {
  // The second product fails: the first one is the script's.
  CHECK(run_with("memory=96M", std::string(kFull) + "fill() empty() print(product(), product())",
                 "fail=2") == "1.0\t1.0\n");
  // With enough memory it is the library's failure, and it is not tried again.
  CHECK(run_with("memory=900M", std::string(kFull) + "print(product(), product())", "fail=2") ==
        "1.000244140625\t1.000244140625\n");
}

TEST_CASE("cached blocks in use by queued work are not released", "[cuda][fake]") {
  // The second stream needs memory while the first one, delayed, still uses its blocks.
  CHECK(run_with("memory=96M,late=2000", std::string(kFull) + R"(
    fill() empty()
    local x = tide.ones({1 << 18}, cuda)
    for i = 1, 20 do
      x = x + 1
      tide.flush()
      if i == 10 then tide.stream(second, function() a:matmul(b) tide.flush() end) end
    end
    assert(x:sum():item() == 21 * (1 << 18))
    print "right")") == "right\n");
}

TEST_CASE("a large workspace is kept until memory is short", "[cuda][fake]") {
  if (!cuda::embedded_ptx("sort"))
    return ::test::skip("no nvcc here: sorting has no kernel", "TIDE_EXPECT_NVCC");
  const auto waits = [](int sorts) {
    const std::string reported =
        run_with("skip_kernels=1,count_waits=1",
                 "local x = tide.zeros({5 << 20}, {device = 'cuda'})\n"
                 "for i = 1, " +
                     std::to_string(sorts) + " do local y = x:sort(1) tide.synchronize() end");
    return reported.substr(reported.find("fake driver: "));
  };
  CHECK(waits(3) == waits(6));
  // 80 MB of workspace, which is released when values need the memory.
  CHECK(run_with("skip_kernels=1,memory=200M", R"(
    local x = tide.zeros({5 << 20}, {device = "cuda"})
    x:sort(1)
    tide.synchronize()
    local most = tide.zeros({35 << 20}, {device = "cuda"})
    tide.synchronize()
    print "right")") == "right\n");
}

}  // namespace tide::test
