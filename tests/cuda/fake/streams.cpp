// Streams, events and host functions.
#include <chrono>
#include <thread>

#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/errors.h"
#include "tests/cuda/fake/handles.h"
#include "tests/cuda/fake/settings.h"

namespace fake {
namespace {

thread_local bool in_callback = false;

/// How often a host thread had to wait for a stream or an event.
std::atomic<int64_t> waits{0};

bool is_event_to_fail(const char* call) {
  static std::atomic<int> calls{0};
  return settings().fail_event == call && ++calls == settings().fail_event_call;
}

}  // namespace

bool is_in_callback() { return in_callback; }

int64_t host_waits() { return waits; }

Result stream_create(CudaStream* stream, unsigned) {
  if (const Result error = state()) return error;
  *stream = reinterpret_cast<CudaStream>(new StreamThread(*current()));
  note_handle(*stream, HandleKind::stream, *current());
  return kSuccess;
}

Result stream_synchronize(CudaStream stream) {
  if (in_callback) return kNotPermitted;
  const Device& device = owner_of(stream, HandleKind::stream, "cuStreamSynchronize");
  ++waits;
  thread_of(stream).synchronize();
  return device.lost;
}

Result stream_wait(CudaStream stream, Event event, unsigned) {
  if (in_callback) return kNotPermitted;
  owner_of(stream, HandleKind::stream, "cuStreamWaitEvent");
  owner_of(event, HandleKind::event, "cuStreamWaitEvent");
  mark_of(event).hold(thread_of(stream));
  return state();
}

Result event_create(Event* event, unsigned flags) {
  if (is_event_to_fail("create")) return kOutOfMemory;
  if (const Result error = state()) return error;
  *event = reinterpret_cast<Event>(new EventMark(!(flags & kEventNoTiming)));
  note_handle(*event, HandleKind::event, *current());
  return kSuccess;
}

Result event_record(Event event, CudaStream stream) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(event, HandleKind::event, "cuEventRecord")) return error;
  if (const Result error = check_handle(stream, HandleKind::stream, "cuEventRecord")) return error;
  if (is_event_to_fail("record")) return kOutOfMemory;
  mark_of(event).record(thread_of(stream));
  return kSuccess;
}

Result event_query(Event event) {
  if (in_callback) return kNotPermitted;
  owner_of(event, HandleKind::event, "cuEventQuery");
  const bool reached = mark_of(event).reached();
  if (const Result error = state()) return error;
  if (is_event_to_fail("query")) return kOutOfMemory;
  return reached ? kSuccess : kNotReady;
}

Result event_synchronize(Event event) {
  if (in_callback) return kNotPermitted;
  owner_of(event, HandleKind::event, "cuEventSynchronize");
  ++waits;
  mark_of(event).wait();
  return state();
}

Result event_elapsed(float* milliseconds, Event from, Event to) {
  if (const Result error = state()) return error;
  owner_of(from, HandleKind::event, "cuEventElapsedTime");
  owner_of(to, HandleKind::event, "cuEventElapsedTime");
  if (!mark_of(from).reached() || !mark_of(to).reached()) return kNotReady;
  if (!mark_of(from).is_timed || !mark_of(to).is_timed) return kInvalidHandle;
  const std::chrono::duration<float, std::milli> passed = mark_of(to).time() - mark_of(from).time();
  *milliseconds = passed.count() * static_cast<float>(settings().clock_percent) / 100;
  return kSuccess;
}

Result event_destroy(Event event) {
  if (in_callback) return kNotPermitted;
  owner_of(event, HandleKind::event, "cuEventDestroy");
  forget_handle(event);
  delete &mark_of(event);
  return kSuccess;
}

Result host_function(CudaStream stream, HostFunction function, void* data) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(stream, HandleKind::stream, "cuLaunchHostFunc"))
    return error;
  thread_of(stream).enqueue([=, &device = *current()] {
    std::this_thread::sleep_for(std::chrono::microseconds(settings().callback_us));
    if (device.lost) return;  // code that waits for the call waits forever
    in_callback = true;
    function(data);
    in_callback = false;
  });
  return kSuccess;
}

}  // namespace fake
