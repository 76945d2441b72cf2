#include "tests/cuda/fake/libraries.h"

#include <atomic>
#include <utility>

#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/handles.h"
#include "tests/cuda/fake/settings.h"

using namespace fake;

namespace {
std::atomic<const Watcher*> watcher{nullptr};
}

std::function<void()> fake::watched(tide::cuda::cupti::Kind kind, std::function<void()> work) {
  const Watcher* const by = watcher;
  if (!by) return work;
  return [by, kind, call = by->call(), work = std::move(work)] {
    const uint64_t begin = by->now();
    work();
    by->done(kind, call, begin, by->now());
  };
}

void fake_watch(const Watcher* from_now_on) { watcher = from_now_on; }

Result fake_launch(CudaStream stream, const std::function<void()>& kernel) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(stream, HandleKind::stream, "a library")) return error;
  thread_of(stream).enqueue(watched(tide::cuda::cupti::kKernel, [kernel, &device = *current()] {
    if (!device.lost && !settings().skip_kernels) kernel();
  }));
  return kSuccess;
}

void fake_lose_device(CudaStream stream, Result error) {
  Device& device = owner_of(stream, HandleKind::stream, "a library");
  thread_of(stream).enqueue([&device, error] { device.lost = error; });
}
