// Waiting for values, and what went wrong with them.
#pragma once

#include <cstdint>

#include "runtime/device/device_state.h"
#include "runtime/record/node.h"
#include "runtime/record/wait_report.h"

namespace tide {

/// Queues what computes the node's value. Throws if that cannot be had.
void queue_value(Node& node, const char* reason);
/// Throws what went wrong when the value was computed, which is over.
void check_value(const Node& node, const char* reason);
/// Waits for the node's value and returns its address on its device. The one place that keeps the
/// record of waits. Throws what went wrong when it was computed.
void* wait_for(Node& node, const char* reason);
/// Waits until the stream has come to the ticket; part of wait_for, and of synchronize. Throws
/// where waits are errors, whether it would have to wait or not.
void wait_for(Stream& stream, uint64_t ticket, const char* reason,
              const engine::Awaited& awaited = {});
/// Throws the failure as the error that its reader sees.
[[noreturn]] void raise(const Failure& failure, const char* reason);

}  // namespace tide
