// Kernels and the runtime rely on no order that CUDA does not promise.
#include <catch2/catch.hpp>

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"

namespace tide::test {
namespace {

/// Runs script tests of a folder on a tests' driver that is as `fake` says.
void check_scripts(const std::string& folder, std::initializer_list<const char*> names,
                   const std::string& fake) {
  const Environment environment({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", fake}});
  std::vector<std::string> words = {"test", "--device", "cuda"};
  for (const char* name : names) words.push_back(folder + name + "_test.lua");
  const auto outcome = ::test::run_tide(words);
  INFO(outcome.out << outcome.err);
  CHECK(outcome.status == 0);
}

}  // namespace

TEST_CASE("our kernels do the same in any order of blocks, warps and threads", "[cuda][fake]") {
  check_scripts(
      TIDE_SOURCES "/tests/cuda/scripts/",
      {"counted_loops", "linalg", "scans", "scatter", "selection", "sorting", "eigen_svd"},
      "order=shuffled");
}

TEST_CASE("streams pass their tests with full queues, late calls and blocks in reverse",
          "[cuda][fake]") {
  check_scripts(TIDE_SOURCES "/tests/scripts/devices/", {"streams"},
                "queue_depth=4,callback_us=300,order=reversed");
}

}  // namespace tide::test
