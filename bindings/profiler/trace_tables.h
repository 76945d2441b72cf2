// Totals of a profile by op, script line, kernel, range and wait.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bindings/profiler/trace_reader.h"
#include "runtime/profile/computation.h"
#include "runtime/profile/kernel_launch.h"

namespace tide::bindings {

/// One row. Fields that a table does not use are 0 or empty.
struct TraceRow {
  std::string name;
  CallSite site;
  std::string device;  ///< on which it ran; or "several"
  int64_t calls = 0;
  double host = 0, device_time = 0, wait = 0;  ///< nanoseconds
  double bytes = 0, flops = 0;
  std::vector<CallSite> sites;  ///< of a kernel: the script lines it computes
  std::string awaited;          ///< of a wait: the op that computes the awaited value, and its line
  std::string advice;           ///< of a wait
  std::string kind;             ///< of a part of the work: "loop", "compute", "copy", "transfer"
  std::string dtype;            ///< of a part: the type in which it computes
  std::string kernel;           ///< of a compilation
  const profile::KernelLaunch* launch = nullptr;  ///< of a GPU's kernel: its last one
  int64_t late = 0;  ///< of plans: those in the second half of the line's flushes
  const profile::Computation* computation = nullptr;  ///< of a part that is a compute op
};

/// The rows of a table, unsorted. `by` is "op", "line", "kernel", "range", "wait" or a table of
/// trace_parts.h; otherwise the result is empty.
///
/// Host times of an op exclude flushes, plans, compilations and waits, which have separate rows, in
/// brackets. The time of a fused kernel is divided evenly among its ops.
std::vector<TraceRow> rows_of(const TraceReader& reader, std::string_view by);

/// Calls see(track, event) for each work event of a stream.
template <class See>
void for_each_work(const TraceReader& reader, const See& see) {
  for (const TraceTrack& track : reader.tracks())
    for (const profile::Event& event : track.events)
      if (is_work(event.kind)) see(track, event);
}

inline double length_of(const profile::Event& event) {
  return static_cast<double>(event.end - event.begin);
}

/// The activity of a device.
struct DeviceSummary {
  std::string name;
  int64_t launches = 0;
  double work = 0;  ///< nanoseconds, the sum over kernels and copies
  double busy = 0;  ///< nanoseconds in which at least one of them ran
  int64_t peak_bytes = 0;
  std::string card;   ///< for which its times are modelled; empty: measured
  std::string clock;  ///< of its times; empty: the host's
};
std::vector<DeviceSummary> summaries_of(const TraceReader& reader);

}  // namespace tide::bindings
