// The compute ops of host devices.
#pragma once

#include "runtime/ir/compute_op.h"

namespace tide {

struct ComputeStep;

/// The routine that carries out `op`. Thread-safe; a routine never waits for anything but its own
/// parts.
ComputeFunction compute_function(ComputeOp op);

/// The work of a product that one thread does in so short a time that sharing it out gains little,
/// in multiplications of eight numbers; 0 for all else.
int64_t small_product_work(const ComputeStep& step);

void compute_matmul(ComputeCall& call);
void compute_conv2d(ComputeCall& call);
void compute_conv2d_backward_input(ComputeCall& call);
void compute_conv2d_backward_weight(ComputeCall& call);
void compute_attention(ComputeCall& call);
void compute_attention_backward(ComputeCall& call);
void compute_recurrence(ComputeCall& call);
void compute_recurrence_backward(ComputeCall& call);
void compute_max_pool2d(ComputeCall& call);
void compute_max_pool2d_backward(ComputeCall& call);
void compute_avg_pool2d(ComputeCall& call);
void compute_avg_pool2d_backward(ComputeCall& call);
void compute_gather(ComputeCall& call);
void compute_scatter(ComputeCall& call);
void compute_scatter_minmax(ComputeCall& call);
void compute_embedding_bag(ComputeCall& call);
void compute_distances(ComputeCall& call);
void compute_grid_taps(ComputeCall& call);
void compute_grid_taps_backward(ComputeCall& call);
void compute_blend_taps(ComputeCall& call);
void compute_blend_taps_backward_input(ComputeCall& call);
void compute_blend_taps_backward_weight(ComputeCall& call);
void compute_pad_edges(ComputeCall& call);
void compute_nonzero(ComputeCall& call);
void compute_sort(ComputeCall& call);
void compute_cumsum(ComputeCall& call);
void compute_cumprod(ComputeCall& call);
void compute_cumulative_minmax(ComputeCall& call);
void compute_pair_function(ComputeCall& call);
void compute_random_count(ComputeCall& call);
void compute_require(ComputeCall& call);
void compute_lu(ComputeCall& call);
void compute_lu_solve(ComputeCall& call);
void compute_pivot_rows(ComputeCall& call);
void compute_solve_triangular(ComputeCall& call);
void compute_cholesky(ComputeCall& call);
void compute_qr(ComputeCall& call);
void compute_geqrf(ComputeCall& call);
void compute_ldl_factor(ComputeCall& call);
void compute_ldl_solve(ComputeCall& call);
void compute_eigh(ComputeCall& call);
void compute_svd(ComputeCall& call);

}  // namespace tide
