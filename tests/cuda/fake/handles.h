// The driver's handles: their kinds and contexts.
#pragma once

#include "tests/cuda/fake/device.h"
#include "tests/cuda/fake/errors.h"

namespace fake {

enum class HandleKind : uint8_t { stream, event, module, function, graph, executable };

/// Registers a new handle of the device's current context.
void note_handle(const void* handle, HandleKind kind, Device& device);

/// Unregisters a destroyed handle.
void forget_handle(const void* handle);

/// The device of the handle's context. Ends the process with a message about `call` if the handle
/// has another kind, was destroyed, or its context was: a real driver may have reused its memory.
Device& owner_of(const void* handle, HandleKind kind, const char* call);

/// Like owner_of, but returns kInvalidHandle unless it is the calling thread's device.
Result check_handle(const void* handle, HandleKind kind, const char* call);

}  // namespace fake
