// Implementation of engine.h.
#include "runtime/record/engine.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <unordered_map>

#include "runtime/device/registry.h"
#include "runtime/device/simulation.h"
#include "runtime/device/step_clock.h"
#include "runtime/record/recorder.h"
#include "runtime/record/wait.h"
#include "runtime/types/error.h"

namespace tide::engine {
namespace {

/// The cause of flushes at the start and end of a step or of an optimizer's state.
constexpr FlushCause kStep{FlushCause::Kind::asked, "step"};

Stream& stream_at(StreamId id) { return DeviceState::of(id.device).stream(id.number); }

}  // namespace

std::vector<Device> devices() { return present_devices(); }

bool exists(Device device) { return platform(device.kind).has(device.index); }

void flush(const char* by) { Recorder::of_thread().flush({FlushCause::Kind::asked, by}); }

void synchronize(Device device, const char* reason) {
  flush(reason);
  for (Stream* stream : DeviceState::of(device).streams())
    wait_for(*stream, stream->queue->submitted(), reason);
}

void synchronize(const char* reason) {
  flush(reason);
  for (Stream* stream : DeviceState::all_streams())
    wait_for(*stream, stream->queue->submitted(), reason);
}

namespace {

int64_t queued_ops() {
  int64_t count = 0;
  for (const DeviceState* state : DeviceState::all())
    count += state->use.queued_ops.load(std::memory_order_relaxed);
  return count;
}

}  // namespace

int64_t pending_ops() { return Recorder::of_thread().pending_ops() + queued_ops(); }

Interruption interrupt(double most_seconds) {
  Interruption found;
  found.dropped = queued_ops();
  const std::vector<Stream*> streams = DeviceState::all_streams();
  for (Stream* stream : streams) stream->queue->drop_pending();
  const double end = seconds() + most_seconds;
  for (Stream* stream : streams) {
    const std::chrono::duration<double> time_left(std::max(end - seconds(), 0.0));
    if (!stream->queue->wait_uninterrupted(stream->queue->submitted(), time_left))
      found.busy.push_back(stream->device.device);
  }
  interrupt_requested = false;
  return found;
}

void request_interrupt() { interrupt_requested = true; }

StreamId add_stream(Device device) { return {device, DeviceState::of(device).add_stream().number}; }

StreamId current_stream(Device device) {
  return {device, Recorder::of_thread().stream(DeviceState::of(device)).number};
}

void StreamChoice::choose(StreamId stream) {
  size_t place = 0;
  while (place < count && !(streams[place].device == stream.device)) ++place;
  if (place == kMostDevices) throw Error("stream: streams of too many devices at once");
  if (place == count) ++count;
  streams[place] = stream;
}

const StreamChoice& stream_choice() { return Recorder::of_thread().streams; }

void choose_streams(const StreamChoice& choice) {
  Recorder& recorder = Recorder::of_thread();
  if (choice.count == 0 && recorder.streams.count == 0) return;
  const StreamChoice before = recorder.streams;
  if (choice == before) return;
  recorder.streams = choice;
  std::exception_ptr error;
  const auto move = [&](StreamId id) {
    Window& window = recorder.window(DeviceState::of(id.device));
    try {
      window.flush({FlushCause::Kind::stream});
    } catch (const Error&) {
      if (!error) error = std::current_exception();
    }
    window.set_stream(stream_at(id));
  };
  for (size_t i = 0; i < before.count; ++i) move({before.streams[i].device, 0});
  for (size_t i = 0; i < choice.count; ++i) move(choice.streams[i]);
  if (error) std::rethrow_exception(error);
}

void synchronize(StreamId id, const char* reason) {
  flush(reason);
  Stream& stream = stream_at(id);
  wait_for(stream, stream.queue->submitted(), reason);
}

Mark mark(StreamId stream) {
  flush("record");
  return {stream, stream_at(stream).queue->submit_mark()};
}

namespace {

bool is_seen_done(const Queue& queue, uint64_t ticket) {
  const bool done = queue.completed() >= ticket;
  if (done) queue.note_seen(ticket);
  return done;
}

}  // namespace

bool reached(const Mark& mark) { return is_seen_done(*stream_at(mark.stream).queue, mark.ticket); }

bool idle(StreamId stream) {
  flush("query");
  const Queue& queue = *stream_at(stream).queue;
  return is_seen_done(queue, queue.submitted());
}

void wait(const Mark& mark, const char* reason) {
  wait_for(stream_at(mark.stream), mark.ticket, reason);
}

double elapsed(const Mark& from, const Mark& to) {
  const auto time_of = [](const Mark& mark) {
    return stream_at(mark.stream).queue->time_of_mark(mark.ticket);
  };
  const MarkTime begin = time_of(from), end = time_of(to);
  if (begin.is_modelled != end.is_modelled)
    throw Error("elapsed_time: the events are on different clocks: that of " +
                (begin.is_modelled ? from : to).stream.device.name() + " is modelled, that of " +
                (begin.is_modelled ? to : from).stream.device.name() +
                " is the host's: record both on one device, after sim.configure");
  return end.seconds - begin.seconds;
}

void wait_on_stream(StreamId id, const Mark& mark) {
  flush("wait");
  if (id == mark.stream) return;
  stream_at(id).queue->submit_wait_for(*stream_at(mark.stream).queue, mark.ticket);
}

bool eager() { return Recorder::of_thread().eager; }

void set_eager(bool on) {
  if (on) flush("eager");
  Recorder::of_thread().eager = on;
}

void begin_state() {
  Recorder& recorder = Recorder::of_thread();
  if (recorder.all_or_nothing) return;
  recorder.flush(kStep);
  recorder.must_run = true;
}

void end_state() {
  Recorder& recorder = Recorder::of_thread();
  struct Ended {
    Recorder& recorder;
    ~Ended() { recorder.must_run = false; }
  } const ended{recorder};
  if (recorder.must_run) recorder.flush(kStep);
}

void begin_step() {
  Recorder& recorder = Recorder::of_thread();
  if (recorder.all_or_nothing) return;
  recorder.flush(kStep);  // work before is not part of the step
  recorder.all_or_nothing = true;
}

void end_step(bool whole) {
  Recorder& recorder = Recorder::of_thread();
  if (!recorder.all_or_nothing) return;
  struct Ended {
    Recorder& recorder;
    ~Ended() { recorder.all_or_nothing = recorder.cancelled = false; }
  } const ended{recorder};
  recorder.cancelled = !whole;
  recorder.flush(kStep);
}

void begin_trial() { Recorder::of_thread().begin_trial(); }

void end_trial() { Recorder::of_thread().end_trial(); }

bool has_library(Device device, ComputeOp op) {
  DeviceState::of(device);  // throws if there is no such device
  return platform(device.kind).has_library(device.index, op);
}

MemoryStatistics memory(Device device) {
  DeviceState& state = DeviceState::of(device);
  state.release_kept();
  MemoryStatistics result = state.allocator.statistics();
  if (state.failures.is_lost()) return result;
  const DeviceBackend::MemoryUse all = state.memory();
  result.device_free = all.available;
  result.device_total = all.total;
  return result;
}

std::vector<MemoryHolder> memory_holders(Device device) {
  DeviceState& state = DeviceState::of(device);
  state.release_kept();
  return state.allocator.holders();
}

void reset_peak(Device device) { DeviceState::of(device).allocator.reset_peak(); }

void empty_cache(Device device) { DeviceState::of(device).empty_cache(); }

void limit_memory(Device device, size_t bytes, const char* name) {
  DeviceState::of(device).limit_memory({bytes, name});
}

void empty_host_caches() { DeviceState::empty_host_caches(); }

uint64_t allocated_bytes() { return DeviceState::allocated_bytes(); }

uint64_t held_bytes() {
  uint64_t bytes = 0;
  for (const DeviceState* state : DeviceState::all()) bytes += state->allocator.statistics().in_use;
  return bytes;
}

void configure_sim(int index, const SimOptions& options) {
  const Device device{DeviceKind::sim, static_cast<uint8_t>(index)};
  DeviceState& state = DeviceState::of(device);
  flush("configure");
  state.wait_uninterrupted();
  state.backend->simulation->configure(options);
}

std::string modelled_card(Device device) {
  const auto& simulation = DeviceState::of(device).backend->simulation;
  const CardFigures* const card = simulation ? simulation->card() : nullptr;
  return card ? card->name : "";
}

std::string profile_clock(Device device) {
  const StepClock* const clock = platform(device.kind).step_clock;
  return clock ? clock->description() : "";
}

double modelled_seconds() { return modelled::script_time(); }

int threads() { return platform(Device{}.kind).threads(); }

void set_threads(int count) {
  // The threads belong to the cpu's backend, so they change between two of its steps.
  synchronize(Device{}, "set_num_threads");
  platform(Device{}.kind).set_threads(count);
}

Statistics statistics() {
  Statistics result;
  result.recorded = counters.recorded + Recorder::of_thread().recorded_ops();
  result.windows = counters.windows;
  result.plans = counters.plans;
  for (const Stream* stream : DeviceState::all_streams()) {
    result.launches += stream->queue->launches();
    result.graphs += stream->backend->graph_runs.load(std::memory_order_relaxed);
  }
  return result;
}

std::vector<Device> used_devices() {
  std::vector<Device> devices;
  for (const DeviceState* state : DeviceState::all()) devices.push_back(state->device);
  return devices;
}

int64_t launches(Device device) {
  int64_t count = 0;
  for (const Stream* stream : DeviceState::all_streams())
    if (stream->device.device == device) count += stream->queue->launches();
  return count;
}

void set_reclaim(std::function<void()> reclaim) { DeviceState::set_reclaim(std::move(reclaim)); }

bool report_unread_failures(FILE* to) {
  constexpr size_t kMostUnread = 20;  // lines
  bool any = false;
  try {
    flush("the end");
  } catch (const Error& error) {
    std::fprintf(to, "tide: %s\n", error.what());
    any = true;
  }
  // One line for each kind, in the order of first occurrence.
  std::vector<std::string> lines;
  std::unordered_map<std::string, int64_t> times;
  for (DeviceState* state : DeviceState::all()) {
    state->wait_uninterrupted();
    for (const auto& failure : state->failures.unread()) {
      std::string line = failure->text() + ", never read";
      failure->report();
      if (times[line]++ == 0) lines.push_back(std::move(line));
    }
  }
  for (size_t i = 0; i < std::min(lines.size(), kMostUnread); ++i) {
    const int64_t count = times[lines[i]];
    std::fprintf(to, "tide: %s%s\n", lines[i].c_str(),
                 count > 1 ? (", " + std::to_string(count) + " times").c_str() : "");
  }
  if (lines.size() > kMostUnread)
    std::fprintf(to, "tide: and %zu more of this kind\n", lines.size() - kMostUnread);
  any |= !lines.empty();
  return any;
}

}  // namespace tide::engine
