// The embedded kernels: PTX for every device, machine code for known ones.
#include "runtime/cuda/launch/embedded_kernels.h"

#include <string>
#include <string_view>
#include <utility>

#include "tests/cuda/environment.h"
#include "tests/cuda/fatbin.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace tide::test {
namespace {

/// Devices and the architecture of their machine code: the newest one with their major number that
/// is not newer than they are.
constexpr std::pair<int, uint32_t> kDevices[] = {{75, 75},   {80, 80},  {86, 86},   {87, 86},
                                                 {89, 89},   {90, 90},  {100, 100}, {103, 100},
                                                 {120, 120}, {121, 120}};
/// Devices without embedded machine code.
constexpr int kUnknown[] = {110, 130};

TEST_CASE("every file of kernels is there as PTX and for known devices") {
  if (!cuda::embedded_ptx("matmul")) {
    return ::test::skip("no nvcc here: nothing is embedded", "TIDE_EXPECT_NVCC");
  }
  for (const char* file :
       {"matmul", "int8_matmul", "attention", "indexing", "scan", "sort", "pairs", "random",
        "require", "linalg", "eigen_svd", "pooling", "convolution", "nonzero"}) {
    INFO(file);
    REQUIRE(cuda::embedded_ptx(file));
    CHECK(std::string_view(cuda::embedded_ptx(file)).find(".target sm_75") !=
          std::string_view::npos);
    for (const auto& [capability, architecture] : kDevices) {
      INFO(capability);
      const void* image = cuda::embedded_binary(file, capability);
      REQUIRE(image);
      CHECK(architecture_of(image) == architecture);
    }
    for (const int capability : kUnknown) CHECK(!cuda::embedded_binary(file, capability));
  }
  CHECK(!cuda::embedded_ptx("nothing"));
}

/// Sorts on the fake driver with the settings `fake`.
::test::Outcome sort_on(const std::string& fake) {
  const Environment environment(
      {{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}, {"TIDE_FAKE_CUDA", "report_binaries=1," + fake}});
  return ::test::run_tide({"-e", R"(
    local sorted = tide.tensor({3, 1, 2}, {device = "cuda"}):sort()
    print(table.concat(sorted:tolist(), " "))
  )"});
}

TEST_CASE("the driver gets machine code for the device, then PTX", "[fake]") {
  if (!cuda::embedded_ptx("sort")) {
    return ::test::skip("no nvcc here: nothing is embedded", "TIDE_EXPECT_NVCC");
  }
  for (const auto& [capability, architecture] : kDevices) {
    const auto outcome = sort_on("capability=" + std::to_string(capability));
    CHECK(outcome.err == "fake driver: no use for sm_" + std::to_string(architecture) + "\n");
    CHECK(outcome.out == "1 2 3\n");
  }
  for (const int capability : kUnknown) {
    const auto outcome = sort_on("capability=" + std::to_string(capability));
    CHECK(outcome.err.empty());
    CHECK(outcome.out == "1 2 3\n");
  }
}

TEST_CASE("machine code that the driver rejects is not an error", "[fake]") {
  if (!cuda::embedded_ptx("sort")) {
    return ::test::skip("no nvcc here: nothing is embedded", "TIDE_EXPECT_NVCC");
  }
  constexpr int kInvalidImage = 200, kUnsupportedContainer = 223;
  for (const int error : {kInvalidImage, kUnsupportedContainer})
    CHECK(sort_on("binary_error=" + std::to_string(error)).out == "1 2 3\n");
  CHECK(sort_on("binary_error=2").err.find("out of memory") != std::string::npos);
}

TEST_CASE("factorizations do not pivot on a nan, and propagate it", "[fake]") {
  if (!cuda::embedded_ptx("linalg")) {
    return ::test::skip("no nvcc here: the host's library computes factors", "TIDE_EXPECT_NVCC");
  }
  const Environment environment({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER}});
  const auto outcome = ::test::run_tide({"-e", R"(
    local a = tide.tensor({{0 / 0, 1}, {2, 3}}, {device = "cuda"})
    local lu, pivots = tide.linalg.lu_factor(a)
    assert(pivots[1]:item() == 2 and pivots[2]:item() == 2)
    assert(lu[{1, 1}]:item() == 2 and lu[{1, 2}]:item() == 3)
    assert(lu[2]:isnan():all():item())
    assert(tide.linalg.cholesky(a)[{2, 2}]:isnan():item())
  )"});
  CHECK(outcome.err.empty());
  CHECK(outcome.status == 0);
}

}  // namespace
}  // namespace tide::test
