// The embedded kernels: PTX for every device, machine code for the common ones.
#include "runtime/cuda/embedded_kernels.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string_view>

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/skip.h"

namespace tide::test {
namespace {

constexpr uint16_t kMachineOfCuda = 190;  // EM_CUDA of the ELF format

uint16_t machine_of(const void* image) {
  uint16_t machine;
  std::memcpy(&machine, static_cast<const char*>(image) + 18, sizeof machine);
  return machine;
}

TEST_CASE("every file of kernels is there as PTX and for common devices") {
  if (!cuda::embedded_ptx("matmul")) {
    return ::test::skip("no nvcc here: nothing is embedded", "TIDE_EXPECT_NVCC");
  }
  for (const char* file :
       {"matmul", "byte_product", "attention", "indexing", "scan", "sort", "pairs", "random",
        "require", "linalg", "spectrum", "pooling", "convolution"}) {
    INFO(file);
    REQUIRE(cuda::embedded_ptx(file));
    CHECK(std::string_view(cuda::embedded_ptx(file)).find(".target sm_75") !=
          std::string_view::npos);
    for (const int capability : {80, 86, 89, 90}) {
      const void* image = cuda::embedded_binary(file, capability);
      REQUIRE(image);
      CHECK(std::memcmp(image,
                        "\x7f"
                        "ELF",
                        4) == 0);
      CHECK(machine_of(image) == kMachineOfCuda);
    }
    CHECK(cuda::embedded_binary(file, 80) != cuda::embedded_binary(file, 90));
    for (const int capability : {75, 100, 120}) CHECK(!cuda::embedded_binary(file, capability));
  }
  CHECK(!cuda::embedded_ptx("nothing"));
}

TEST_CASE("kernels of factors pass a nan over as pivot, and on to what depends on it", "[fake]") {
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
