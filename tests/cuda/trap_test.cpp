// A kernel that traps loses its device. Hidden, because on a real GPU nothing else should run at
// the same time, and each test needs a separate process: `cuda_tests
// [trap]~[libraries]`, `cuda_tests [trap][libraries]`.
#include <string>

#include "runtime/cuda/driver/driver.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/nn/attention.h"
#include "runtime/ops/nn/convolution.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/types/error.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

using Catch::Matchers::ContainsSubstring;

const char* const kTrap =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry stumble()\n{\ntrap;\nret;\n}\n";

/// Launches the kernel in the runtime's context, without keeping a reference to the context.
void trap_device() {
  const cuda::DriverTable& driver = cuda::driver();
  cuda::Context context = nullptr;
  cuda::check(driver.context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  cuda::check(driver.context_use(context), "cuCtxSetCurrent");
  cuda::Module module = nullptr;
  cuda::check(driver.module_load(&module, kTrap, 0, nullptr, nullptr), "cuModuleLoadDataEx");
  cuda::Function function = nullptr;
  cuda::check(driver.module_function(&function, module, "stumble"), "cuModuleGetFunction");
  cuda::CudaStream stream = nullptr;
  cuda::check(driver.stream_create(&stream, cuda::kStreamNonBlocking), "cuStreamCreate");
  cuda::check(driver.launch(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr),
              "cuLaunchKernel");
  CHECK(driver.stream_synchronize(stream) != cuda::kSuccess);
  driver.context_use(nullptr);
  driver.context_release(0);
}

float first_of(const Tensor& x) {
  std::vector<float> values(static_cast<size_t>(x.numel()));
  x.read(values.data(), "read");
  return values.at(0);
}

/// Ones times `value` on the device.
Tensor values(const Shape& shape, double value, DType type = DType::f32) {
  TensorOptions options;
  options.dtype = type;
  options.device = Device{DeviceKind::cuda, 0};
  return full(shape, value, options);
}

/// Computed by cuBLASLt and cuDNN if available: a product, a convolution and attention of ones,
/// times `value`.
void use_libraries(float value) {
  const auto half = [&](const Shape& shape, double of) { return values(shape, of, DType::bf16); };
  CHECK(first_of(convert(matmul(half({64, 32}, value), half({32, 64}, 1)), DType::f32)) ==
        32 * value);
  CHECK(first_of(convert(conv2d(half({2, 8, 9, 9}, value), half({8, 8, 3, 3}, 1)), DType::f32)) ==
        72 * value);
  const Tensor heads =
      half({1, 8, 576, 8}, 1);  // more scores than attention without a library computes at a time
  CHECK(first_of(convert(scaled_dot_product_attention(heads, heads, heads * value), DType::f32)) ==
        value);
}

/// Loses the device: values report it, and the host keeps working.
void lose_device() {
  const Tensor x = values({8}, 2.0);
  REQUIRE(first_of(x) == 2);  // so it is stored
  trap_device();
  const Tensor y = x * 2;
  const Tensor host = full({8}, 3.0);
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_WITH(first_of(i == 0 ? y : x), ContainsSubstring("restart the process to use it"));
    CHECK_THROWS_WITH(first_of(values({1000}, i) + 0.5),
                      ContainsSubstring("the device and its memory are lost"));
    CHECK(first_of(host * i) == 3 * i);
  }
}

}  // namespace

TEST_CASE("a device whose kernel has trapped reports it", "[.trap]") { lose_device(); }

TEST_CASE("a device whose kernel has trapped reports it after libraries were used",
          "[.trap][libraries]") {
  use_libraries(2);
  lose_device();
}

}  // namespace tide::test
