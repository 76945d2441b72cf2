// Recording of ops: the only way into the graph except transfers (transfer.h). No autograd here;
// see autograd.h.
#pragma once

#include <initializer_list>
#include <span>

#include "runtime/ir/compute_op.h"
#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/loop.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Records y = op(arguments...), elementwise. Tensors broadcast to the common shape, and are
/// converted to `operand_type` where they differ from it (a conversion is an op, fused into the
/// kernel); numbers become parameters of compute_type(operand_type). An argument of an op that has
/// a fixed type (the condition of `where`, the i64 counter of random ops) is not converted; see
/// elementwise_ops.h. All tensors are on one device; 0-d cpu tensors can be combined with any. If
/// the first tensor of the result's shape is channels last, so is the result; else it is row-major.
/// `name` is the script's name of the op, for errors. Throws ShapeError and DeviceError.
Tensor record_map(ElementwiseOp op, const char* name, DType result_type, DType operand_type,
                  std::span<const TensorOrNumber> arguments);
Tensor record_map(ElementwiseOp op, const char* name, DType result_type, DType operand_type,
                  std::initializer_list<TensorOrNumber> arguments);

/// Records an elementwise op of numbers and an index iota only: element (i0, i1, ...) of the new
/// tensor gets the i64 `iota.offset + sum of i_d * iota.strides[d]` as its first argument, the
/// numbers (converted to compute_type(operand_type)) as the others.
Tensor record_iota(ElementwiseOp op, const char* name, const Layout& iota, DType result_type,
                   DType operand_type, Device device, std::initializer_list<Number> numbers);

/// Looks up elements of x at computed positions in one of its dimensions, of `size` elements that
/// are `stride` apart (at least one): the element at index i of the result is that of x at i
/// through `layout`, moved from position 1 to positions[i], which broadcasts. Positions below 1
/// count as 1, those above as the last; checks are separate (ops/require.h).
Tensor record_lookup(const char* name, const Tensor& x, const Layout& layout,
                     const Tensor& positions, int64_t size, int64_t stride);

/// Reduces the dimensions first..last (from 0, inclusive), which are removed. The result has the
/// input's type, but f32 for sums and products of f16/bf16, and i64 for those of integers and bool.
Tensor record_reduce(Reduction reduction, const char* name, const Tensor& x, int first, int last);

/// Shape and type of one result of a compute op.
struct ComputeResult {
  Shape shape;
  DType type;
};
/// Records one compute op (see compute_ops.def): one new tensor per entry of `outputs`.
std::vector<Tensor> record_compute(ComputeOp op, const char* name, std::span<const Tensor> inputs,
                                   std::span<const ComputeResult> outputs,
                                   std::span<const int64_t> attributes);

/// Replaces x's elements by `value` (broadcast to x's shape, converted to its type), visible in all
/// views of the same storage. Not differentiable.
void record_write(const char* name, const Tensor& x, const TensorOrNumber& value);
/// As above, for a part of a new result: if this write fails, the entire tensor fails, as there is
/// no older value to keep. Consecutive fills of a tensor that do not read it write to different
/// elements, and may run in any order.
void record_fill(const char* name, const Tensor& x, const TensorOrNumber& value);

/// An uninitialized dense tensor; `record_fill` must write each of its elements.
Tensor record_room(const char* name, const Shape& shape, DType type, Device device);

/// Another handle on the same elements, without autograd. Shares storage with x: writes through
/// either are visible in both. The layout indexes x's storage.
Tensor alias(const Tensor& x, const Layout& layout);

/// A dense tensor with x's elements: x itself if it is contiguous, else a recorded copy.
Tensor record_contiguous(const Tensor& x);

}  // namespace tide
