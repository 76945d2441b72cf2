// The fake driver's errors, with CUDA's numbers.
#pragma once

#include "runtime/cuda/driver/driver_api.h"

namespace fake {

using tide::cuda::Result;

constexpr Result kInvalidValue = 1, kInvalidDevice = 101, kInvalidContext = 201, kNoBinary = 209,
                 kInvalidPtx = 218, kInvalidHandle = 400, kPtxTooNew = 222, kNotFound = 500,
                 kPeerAccessUnsupported = 217, kTooManyPeers = 711, kIllegalAddress = 700,
                 kOutOfResources = 701, kAlreadyRegistered = 712, kNotRegistered = 713,
                 kLaunchFailed = 719, kNotPermitted = 800, kNotInitialized = 3;

/// The driver's entry points for an error's name, such as "CUDA_ERROR_ILLEGAL_ADDRESS", and its
/// description.
Result error_name(Result error, const char** name);
Result error_text(Result error, const char** text);

}  // namespace fake
