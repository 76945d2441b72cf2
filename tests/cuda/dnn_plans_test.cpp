// The real cuDNN, if installed, makes plans for all kinds of convolutions and for attention; this
// needs no GPU: see tests/cuda/described_dnn.
#include <optional>
#include <string>

#include "runtime/backward/backward.h"
#include "tests/cuda/environment.h"
#include "tests/interpreter/command.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

namespace {

/// Convolutions with their gradients, in all types: the log shows those that use tide's own
/// kernels.
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
      -- Half of them are channels-last.
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

/// Attention with its gradients: full, causal and with masks, strided rows, several heads at a
/// time, odd numbers of rows, and unaligned masks.
constexpr const char* kAttention = R"(
local F = tide.nn.functional
local cases = {
  {"bfloat16", {2, 8, 1024, 64}, 1024, false}, {"float16", {1, 4, 777, 128}, 1001, true},
  {"bfloat16", {1, 3, 8192, 32}, 8192, true},
  {"float16", {2, 4, 640, 64}, 720, false, {640, 720}}, {"bfloat16", {3, 4, 512, 32}, 512, false, {3, 1, 1, 512}},
  {"bfloat16", {2, 2, 1000, 64}, 777, false, {2, 2, 1000, 777}},
  {"bfloat16", {1, 12, 4001, 64}, 4001, false}, {"float16", {1, 12, 4001, 64}, 4001, false, {1, 1, 4001, 4001}},
  {"bfloat16", {1, 3, 1024, 64}, 1024, false, {1024, 1024}, 1},
}
for _, c in ipairs(cases) do
  local dtype, shape, keys, causal, mask, shift = table.unpack(c)
  local options = {is_causal = causal, attn_mask = mask and tide.ones(mask, {device = "cuda"}):gt(0)}
  if shift then -- a mask that does not start at a multiple of 16 bytes
    local numbers = tide.zeros({mask[1] * mask[2] + shift}, {device = "cuda"})
    options.attn_mask = numbers[{{1 + shift, -1}}]:view(mask)
  end
  local function random(rows)
    local x = tide.zeros({shape[1], rows, shape[2], shape[4]}, {device = "cuda", dtype = dtype})
    return x:transpose(2, 3):requires_grad_()
  end
  local y = F.scaled_dot_product_attention(random(shape[3]), random(keys), random(keys), options)
  y:sum():backward()
  tide.synchronize()
end
print "done"
)";

/// The outcome of a script with the real library; nullopt if it is not installed.
std::optional<test::Outcome> with_real_library(const char* script) {
  const std::string described = TIDE_DESCRIBED_CUDNN;
  if (described.empty()) {
    ::test::skip("no cuDNN here: it was not asked for its plans", "TIDE_EXPECT_CUDNN");
    return std::nullopt;
  }
  tide::test::Environment environment({{"TIDE_CUDA_PATH", described + ":" + TIDE_FAKE_DRIVER},
                                       {"TIDE_FAKE_CUDA", "skip_kernels=1"},
                                       {"TIDE_LOG", "1"}});
  auto outcome = test::run_tide({"-e", script});
  if (outcome.err.find("cuDNN has version 0") != std::string::npos) {
    ::test::skip("cuDNN is older than 9.8 here: it was not asked for its plans",
                 "TIDE_EXPECT_CUDNN");
    return std::nullopt;
  }
  INFO(outcome.err);
  CHECK(outcome.out == "done\n");
  CHECK(outcome.err.find("cuDNN has version 9") != std::string::npos);
  CHECK(outcome.err.find("uses tide's own kernel") == std::string::npos);
  CHECK(outcome.err.find("failed with status") == std::string::npos);
  return outcome;
}

}  // namespace

TEST_CASE("cuDNN itself makes plans for convolutions on an H200", "[cuda][fake]") {
  if (const auto outcome = with_real_library(kScript))
    CHECK(outcome->err.find("a convolution's weight gradient of float32") != std::string::npos);
}

TEST_CASE("attention's arrays lie as described to cuDNN", "[cuda][fake]") {
  const tide::test::Environment environment({{"TIDE_CUDA_PATH", TIDE_FAKE_DRIVER},
                                             {"TIDE_FAKE_CUDA", "skip_kernels=1,memory=4G"},
                                             {"TIDE_LOG", "1"}});
  const auto outcome = test::run_tide({"-e", kAttention});
  INFO(outcome.err);
  CHECK(outcome.out == "done\n");
  CHECK(outcome.err.find(" (1, 6, 4001, 64) to (1, 6, 4001, 64) with a mask uses cuDNN") !=
        std::string::npos);
  CHECK(outcome.err.find("uses tide's own kernel") == std::string::npos);
}

TEST_CASE("cuDNN itself makes plans for attention on an H200", "[cuda][fake]") {
  const auto outcome = with_real_library(kAttention);
  if (!outcome) return;
  for (const char* shapes : {" of bfloat16 (2, 8, 1024, 64) to (2, 8, 1024, 64)",
                             " of float16 (1, 4, 777, 128) to (1, 4, 1001, 128)",
                             " of float16 (2, 4, 640, 64) to (2, 4, 720, 64) with a mask",
                             " of bfloat16 (3, 4, 512, 32) to (3, 4, 512, 32) with a mask",
                             " of bfloat16 (2, 2, 1000, 64) to (2, 2, 777, 64) with a mask",
                             " of bfloat16 (1, 3, 1024, 64) to (1, 3, 1024, 64) with a mask"})
    for (const std::string pass : {"attention", "attention's gradient"})
      CHECK(outcome->err.find(pass + shapes + " uses cuDNN") != std::string::npos);
  // Two bytes for each of 12 * 4001 * 4001 or 3 * 8192 * 8192 scores exceed the workspace.
  for (const std::string mask : {"", " with a mask"})
    CHECK(outcome->err.find((mask.empty() ? "bfloat16" : "float16") +
                            std::string(" (1, 6, 4001, 64) to (1, 6, 4001, 64)") + mask +
                            " uses cuDNN") != std::string::npos);
  CHECK(outcome->err.find(
            "attention's gradient of bfloat16 (1, 1, 8192, 32) to (1, 1, 8192, 32) uses cuDNN") !=
        std::string::npos);
}
