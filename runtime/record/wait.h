// Waiting for values, and their errors.
#pragma once

#include <cstdint>

#include "runtime/record/device_state.h"
#include "runtime/record/node.h"
#include "runtime/record/wait_report.h"

namespace tide {

/// Queues the computation of the node's value. Throws if it is not available.
void queue_value(Node& node, const char* reason);
/// Throws the error from computing the value, which must be done.
void check_value(const Node& node, const char* reason);
/// Waits for the node's value and returns its address on its device. Waits are recorded only here.
/// Throws the error from computing the value.
void* wait_for(Node& node, const char* reason);
/// Waits until the stream has reached the ticket; part of wait_for, and of synchronize. If waits
/// are errors, throws even if the ticket is done.
void wait_for(Stream& stream, uint64_t ticket, const char* reason,
              const engine::Awaited& awaited = {});
/// Throws the failure as the error that its reader sees.
[[noreturn]] void raise(const Failure& failure, const char* reason);

}  // namespace tide
