// A kernel that traps takes its device along; the device starts anew. Hidden, as on a real GPU
// nothing else should run beside it: `cuda_tests [trap]`.
#include <string>

#include "runtime/core/error.h"
#include "runtime/cuda/driver/driver.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/shape/creation.h"
#include "tests/support/catch.h"

namespace tide::test {
namespace {

const char* const kTrap =
    ".version 8.0\n.target sm_75\n.address_size 64\n"
    ".visible .entry stumble()\n{\ntrap;\nret;\n}\n";

/// Launches the kernel in the context that the runtime uses, of which it is no holder afterwards.
void trap_device() {
  const cuda::DriverTable& driver = cuda::driver();
  cuda::Context context = nullptr;
  cuda::check(driver.context_retain(&context, 0), "cuDevicePrimaryCtxRetain");
  cuda::check(driver.context_use(context), "cuCtxSetCurrent");
  cuda::Module module = nullptr;
  cuda::check(driver.module_load(&module, kTrap, 0, nullptr, nullptr), "cuModuleLoadDataEx");
  cuda::Function function = nullptr;
  cuda::check(driver.module_function(&function, module, "stumble"), "cuModuleGetFunction");
  cuda::Stream stream = nullptr;
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

}  // namespace

TEST_CASE("a device whose kernel has trapped goes on with new values", "[.trap]") {
  TensorOptions there;
  there.device = Device{DeviceKind::cuda, 0};
  const Tensor x = full({8}, 2.0, there);
  REQUIRE(first_of(x + 1) == 3);
  trap_device();
  std::string reported;
  try {
    first_of(x * 2);
  } catch (const Error& error) {
    reported = error.what();
  }
  CAPTURE(reported);
  CHECK(reported.find("the device is lost") != std::string::npos);
  CHECK_THROWS_AS(first_of(x), Error);
  for (int i = 1; i <= 20; ++i) REQUIRE(first_of(full({1000}, i, there) + 0.5) == i + 0.5);
}

}  // namespace tide::test
