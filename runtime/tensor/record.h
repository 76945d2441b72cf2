// Recording of ops: the only way into the graph but for transfers (transfer.h). No autograd here;
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
/// converted to `operand_type` where they differ from it (a conversion is an op of its own, folded
/// into the kernel); numbers become parameters of compute_type(operand_type). An argument of an op
/// that has a fixed type (the condition of `where`, the i64 counter of random ops) is left alone;
/// see elementwise_ops.h. All tensors lie on one device; cpu tensors of no dimensions mix with any.
/// If the first tensor of the result's shape holds planes channels last, so does the result; else
/// it is row-major. `name` is the script's name of the op, for errors. Throws ShapeError and
/// DeviceError.
Tensor record_map(ElementwiseOp op, const char* name, DType result_type, DType operand_type,
                  std::span<const TensorOrNumber> arguments);
Tensor record_map(ElementwiseOp op, const char* name, DType result_type, DType operand_type,
                  std::initializer_list<TensorOrNumber> arguments);

/// Records an elementwise op of numbers and an index iota alone: element (i0, i1, ...) of the new
/// tensor sees the i64 `iota.offset + sum of i_d * iota.strides[d]` as its first argument, the
/// numbers (converted to compute_type(operand_type)) as the others.
Tensor record_iota(ElementwiseOp op, const char* name, const Layout& iota, DType result_type,
                   DType operand_type, Device device, std::initializer_list<Number> numbers);

/// Combines along the dimensions first..last (from 0, inclusive), which disappear. The result has
/// the input's type, but f32 for sums and products of f16/bf16, and i64 for those of integers and
/// bool.
Tensor record_reduce(Reduction reduction, const char* name, const Tensor& x, int first, int last);

/// What one result of a compute op is.
struct ComputeResult {
  Shape shape;
  DType type;
};
/// Records one compute op (see compute_ops.def): one new tensor per entry of `outputs`.
std::vector<Tensor> record_compute(ComputeOp op, const char* name, std::span<const Tensor> inputs,
                                   std::span<const ComputeResult> outputs,
                                   std::span<const int64_t> attributes);

/// Puts `value` (broadcast to x's shape, converted to its type) in the place of x's elements, as
/// seen by all views of the same storage. Not differentiable.
void record_write(const char* name, const Tensor& x, const TensorOrNumber& value);
/// The same for a part of a tensor that an op is making: if this write fails, the whole is lost, as
/// there is no older value to keep. Fills of one tensor, one after the other, that do not read it
/// write to different elements: they may run in any order.
void record_fill(const char* name, const Tensor& x, const TensorOrNumber& value);

/// A dense tensor for `record_fill`, which must come for each of its elements.
Tensor record_room(const char* name, const Shape& shape, DType type, Device device);

/// Another handle on the same elements, unknown to autograd. Shares storage with x: writes through
/// either are seen by both. The layout indexes x's storage.
Tensor alias(const Tensor& x, const Layout& layout);

/// A dense tensor with x's elements: x itself if it is contiguous, else a recorded copy.
Tensor record_contiguous(const Tensor& x);

}  // namespace tide
