// Finds the launcher of a compute op.
#include "runtime/cuda/launchers/compute_launch.h"

#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/cuda/launchers/launchers.h"

namespace tide::cuda {

static_assert(kKernelDims >= kMaxDims);

const char* suffix_of(DType type) {
  switch (type) {
    case DType::f32:
      return "f32";
    case DType::f64:
      return "f64";
    case DType::f8e4m3:
      return "f8e4m3";
    case DType::f8e5m2:
      return "f8e5m2";
    case DType::f16:
      return "f16";
    case DType::bf16:
      return "bf16";
    case DType::i64:
      return "i64";
    case DType::i32:
      return "i32";
    case DType::i16:
      return "i16";
    case DType::i8:
      return "i8";
    case DType::u8:
      return "u8";
    case DType::boolean:
      return "bool";
  }
  return "";
}

/// The sizes (n, c, h, w) of an array of planes, which may be channels-last.
Shape planes_of(const Shape& shape, bool channels_last) {
  return channels_last ? as_planes(Layout(shape)).shape : shape;
}

bool launch_compute(ComputeLaunch& call) {
  switch (call.step.op) {
    case ComputeOp::matmul:
      return launch_matmul(call);
    case ComputeOp::scaled_matmul:
      return launch_scaled_matmul(call);
    case ComputeOp::conv2d:
    case ComputeOp::conv2d_backward_input:
    case ComputeOp::conv2d_backward_weight:
      return launch_convolution(call);
    case ComputeOp::attention:
    case ComputeOp::attention_backward:
      return launch_attention(call);
    default:
      break;
  }
  if (!embedded_ptx("pooling"))
    return false;  // built without kernels; the ops above have libraries
  switch (call.step.op) {
    case ComputeOp::max_pool2d:
    case ComputeOp::max_pool2d_backward:
    case ComputeOp::avg_pool2d:
    case ComputeOp::avg_pool2d_backward:
      return launch_pooling(call);
    case ComputeOp::sort:
      return launch_sort(call);
    case ComputeOp::nonzero:
      return launch_nonzero(call);
    case ComputeOp::gather:
    case ComputeOp::embedding_bag:
    case ComputeOp::scatter:
      return launch_indexing(call);
    case ComputeOp::cumsum:
    case ComputeOp::cumprod:
    case ComputeOp::cumulative_minmax:
      return launch_scan(call);
    case ComputeOp::pair_function:
      return launch_pairs(call);
    case ComputeOp::random_count:
      return launch_random(call);
    case ComputeOp::require:
      return launch_require(call);
    case ComputeOp::lu:
    case ComputeOp::lu_solve:
    case ComputeOp::pivot_rows:
    case ComputeOp::solve_triangular:
    case ComputeOp::cholesky:
    case ComputeOp::qr:
      return launch_linalg(call);
    case ComputeOp::eigh:
    case ComputeOp::svd:
      return launch_eigen_svd(call);
    default:
      return false;
  }
}

}  // namespace tide::cuda
