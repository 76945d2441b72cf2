// Compute ops that have no kernel here yet: their arrays are fetched, the host computes, the
// results go back.
#pragma once

#include <optional>

#include "runtime/cuda/launch/staging.h"
#include "runtime/device/backend.h"

namespace tide::cuda {

/// Runs the op with the host's routine; what was wrong with a position. Waits for the stream, so it
/// is slow and right.
std::optional<std::string> run_on_host(const ComputeStep& step, void* const* addresses,
                                       ComputeFunction function, Staging& staging);

}  // namespace tide::cuda
