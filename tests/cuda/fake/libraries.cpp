#include "tests/cuda/fake/libraries.h"

#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/handles.h"
#include "tests/cuda/fake/settings.h"
#include "tests/cuda/fake/watch.h"

using namespace fake;

Result fake_launch(Stream stream, const std::function<void()>& kernel) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(stream, HandleKind::stream, "a library")) return error;
  thread_of(stream).enqueue(watched(tide::cuda::cupti::kKernel, [kernel, &device = *current()] {
    if (!device.lost && !settings().skip_kernels) kernel();
  }));
  return kSuccess;
}

void fake_lose_device(Stream stream, Result error) {
  Device& device = owner_of(stream, HandleKind::stream, "a library");
  thread_of(stream).enqueue([&device, error] { device.lost = error; });
}
