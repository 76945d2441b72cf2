#include "runtime/ir/tensor_cores.h"

namespace tide {
namespace {

/// All dimensions of the op's factors.
std::vector<FactorSize> factor_sizes(ComputeOp op, int64_t tile, const Shape& a, const Shape& b) {
  const auto last = [](const Shape& shape) { return shape[shape.rank() - 1]; };
  if (op == ComputeOp::conv2d) return {{"input channels", b[1]}, {"output channels", b[0]}};
  if (op != ComputeOp::matmul && op != ComputeOp::scaled_matmul) return {};
  std::vector<FactorSize> sizes;
  // One or a few rows do not count as a matrix.
  if (a.rank() > 1 && a[a.rank() - 2] >= tile) sizes.push_back({"m", a[a.rank() - 2]});
  sizes.push_back({"k", last(a)});
  sizes.push_back({"n", last(b)});
  return sizes;
}

}  // namespace

int64_t tensor_core_tile(DType type) {
  switch (type) {
    case DType::f16:
    case DType::bf16:
      return 8;
    case DType::i8:
    case DType::u8:
    case DType::f8e4m3:
    case DType::f8e5m2:
      return 16;
    default:
      return 0;
  }
}

std::vector<FactorSize> misfits(ComputeOp op, DType type, const Shape& a, const Shape& b) {
  const int64_t tile = tensor_core_tile(type);
  if (tile == 0) return {};
  std::vector<FactorSize> sizes = factor_sizes(op, tile, a, b);
  std::erase_if(sizes, [&](const FactorSize& factor) { return factor.size % tile == 0; });
  return sizes;
}

bool multiplies_matrices(ComputeOp op) {
  switch (op) {
    case ComputeOp::matmul:
    case ComputeOp::scaled_matmul:
    case ComputeOp::conv2d:
    case ComputeOp::conv2d_backward_input:
    case ComputeOp::conv2d_backward_weight:
    case ComputeOp::attention:
    case ComputeOp::attention_backward:
    case ComputeOp::recurrence:
    case ComputeOp::recurrence_backward:
      return true;
    default:
      return false;
  }
}

}  // namespace tide
