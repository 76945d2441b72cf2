// Runs compute ops that have no CUDA kernel on the host: copies their inputs to the host and the
// results back.
#pragma once

#include <optional>

#include "runtime/cuda/launch/staging.h"
#include "runtime/device/backend.h"

namespace tide::cuda {

/// Runs the op with the host's routine. Returns an error if an index was out of range. Slow,
/// because it waits for the stream.
std::optional<std::string> run_on_host(const ComputeStep& step, void* const* addresses,
                                       ComputeFunction function, Staging& staging);

}  // namespace tide::cuda
