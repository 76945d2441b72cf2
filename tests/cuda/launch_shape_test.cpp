// Blocks and threads follow from the size of the work and the occupancy, and do not affect results.
#include "runtime/cuda/launch/launch_shape.h"

#include "runtime/codegen/gpu_form.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"

namespace tide::cuda {
namespace {

constexpr KernelResidency kBig{132, 8, 256};  // an H200, a light kernel

}  // namespace

TEST_CASE("every unit of a map has a thread or a turn", "[cuda]") {
  for (const KernelResidency residency :
       {kBig, KernelResidency{4, 1, 96}, KernelResidency{1, 16, 64}})
    for (int64_t units = 1; units < int64_t{1} << 33; units = units * 3 + 1) {
      const LaunchShape shape = launch_threads(units, residency);
      const int64_t threads = int64_t{shape.blocks} * shape.threads;
      INFO(units << " units in " << shape.blocks << " blocks of " << shape.threads);
      CHECK(shape.blocks > 0);
      CHECK(shape.threads > 0);
      CHECK(shape.threads <= static_cast<unsigned>(residency.threads));
      // Less than one block of excess threads, and all turns but the last are full.
      const int64_t turns = (units + threads - 1) / threads;
      CHECK(turns * (threads - shape.threads) < units);
    }
}

TEST_CASE("little work is spread over the multiprocessors", "[cuda]") {
  CHECK(launch_threads(132 * 64, kBig).threads == 64);
  CHECK(launch_threads(132 * 64, kBig).blocks == 132);
  CHECK(launch_threads(132 * 256, kBig).threads == 256);
  CHECK(launch_threads(132 * 256, kBig).blocks == 132);
  CHECK(launch_threads(1, kBig).blocks == 1);
}

TEST_CASE("few columns are spread over the multiprocessors", "[cuda]") {
  LoopProgram columns;
  columns.has_row = true;
  const auto blocks = [&](int64_t units) {
    const GpuForm form{.few = gpu_is_few(columns, units, 132)};
    const GpuBlock block = gpu_block(columns, form);
    CHECK(block.members * block.teams == block.threads);
    return launch_blocks((units + block.teams - 1) / block.teams, {132, 4, block.threads}).blocks;
  };
  CHECK(blocks(1024) == 128);  // a bias gradient: 32 blocks of 32 columns would leave 100 idle
  CHECK(blocks(132 * 32) == 132);
  CHECK(blocks(131 * 32) == 131 * 4);
  columns.orientation = Orientation::row;
  CHECK_FALSE(gpu_is_few(columns, 1024, 132));
}

TEST_CASE("much work fills the device several times, in equal turns", "[cuda]") {
  const LaunchShape shape = launch_threads(int64_t{1} << 30, kBig);
  const int64_t at_once = int64_t{132} * 8;
  CHECK(shape.threads == 256);
  CHECK(shape.blocks <= 8 * at_once);
  CHECK(shape.blocks > 7 * at_once);
  // Slightly more than fits does not become a full turn and a nearly empty one.
  CHECK(launch_blocks(8 * at_once + 2, kBig).blocks == 4 * at_once + 1);
}

TEST_CASE("results do not depend on the occupancy of a multiprocessor", "[cuda][fake]") {
  const auto run = [](const char* settings) {
    const tide::test::Environment fake(
        {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", settings}});
    const auto outcome = ::test::run_tide(
        {"-e",
         "local x = tide.randn(70, 333, {device = 'cuda'})\n"
         "local y = (x * 2 + 1):tanh()\n"
         "for _, r in ipairs {y:sum(), y:softmax(2):std(1), y:cumsum(2), y:matmul(y:t()), "
         "y[{{}, {1, 332}}] + 1} do\n"
         "  for _, v in ipairs(r:flatten():tolist()) do io.write(('%a '):format(v)) end\n"
         "end"});
    CHECK(outcome.err == "");
    return outcome.out;
  };
  const std::string wide = run("devices=1");
  CHECK(wide.size() > 100000);
  CHECK(run("devices=1,resident_blocks=1") == wide);
  CHECK(run("devices=1,resident_blocks=1,block_threads=96") == wide);
}

}  // namespace tide::cuda
