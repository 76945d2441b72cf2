// Streams, events and calls of the host in the order of a stream.
#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/errors.h"
#include "tests/cuda/fake/settings.h"

namespace fake {
namespace {

/// How often a thread of the host was made to wait for a stream or an event.
std::atomic<int64_t> waits{0};

}  // namespace

int64_t host_waits() { return waits; }

Result stream_create(Stream* stream, unsigned) {
  if (const Result error = state()) return error;
  *stream = reinterpret_cast<Stream>(new StreamThread(*current()));
  return kSuccess;
}

Result stream_synchronize(Stream stream) {
  ++waits;
  thread_of(stream).synchronize();
  return thread_of(stream).device().lost;
}

Result stream_wait(Stream stream, Event event, unsigned) {
  mark_of(event).hold(thread_of(stream));
  return state();
}

static bool is_event_to_fail(const char* call) {
  static std::atomic<int> calls{0};
  return settings().fail_event == call && ++calls == settings().fail_event_call;
}

Result event_create(Event* event, unsigned flags) {
  if (is_event_to_fail("create")) return kOutOfMemory;
  *event = reinterpret_cast<Event>(new EventMark(!(flags & kEventNoTiming)));
  return state();
}

Result event_record(Event event, Stream stream) {
  if (const Result error = state()) return error;
  if (&thread_of(stream).device() != current()) return kInvalidHandle;
  if (is_event_to_fail("record")) return kOutOfMemory;
  mark_of(event).record(thread_of(stream));
  return kSuccess;
}

Result event_query(Event event) {
  const bool reached = mark_of(event).reached();
  if (const Result error = state()) return error;
  if (is_event_to_fail("query")) return kOutOfMemory;
  return reached ? kSuccess : kNotReady;
}

Result event_synchronize(Event event) {
  ++waits;
  mark_of(event).wait();
  return state();
}

Result event_elapsed(float* milliseconds, Event from, Event to) {
  if (const Result error = state()) return error;
  if (!mark_of(from).reached() || !mark_of(to).reached()) return kNotReady;
  if (!mark_of(from).is_timed || !mark_of(to).is_timed) return kInvalidHandle;
  const std::chrono::duration<float, std::milli> passed = mark_of(to).time() - mark_of(from).time();
  *milliseconds = passed.count();
  return kSuccess;
}

Result event_destroy(Event event) {
  delete &mark_of(event);
  return kSuccess;
}

Result host_function(Stream stream, HostFunction function, void* data) {
  if (const Result error = state()) return error;
  thread_of(stream).enqueue([=] { function(data); });
  return kSuccess;
}

}  // namespace fake
