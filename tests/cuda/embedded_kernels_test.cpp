// The embedded kernels: PTX for every device, machine code for the common ones.
#include "runtime/cuda/embedded_kernels.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string_view>

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
    WARN("no nvcc here: nothing is embedded");
    return;
  }
  for (const char* file : {"matmul", "attention", "indexing", "scan", "sort", "pairs", "random",
                           "linalg", "spectrum", "pooling", "convolution"}) {
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

}  // namespace
}  // namespace tide::test
