// Sums of a profile: by op, by script line, by kernel, by range, by wait.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bindings/profiler/trace_reader.h"
#include "runtime/profile/computation.h"
#include "runtime/profile/kernel_launch.h"

namespace tide::bindings {

/// One row. What a table does not know is 0 or empty.
struct TraceRow {
  std::string name;
  CallSite site;
  std::string device;  ///< that worked for it; "several"
  int64_t calls = 0;
  double host = 0, device_time = 0, wait = 0;  ///< nanoseconds
  double bytes = 0, flops = 0;
  std::vector<CallSite> sites;  ///< of a kernel: the lines that it serves
  std::string awaited;  ///< of a wait: the op that computes what was waited for, and its line
  std::string advice;   ///< of a wait
  std::string kind;     ///< of a part of the work: "loop", "compute", "copy", "transfer"
  std::string dtype;    ///< of a part: the type that it computes in
  std::string kernel;   ///< of a compilation
  const profile::KernelLaunch* launch = nullptr;  ///< of a GPU's kernel: its last one
  int64_t late = 0;  ///< of plans: those in the second half of the line's flushes
  const profile::Computation* computation = nullptr;  ///< of a part that is a compute op
};

/// The rows of a table, in no order; none if `by` is no table: "op", "line", "kernel", "range" or
/// "wait"; or one of trace_parts.h.
///
/// Times of the host are those of an op itself, without what it flushes, plans, compiles and waits
/// for: these have rows of their own, in brackets. What a fused kernel takes is divided evenly
/// among its ops.
std::vector<TraceRow> rows_of(const TraceReader& reader, std::string_view by);

/// Calls see(track, event) for each event of a stream that is work.
template <class See>
void for_each_work(const TraceReader& reader, const See& see) {
  for (const TraceTrack& track : reader.tracks())
    for (const profile::Event& event : track.events)
      if (is_work(event.kind)) see(track, event);
}

inline double length_of(const profile::Event& event) {
  return static_cast<double>(event.end - event.begin);
}

/// What a device did.
struct DeviceSummary {
  std::string name;
  int64_t launches = 0;
  double work = 0;  ///< nanoseconds, the sum over kernels and copies
  double busy = 0;  ///< nanoseconds in which at least one of them ran
  int64_t peak_bytes = 0;
  std::string card;   ///< that its times are modelled for; empty: they are measured
  std::string clock;  ///< that its times are by; empty: the host's
};
std::vector<DeviceSummary> summaries_of(const TraceReader& reader);

}  // namespace tide::bindings
