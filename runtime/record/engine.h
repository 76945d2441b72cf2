// A program's interface to the running engine: devices, waiting, statistics, modes, failures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/device/clock.h"
#include "runtime/device/memory_statistics.h"
#include "runtime/device/sim_options.h"
#include "runtime/record/wait_report.h"
#include "runtime/types/device.h"

namespace tide {
enum class ComputeOp : uint16_t;
}

namespace tide::engine {

/// The usable devices: cpu, then the simulated accelerators, then CUDA devices.
std::vector<Device> devices();
/// The devices that this process has used so far.
std::vector<Device> used_devices();
/// Whether the device exists.
bool exists(Device device);

// --- flushing and waiting ---------------------------------------------------------------

/// Flushes everything this thread has recorded. Does not wait. `by`: the calling function.
void flush(const char* by = "flush");
/// Flushes, and waits until all work on the device (all devices) is done. Failures stay with the
/// results they belong to.
void synchronize(Device device, const char* reason = "synchronize");
void synchronize(const char* reason = "synchronize");
/// Unfinished ops, recorded or queued, over all devices.
int64_t pending_ops();
/// The effect of an interrupt.
struct Interruption {
  int64_t dropped = 0;       ///< ops that were queued
  std::vector<Device> busy;  ///< devices that were still running a step at the time limit
};
/// Drops queued work that is not running, on all devices: its results are lost ("interrupted"),
/// writes are not carried out. Host computations stop in the middle, except writes. Callable from
/// any thread; waits for the running steps, at most `most_seconds`.
Interruption interrupt(double most_seconds = 1e9);
/// Makes every wait, now and until interrupt(), end immediately and throw Interrupted. Safe in a
/// signal handler.
void request_interrupt();

// --- streams -----------------------------------------------------------------------------------

/// A queue of a device; 0 is the default. Work of one stream runs in order, different streams run
/// concurrently. Values are synchronized automatically: work that needs a value which another
/// stream computes starts after that.
struct StreamId {
  Device device;
  uint8_t number = 0;
  friend bool operator==(const StreamId& a, const StreamId& b) = default;
};
/// A new stream. A device has at most 32; after that, existing ones are returned round-robin.
StreamId add_stream(Device device);
/// The stream used by this thread's work for the device.
StreamId current_stream(Device device);
/// The streams used by a thread's work, for devices where it is not the first.
struct StreamChoice {
  static constexpr size_t kMostDevices = 8;
  std::array<StreamId, kMostDevices> streams{};
  size_t count = 0;
  /// Replaces the stream of its device. Throws Error if there are streams of too many devices.
  void choose(StreamId stream);
  friend bool operator==(const StreamChoice& a, const StreamChoice& b) = default;
};
const StreamChoice& stream_choice();
/// Selects the streams of this thread's further work. Flushes work recorded for the affected
/// devices.
void choose_streams(const StreamChoice& choice);
/// Waits until all work on the stream is done.
void synchronize(StreamId stream, const char* reason);

/// A point in a stream.
struct Mark {
  StreamId stream;
  uint64_t ticket = 0;
};
/// Flushes, and marks the end of the stream's work so far.
Mark mark(StreamId stream);
bool reached(const Mark& mark);
/// Whether the stream has done all its work; flushes recorded work first.
bool idle(StreamId stream);
void wait(const Mark& mark, const char* reason);
/// Seconds from one mark to another, both reached or waited for first: on the modelled clock if
/// their devices model a GPU. Throws Error if only one of them does.
double elapsed(const Mark& from, const Mark& to);
/// Makes further work flushed to `stream` start after the mark (of another stream).
void wait_on_stream(StreamId stream, const Mark& mark);
using tide::seconds;

/// Eager mode of this thread: every op is flushed separately. TIDE_EAGER=1 enables it at the start.
bool eager();
void set_eager(bool on);

/// Marks work that creates optimizer state. It runs even if an interrupt drops the queue and is
/// retried on failure; steps that need failed state do not run until the failure is reported.
/// `end_state` flushes.
void begin_state();
void end_state();
/// Marks an optimizer's step, which runs entirely or not at all, so that a failure or an interrupt
/// leaves all parameters as they were after some step. `end_step` flushes; if recording was
/// incomplete because of an error, nothing runs.
void begin_step();
void end_step(bool whole = true);

/// Ops recorded between these are checked as usual, and then dropped. Values recorded before are
/// unchanged, and must not be used. No effect within a step.
void begin_trial();
void end_trial();

/// Whether a library of the device runs the op as one, faster than a composition of other ops.
bool has_library(Device device, ComputeOp op);

// --- memory ----------------------------------------------------------------------------------

MemoryStatistics memory(Device device);
void reset_peak(Device device);
/// The lines that hold the device's memory, or did at the peak; in any order.
std::vector<MemoryHolder> memory_holders(Device device);
/// Frees cached blocks.
void empty_cache(Device device);
/// Limits the memory of tensors and cached blocks on the device to `bytes`; `name`: the function
/// that errors mention. Waits for its queues if cached blocks have to be freed.
void limit_memory(Device device, size_t bytes, const char* name);
/// Frees the cached blocks of all devices that use host memory.
void empty_host_caches();
/// Called when an allocation fails, before a retry: the host language drops unreachable values.
void set_reclaim(std::function<void()> reclaim);
/// Bytes allocated by this thread's tensors since the start, over all devices: never decreases. For
/// pacing a garbage collector.
uint64_t allocated_bytes();
/// Bytes held by tensors on all devices used so far.
uint64_t held_bytes();

// --- simulated devices -------------------------------------------------------------------------

/// Takes effect when all work recorded and queued so far is done.
void configure_sim(int index, const SimOptions& options);
/// The name of the GPU that a device in use models, whose times are modelled; empty: times are
/// measured.
std::string modelled_card(Device device);
/// The clock that timed the steps of a device in use for the last profile: "CUPTI 13.0.1", or its
/// replacement and the reason. Empty if that is the host.
std::string profile_clock(Device device);
/// The script's position on the modelled clock, in seconds: the end of the work it has seen done.
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
  int64_t graphs = 0;    ///< CUDA graphs run, each instead of several launches
};
Statistics statistics();
/// Number of steps that the device has run.
int64_t launches(Device device);

// --- failures ------------------------------------------------------------------------------------

/// Prints failures that were never read and returns whether there were any. For the end of a
/// program; waits for the queues.
bool report_unread_failures(FILE* to);

}  // namespace tide::engine
