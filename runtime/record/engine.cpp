// The engine's public side: recorders of threads, waiting and its record, statistics.
#include "runtime/record/engine.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <unordered_map>

#include "runtime/core/error.h"
#include "runtime/device/async_stream.h"
#include "runtime/device/simulation.h"
#include "runtime/record/recorder.h"

namespace tide {

Counters counters;

namespace {

/// The record of all waits of the process.
struct WaitBook {
  std::mutex mutex;
  std::vector<engine::WaitRecord> records;
  int64_t count = 0;
  double seconds = 0;
};

WaitBook& wait_book() {
  static WaitBook& book = *new WaitBook;
  return book;
}

/// Lines about failures that nobody has read, at the end of a program.
constexpr size_t kMostUnread = 20;

bool eager_by_environment() {
  const char* value = std::getenv("TIDE_EAGER");
  return value && *value && std::strcmp(value, "0") != 0;
}

}  // namespace

Recorder::Recorder() : eager(eager_by_environment()) {}

Recorder::~Recorder() {
  if (gettid() == getpid()) DeviceState::rest();
}

Recorder& Recorder::of_thread() {
  thread_local Recorder recorder;
  return recorder;
}

Window& Recorder::window(DeviceState& device) {
  const auto number = static_cast<size_t>(device.number);
  if (number >= windows_.size()) windows_.resize(number + 1);
  if (!windows_[number]) windows_[number] = std::make_unique<Window>(device);
  return *windows_[number];
}

void Recorder::flush() {
  for (const auto& window : windows_)
    if (window) window->flush();
}

int64_t Recorder::pending_ops() const {
  int64_t count = 0;
  for (const auto& window : windows_)
    if (window) count += window->size();
  return count;
}

int64_t Recorder::recorded_ops() const {
  int64_t count = 0;
  for (const auto& window : windows_)
    if (window) count += window->recorded();
  return count;
}

void wait_for(Stream& stream, uint64_t ticket, const char* reason) {
  if (stream.queue.completed() >= ticket) return;
  const double start = engine::seconds();
  const auto note = [&] {
    WaitBook& book = wait_book();
    const double seconds = engine::seconds() - start;
    const CallSite site = current_call_site();
    std::lock_guard lock(book.mutex);
    ++book.count;
    book.seconds += seconds;
    const auto found = std::find_if(
        book.records.begin(), book.records.end(),
        [&](const auto& record) { return record.site == site && record.reason == reason; });
    auto& record = found != book.records.end() ? *found : book.records.emplace_back();
    record.site = site;
    record.reason = reason;
    ++record.count;
    record.seconds += seconds;
  };
  try {
    stream.queue.wait(ticket);
  } catch (...) {
    note();
    throw;
  }
  note();
}

void* wait_for(Node& node, const char* reason) {
  Window& window = Recorder::of_thread().window(*node.device);
  if (node.state == Node::State::recorded) window.flush();
  // What others in its window read may have become a recomputable value there.
  if (node.state == Node::State::recomputable) {
    window.want(node);
    window.flush();
  }
  if (node.state == Node::State::failed) raise(*node.failure, reason);
  if (node.state != Node::State::stored) throw InternalError("a value is neither stored nor lost");
  wait_for(node.device->stream_of(node), node.ticket, reason);
  if (const auto value_error = node.device->failures.find_unreported(node.storage->data))
    raise(*value_error->failure, reason);
  return node.storage->data;
}

void raise(const Failure& failure, const char* reason) {
  // What was recorded before this moment goes before it.
  if (!failure.is_reported() && !Recorder::of_thread().all_or_nothing) engine::flush();
  const_cast<Failure&>(failure).report();
  const CallSite here = current_call_site();
  std::string text = failure.what;
  if (failure.site.known() || here.known())
    text += "; queued at " + failure.site.text() + " (" + failure.op + "), noticed at " +
            here.text() + " (" + reason + ")";
  if (failure.shortage) throw MemoryError(text);
  throw Error(text);
}

namespace engine {

std::vector<Device> devices() { return present_devices(); }

bool exists(Device device) { return is_present(device); }

void flush() { Recorder::of_thread().flush(); }

void synchronize(Device device, const char* reason) {
  flush();
  for (Stream* stream : DeviceState::of(device).streams())
    wait_for(*stream, stream->queue.submitted(), reason);
}

void synchronize(const char* reason) {
  flush();
  for (Stream* stream : DeviceState::all_streams())
    wait_for(*stream, stream->queue.submitted(), reason);
}

int64_t pending_ops() {
  int64_t count = Recorder::of_thread().pending_ops();
  for (const Stream* stream : DeviceState::all_streams()) count += stream->queue.pending_ops();
  return count;
}

void interrupt() {
  for (Stream* stream : DeviceState::all_streams()) stream->queue.drop_pending();
  for (DeviceState* state : DeviceState::all()) state->wait_uninterrupted();
  interrupt_requested = false;
}

void request_interrupt() { interrupt_requested = true; }

namespace {

Stream& stream_at(StreamId id) { return DeviceState::of(id.device).stream(id.number); }

}  // namespace

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
      window.flush();
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
  flush();
  Stream& stream = stream_at(id);
  wait_for(stream, stream.queue.submitted(), reason);
}

Mark mark(StreamId stream) {
  flush();
  return {stream, stream_at(stream).queue.submit_mark()};
}

bool reached(const Mark& mark) { return stream_at(mark.stream).queue.completed() >= mark.ticket; }

bool idle(StreamId stream) {
  flush();
  const Queue& queue = stream_at(stream).queue;
  return queue.completed() >= queue.submitted();
}

void wait(const Mark& mark, const char* reason) {
  wait_for(stream_at(mark.stream), mark.ticket, reason);
}

double time_reached(const Mark& mark) {
  return stream_at(mark.stream).queue.time_of_mark(mark.ticket);
}

void wait_on_stream(StreamId id, const Mark& mark) {
  flush();
  if (id == mark.stream) return;
  Stream& waiting = stream_at(id);
  Stream& source = stream_at(mark.stream);
  waiting.queue.submit([&](Submission& submission) {
    submission.task = [&waiting, &source, ticket = mark.ticket] {
      waiting.queue.follow(source.queue, ticket);
    };
  });
}

bool eager() { return Recorder::of_thread().eager; }

void set_eager(bool on) {
  if (on) flush();
  Recorder::of_thread().eager = on;
}

void begin_state() {
  Recorder& recorder = Recorder::of_thread();
  if (recorder.all_or_nothing) return;
  recorder.flush();
  recorder.must_run = true;
}

void end_state() {
  Recorder& recorder = Recorder::of_thread();
  struct Ended {
    Recorder& recorder;
    ~Ended() { recorder.must_run = false; }
  } const ended{recorder};
  if (recorder.must_run) recorder.flush();
}

void begin_step() {
  Recorder& recorder = Recorder::of_thread();
  if (recorder.all_or_nothing) return;
  recorder.flush();  // what came before is no part of the step
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
  recorder.flush();
}

std::vector<WaitRecord> wait_report() {
  std::lock_guard lock(wait_book().mutex);
  return wait_book().records;
}

int64_t wait_count() {
  std::lock_guard lock(wait_book().mutex);
  return wait_book().count;
}

double wait_seconds() {
  std::lock_guard lock(wait_book().mutex);
  return wait_book().seconds;
}

bool has_library(Device device, ComputeOp op) {
  return DeviceState::of(device).backend->has_library(op);
}

MemoryStatistics memory(Device device) {
  DeviceState& state = DeviceState::of(device);
  state.let_go();
  MemoryStatistics result = state.allocator.statistics();
  const Backend::DeviceMemory all = state.backend->device_memory();
  result.device_free = all.available;
  result.device_total = all.total;
  return result;
}

void reset_peak(Device device) { DeviceState::of(device).allocator.reset_peak(); }

void empty_cache(Device device) { DeviceState::of(device).empty_cache(); }

void empty_host_caches() { DeviceState::empty_host_caches(); }

uint64_t allocated_bytes() { return counters.allocated_bytes.load(std::memory_order_relaxed); }

uint64_t held_bytes() {
  uint64_t bytes = 0;
  for (const DeviceState* state : DeviceState::all()) bytes += state->allocator.statistics().in_use;
  return bytes;
}

void configure_sim(int index, const SimOptions& options) {
  const Device device{DeviceKind::sim, static_cast<uint8_t>(index)};
  DeviceState& state = DeviceState::of(device);
  flush();
  state.wait_uninterrupted();
  state.backend->simulation()->configure(options);
}

Statistics statistics() {
  Statistics result;
  result.recorded = counters.recorded + Recorder::of_thread().recorded_ops();
  result.windows = counters.windows;
  result.plans = counters.plans;
  for (const Stream* stream : DeviceState::all_streams()) {
    result.launches += stream->queue.launches();
    if (const AsyncStream* async = stream->backend.async_stream())
      result.graphs += async->graph_runs();
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
    if (stream->device.device == device) count += stream->queue.launches();
  return count;
}

bool report_unread_failures(FILE* to) {
  bool any = false;
  try {
    flush();
  } catch (const Error& error) {
    std::fprintf(to, "tide: %s\n", error.what());
    any = true;
  }
  // Of each kind one line, in the order of the first.
  std::vector<std::string> lines;
  std::unordered_map<std::string, int64_t> times;
  for (DeviceState* state : DeviceState::all()) {
    state->wait_uninterrupted();
    for (const auto& failure : state->failures.unread()) {
      std::string line = failure->what + "; queued at " + failure->site.text() + " (" +
                         failure->op + "), never read";
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

}  // namespace engine
}  // namespace tide
