// What a profile is made of: events of one size.
#pragma once

#include <cstdint>

#include "runtime/core/device.h"

namespace tide::profile {

struct KernelLaunch;

enum class EventKind : uint8_t {
  // Of a thread that records:
  line,     ///< from `begin` on, the thread works for this line; without an end
  range,    ///< named by the script
  op,       ///< a call of an op by the script
  flush,    ///< a window is flushed
  plan,     ///< a plan is made, inside of a flush
  compile,  ///< machine code is made, or read from the disk; also on a stream
  wait,     ///< for a device; `name` is the reason
  // Of a stream:
  loop,      ///< a fused kernel
  compute,   ///< a compute op
  copy,      ///< within the device
  transfer,  ///< from the host or another device
  follow,    ///< the stream waits for another one
  // Samples, without an end:
  memory,  ///< bytes that tensors hold on the device
  depth    ///< submissions of the stream that are not done, in `bytes`
};

/// One event. Texts are literals or kept for the life of the process.
struct Event {
  int64_t begin = 0, end = 0;  ///< nanoseconds on the clock of now()
  const char* name = "";       ///< of the op; of a wait its reason
  /// Of a loop and of a compilation the Kernel, of a compute op its Computation.
  const void* subject = nullptr;
  const KernelLaunch* launch = nullptr;  ///< of a GPU's kernel; null: not known
  const char* file = "";                 ///< the script's line; empty: not known
  int32_t line = 0;
  /// What it serves, if that is more than one op, or another than the line's: see source_of. 0: no.
  uint32_t source = 0;
  int64_t bytes = 0;  ///< moved, or the value of a sample
  /// Of work the submission that it was part of; of a sample of depth the one that the thread has
  /// just made: see Failure::number_work. 0: none.
  uint64_t submission = 0;
  float flops = 0;
  EventKind kind = EventKind::line;
  Device device{};     ///< of an event of a stream
  uint8_t stream = 0;  ///< its number; kHost: an event of a thread

  static constexpr uint8_t kHost = 255;
};
static_assert(sizeof(Event) == 80);

/// An op among those that one event serves.
struct SourceOp {
  const char* name;
  const char* file;
  int32_t line;
};

}  // namespace tide::profile
