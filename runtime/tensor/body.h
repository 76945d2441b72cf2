// What a Tensor handle refers to: a cell with the current value, and a layout.
#pragma once

#include <memory>

#include "runtime/record/device_state.h"
#include "runtime/record/node.h"
#include "runtime/tensor/tensor.h"
#include "runtime/types/recycled.h"

namespace tide {

/// Holds the current value of a storage. Writes put a new value here; all views see it.
struct Cell : ThreadRefCounted<Cell>, Recycled<Cell> {
  Ref<Node> value;
  DeviceState* const device;

  Cell(Ref<Node> value, DeviceState& device) : value(std::move(value)), device(&device) {}
};

/// Data that autograd attaches to a tensor. Most tensors have none.
struct Attachment {
  Attachment() = default;
  Attachment(const Attachment&) = delete;
  virtual ~Attachment() = default;
};

struct TensorBody : ThreadRefCounted<TensorBody>, Recycled<TensorBody> {
  Ref<Cell> cell;
  Layout layout;
  std::unique_ptr<Attachment> attachment;

  TensorBody(Ref<Cell> cell, const Layout& layout) : cell(std::move(cell)), layout(layout) {}
  /// Row-major without gaps.
  TensorBody(Ref<Cell> cell, const Shape& shape) : cell(std::move(cell)), layout(shape) {}
  ~TensorBody();  ///< not inline, to leave room for inlining short functions
};

/// Another handle on x's current value, in its own cell: later writes to either do not affect the
/// other.
Tensor snapshot(const Tensor& x);

/// A new tensor on a dense value.
Tensor make_tensor(Ref<Node> node);
/// The tensor's current value as an argument of an op.
Argument argument_of(const Tensor& x);

}  // namespace tide
