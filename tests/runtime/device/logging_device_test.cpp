// A new kind of device: all its work goes through its own calls.
#include "tests/runtime/device/logging_device.h"

#include "runtime/ops/linalg/matrix.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/record/engine.h"
#include "runtime/tensor/tensor.h"
#include "tests/runtime/ops/values.h"
#include "tests/support/catch.h"

using namespace tide;

// Run with the device in the place of the cpu (tests/CMakeLists.txt), as are the other tests of
// ops, tensors, gradients and queues.
TEST_CASE("work of a new kind of device is done by its own backend", "[device][logging]") {
  const test::DeviceLog* const log = test::log_of_cpu();
  if (!log) return;
  const int64_t loops = log->loops, computes = log->computes, launches = engine::launches(Device{});
  const Tensor x = full({64, 64}, 2.0);
  CHECK(test::values(matmul(x, x) + 1.0)[0] == 257);
  CHECK(log->loops > loops);
  CHECK(log->computes == computes + 1);
  CHECK(engine::launches(Device{}) - launches == log->loops - loops + 1);
  const int64_t streams = log->streams;
  engine::add_stream(Device{});
  CHECK(log->streams == streams + 1);
  CHECK(log->bytes > 0);
}
