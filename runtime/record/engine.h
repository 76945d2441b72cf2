// What a program may ask of the running engine: devices, waiting, statistics, modes, failures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/device/clock.h"
#include "runtime/device/memory_statistics.h"
#include "runtime/device/simulation.h"
#include "runtime/ir/compute_op.h"
#include "runtime/record/wait_report.h"

namespace tide::engine {

/// The devices that can be used: cpu, then the simulated accelerators, then CUDA's.
std::vector<Device> devices();
/// Those of them that this process has used so far.
std::vector<Device> used_devices();
/// Whether the device is there.
bool exists(Device device);

// --- flushing and waiting ---------------------------------------------------------------

/// Flushes everything this thread has recorded. Does not wait. `by`: the function that asks for it.
void flush(const char* by = "flush");
/// Flushes, and waits until everything on the device (all devices) is done. Failures stay with
/// the results they belong to.
void synchronize(Device device, const char* reason = "synchronize");
void synchronize(const char* reason = "synchronize");
/// Ops recorded or queued by now and not finished, over all devices.
int64_t pending_ops();
/// What an interrupt found.
struct Interruption {
  int64_t dropped = 0;       ///< ops that were queued
  std::vector<Device> busy;  ///< devices that still ran a step when the time was over
};
/// Drops what is queued but not running, on all devices: its results are lost ("interrupted"),
/// writes are not carried out. What the host computes stops in the middle, but for writes. May be
/// called from any thread; waits for the running steps, at most so many seconds.
Interruption interrupt(double most_seconds = 1e9);
/// Makes every wait, now and until interrupt(), end at once and throw Interrupted. Safe in a signal
/// handler.
void request_interrupt();

// --- streams -----------------------------------------------------------------------------------

/// A queue of a device: 0 is the one where work goes unless another is chosen. What one stream is
/// given runs in order, different streams run side by side. Values are ordered whoever uses them:
/// work that needs one which another stream computes starts after that.
struct StreamId {
  Device device;
  uint8_t number = 0;
  friend bool operator==(const StreamId& a, const StreamId& b) = default;
};
/// A new stream. A device has 32 at most; then one of them is given once more, each in turn.
StreamId add_stream(Device device);
/// The stream that this thread's work for the device goes to.
StreamId current_stream(Device device);
/// The streams that a thread's work goes to, for devices where that is not the first.
struct StreamChoice {
  static constexpr size_t kMostDevices = 8;
  std::array<StreamId, kMostDevices> streams{};
  size_t count = 0;
  /// Takes the place of the device's. Throws Error if there are streams of too many devices.
  void choose(StreamId stream);
  friend bool operator==(const StreamChoice& a, const StreamChoice& b) = default;
};
const StreamChoice& stream_choice();
/// From now on this thread's work goes there. Flushes what was recorded for the devices
/// concerned.
void choose_streams(const StreamChoice& choice);
/// Waits until everything on the stream is done.
void synchronize(StreamId stream, const char* reason);

/// A point in a stream.
struct Mark {
  StreamId stream;
  uint64_t ticket = 0;
};
/// Flushes and marks the end of what the stream was given.
Mark mark(StreamId stream);
bool reached(const Mark& mark);
/// Whether the stream has done all that it was given; flushes what is recorded first.
bool idle(StreamId stream);
void wait(const Mark& mark, const char* reason);
/// Seconds from one mark to another, both reached or waited for first: on the modelled clock if
/// their devices are like a card. Throws Error if only one of them is.
double elapsed(const Mark& from, const Mark& to);
/// Makes what is flushed from now on for `stream` start after the mark (of another stream).
void wait_on_stream(StreamId stream, const Mark& mark);
using tide::seconds;

/// Eager mode of this thread: every op is flushed by itself. TIDE_EAGER=1 switches it on at the
/// start.
bool eager();
void set_eager(bool on);

/// What is recorded between these is what steps start from, an optimizer's state: it is made even
/// if an interrupt drops what is queued, and tried again if it fails. If it did, no step that needs
/// it runs until it is reported. `end_state` flushes.
void begin_state();
void end_state();
/// What is recorded between these runs whole or not at all: an optimizer's step, so that a failure
/// or an interrupt leaves all parameters as they were after some step. `end_step` flushes; if
/// not all was recorded, as an error came between, nothing runs.
void begin_step();
void end_step(bool whole = true);

/// What is recorded between these is checked, as all ops are, and dropped. What was recorded before
/// stays as it is, and must not be used. Within a step they do nothing.
void begin_trial();
void end_trial();

/// Whether a library of the device does the op as a whole, faster than what it could be made of.
bool has_library(Device device, ComputeOp op);

// --- memory ----------------------------------------------------------------------------------

MemoryStatistics memory(Device device);
void reset_peak(Device device);
/// The lines that hold the device's memory, or did at the peak; in any order.
std::vector<MemoryHolder> memory_holders(Device device);
/// Gives cached blocks back.
void empty_cache(Device device);
/// From now on tensors and cached blocks take at most `bytes` of the device; `name`: the
/// function that errors name. Waits for its queues if cached blocks have to be given back.
void limit_memory(Device device, size_t bytes, const char* name);
/// Gives those of all devices back whose memory is the host's.
void empty_host_caches();
/// Called when an allocation fails, before another try: the host language drops what is
/// unreachable.
void set_reclaim(std::function<void()> reclaim);
/// Bytes allocated by this thread's tensors since the start, over all devices: only grows. For
/// pacing a collector.
uint64_t allocated_bytes();
/// Bytes that tensors hold on all devices that have been used so far.
uint64_t held_bytes();

// --- simulated devices -------------------------------------------------------------------------

/// Takes effect when what is recorded and queued by now is done.
void configure_sim(int index, const SimOptions& options);
/// The name of the card that a device in use is like, which its times are modelled for; empty: they
/// are measured.
std::string modelled_card(Device device);
/// What has timed the steps of a device in use for the last profile: "CUPTI 13.0.1", or what took
/// its place and why. Empty where that is the host.
std::string profile_clock(Device device);
/// Where the script is on the modelled clock, in seconds: where what it has seen done has ended.
double modelled_seconds();

// --- threads, kernels, launches ------------------------------------------------------------------

int threads();
/// 1 or more. Throws Error.
void set_threads(int count);

struct Statistics {
  int64_t recorded = 0;  ///< ops recorded
  int64_t windows = 0;   ///< flushed
  int64_t plans = 0;     ///< made, not found
  int64_t launches = 0;  ///< steps run
  int64_t graphs = 0;    ///< CUDA graphs run, each in place of several launches
};
Statistics statistics();
/// Steps that the device has run.
int64_t launches(Device device);

// --- failures ------------------------------------------------------------------------------------

/// Prints failures that nobody has read and returns whether there were any. For the end of a
/// program; waits for the queues.
bool report_unread_failures(FILE* to);

}  // namespace tide::engine
