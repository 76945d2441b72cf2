// The real cuDNN, where it is installed, makes plans for all kinds of convolutions; no GPU is
// needed for that: see tests/cuda/described_dnn.
#include <catch2/catch.hpp>
#include <string>

#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"

namespace {

/// Convolutions with their gradients, in all types: what is left for our own kernels is logged.
constexpr const char* kScript = R"(
local F = tide.nn.functional
local cases = {
  {64, 1, 28, 28, 6, 5, 1, 2, 1, 1}, {64, 6, 14, 14, 16, 5, 1, 0, 1, 1},
  {4, 64, 28, 28, 64, 3, 1, 1, 1, 1}, {4, 64, 28, 28, 128, 3, 2, 1, 1, 1},
  {8, 32, 20, 20, 32, 3, 1, 2, 2, 32}, {2, 6, 9, 7, 4, 3, 2, 1, 1, 2}, {2, 3, 64, 64, 16, 7, 2, 3, 1, 1},
}
for _, precision in ipairs {"highest", "high"} do
  tide.set_float32_matmul_precision(precision)
  for _, dtype in ipairs {"float32", "float16", "bfloat16", "float64"} do
    for i, c in ipairs(cases) do
      local n, channels, h, w, outputs, k, stride, padding, dilation, groups = table.unpack(c)
      local options = {device = "cuda", dtype = dtype}
      -- Half of them lie channels last.
      options.memory_format = i % 2 == (precision == "high" and 1 or 0) and "channels_last" or nil
      local x = tide.zeros({n, channels, h, w}, options):requires_grad_()
      local weight = tide.zeros({outputs, channels // groups, k, k}, options):requires_grad_()
      F.conv2d(x, weight, nil, stride, padding, dilation, groups):sum():backward()
      tide.synchronize()
    end
  end
end
print "done"
)";

}  // namespace

TEST_CASE("cuDNN itself makes plans for convolutions on an H200", "[cuda][fake]") {
  const std::string described = TIDE_DESCRIBED_CUDNN;
  if (described.empty()) {
    WARN("no cuDNN here: it was not asked for its plans");
    return;
  }
  tide::test::Environment environment({{"TIDE_CUDA_PATH", described + ":" + TIDE_FAKE_DRIVER},
                                       {"TIDE_FAKE_CUDA", "skip_kernels=1"},
                                       {"TIDE_LOG", "1"}});
  const auto outcome = test::run_tide({"-e", kScript});
  if (outcome.err.find("cuDNN has version 0") != std::string::npos) {
    WARN("cuDNN is older than 9.8 here: it was not asked for its plans");
    return;
  }
  CHECK(outcome.out == "done\n");
  CHECK(outcome.err.find("cuDNN has version 9") != std::string::npos);
  CHECK(outcome.err.find("a convolution's weight gradient of float32") != std::string::npos);
  CHECK(outcome.err.find("is tide's own") == std::string::npos);
  CHECK(outcome.err.find("failed with status") == std::string::npos);
}
