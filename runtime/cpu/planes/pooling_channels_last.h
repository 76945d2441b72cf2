// Pooling of channels-last planes (n, h, w, c).
#pragma once

#include "runtime/ir/compute_op.h"

/// The compute ops of these names, with the same bits as for planes (n, c, h, w).
namespace tide::channels_last {

void max_pool2d(ComputeCall& call);
void max_pool2d_backward(ComputeCall& call);
void avg_pool2d(ComputeCall& call);
void avg_pool2d_backward(ComputeCall& call);

}  // namespace tide::channels_last
