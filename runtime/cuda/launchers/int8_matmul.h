// Products of one-byte integers on Tensor Cores, through cuBLASLt.
#pragma once

#include "runtime/cuda/launchers/compute_launch.h"

namespace tide::cuda {

/// Enqueues a product of int8 or uint8, wrapped around to its type or, of int8, as int32
/// (`result`), unless it is small, has sums that int32 does not hold, or the library is not there.
/// Exact.
LibraryOutcome multiply_bytes(ComputeLaunch& call, const MatmulArguments& product, DType result);

}  // namespace tide::cuda
