// Fixed-size events that make up a profile.
#pragma once

#include <cstdint>

#include "runtime/types/device.h"

namespace tide::profile {

struct KernelLaunch;

enum class EventKind : uint8_t {
  // Of a recording thread:
  line,     ///< from `begin` on, the thread works for this line; has no end
  range,    ///< named by the script
  op,       ///< a call of an op by the script
  flush,    ///< a window is flushed
  plan,     ///< a plan is made, within a flush
  compile,  ///< machine code is generated, or read from the disk; also on a stream
  wait,     ///< for a device; `name` is the reason
  // Of a stream:
  loop,      ///< a fused kernel
  compute,   ///< a compute op
  copy,      ///< within the device
  transfer,  ///< from the host or another device
  follow,    ///< the stream waits for another one
  // Samples, which have no end:
  memory,  ///< bytes that tensors hold on the device
  depth    ///< unfinished submissions of the stream, in `bytes`
};

/// One event. Strings are literals or live as long as the process.
struct Event {
  int64_t begin = 0, end = 0;  ///< nanoseconds on the clock of now()
  const char* name = "";       ///< of the op; the reason of a wait
  /// The Kernel of a loop or compilation, the Computation of a compute op.
  const void* subject = nullptr;
  const KernelLaunch* launch = nullptr;  ///< of a GPU kernel; null: not known
  const char* file = "";                 ///< the script's line; empty: not known
  int32_t line = 0;
  /// The ops that it belongs to, if several, or other than the line's: see source_of. 0: none.
  uint32_t source = 0;
  int64_t bytes = 0;  ///< moved, or the value of a sample
  /// The submission that work belongs to; for a sample of depth, the one that the thread has just
  /// made: see Failure::number_work. 0: none.
  uint64_t submission = 0;
  float flops = 0;
  EventKind kind = EventKind::line;
  Device device{};     ///< of a stream's event
  uint8_t stream = 0;  ///< its number; kHost: a thread's event

  static constexpr uint8_t kHost = 255;
};
static_assert(sizeof(Event) == 80);

/// One of the ops that an event belongs to.
struct SourceOp {
  const char* name;
  const char* file;
  int32_t line;
};

}  // namespace tide::profile
