// Matrix products of int8 and uint8 on Tensor Cores, with cuBLASLt.
#pragma once

#include "runtime/cuda/launchers/compute_launch.h"

namespace tide::cuda {

/// Enqueues a product of int8 or uint8 with wraparound, or of int8 as int32 (`result`), unless it
/// is small, its sums may overflow int32, or the library is not available. Exact.
LibraryOutcome multiply_bytes(ComputeLaunch& call, const MatmulArguments& product, DType result);

}  // namespace tide::cuda
