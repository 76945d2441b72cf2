// Handles that the driver gave out: what kind each is, and of which context.
#pragma once

#include "tests/cuda/fake/device.h"
#include "tests/cuda/fake/errors.h"

namespace fake {

enum class HandleKind : uint8_t { stream, event, module, function, graph, executable };

/// Notes a new handle of the device's context of now.
void note_handle(const void* handle, HandleKind kind, Device& device);

/// A handle that was destroyed.
void forget_handle(const void* handle);

/// The device whose context the handle belongs to. A handle of another kind, one that was
/// destroyed, and one whose context is gone point to memory that a real driver may use for
/// something else: such a call ends the process, with words on `call`.
Device& owner_of(const void* handle, HandleKind kind, const char* call);

/// As owner_of, but kInvalidHandle unless it is the calling thread's device.
Result check_handle(const void* handle, HandleKind kind, const char* call);

}  // namespace fake
