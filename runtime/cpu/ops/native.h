// The native ops of host devices.
#pragma once

#include "runtime/ir/native.h"

namespace tide {

struct NativeStep;

/// The routine that carries out `op`. Thread-safe; a routine never waits for anything but its own
/// parts.
NativeFunction native_function(NativeOp op);

/// The work of a product that one thread does in so short a time that sharing it out gains little,
/// in multiplications of eight numbers; 0 for all else.
int64_t small_product_work(const NativeStep& step);

void native_matmul(NativeCall& call);
void native_conv2d(NativeCall& call);
void native_conv2d_backward_input(NativeCall& call);
void native_conv2d_backward_weight(NativeCall& call);
void native_attention(NativeCall& call);
void native_attention_backward(NativeCall& call);
void native_recurrence(NativeCall& call);
void native_recurrence_backward(NativeCall& call);
void native_max_pool2d(NativeCall& call);
void native_max_pool2d_backward(NativeCall& call);
void native_avg_pool2d(NativeCall& call);
void native_avg_pool2d_backward(NativeCall& call);
void native_gather(NativeCall& call);
void native_scatter(NativeCall& call);
void native_scatter_extreme(NativeCall& call);
void native_embedding_bag(NativeCall& call);
void native_distances(NativeCall& call);
void native_grid_taps(NativeCall& call);
void native_grid_taps_backward(NativeCall& call);
void native_blend_taps(NativeCall& call);
void native_blend_taps_backward_input(NativeCall& call);
void native_blend_taps_backward_weight(NativeCall& call);
void native_pad_edges(NativeCall& call);
void native_nonzero(NativeCall& call);
void native_sort(NativeCall& call);
void native_cumsum(NativeCall& call);
void native_cumprod(NativeCall& call);
void native_cumulative_extreme(NativeCall& call);
void native_pair_function(NativeCall& call);
void native_random_count(NativeCall& call);
void native_require(NativeCall& call);
void native_lu(NativeCall& call);
void native_lu_solve(NativeCall& call);
void native_pivot_rows(NativeCall& call);
void native_solve_triangular(NativeCall& call);
void native_cholesky(NativeCall& call);
void native_qr(NativeCall& call);
void native_geqrf(NativeCall& call);
void native_ldl_factor(NativeCall& call);
void native_ldl_solve(NativeCall& call);
void native_eigh(NativeCall& call);
void native_svd(NativeCall& call);

}  // namespace tide
