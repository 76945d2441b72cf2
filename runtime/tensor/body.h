// What a Tensor handle refers to: a cell with the current value, and a layout.
#pragma once

#include <memory>

#include "runtime/core/recycled.h"
#include "runtime/device/device_state.h"
#include "runtime/record/node.h"
#include "runtime/tensor/tensor.h"

namespace tide {

/// Holds the current value of a storage. Writes put a new value here; all views see it.
struct Cell : ThreadRefCounted<Cell>, Recycled<Cell> {
  Ref<Node> value;
  DeviceState* const device;

  Cell(Ref<Node> value, DeviceState& device) : value(std::move(value)), device(&device) {}
};

/// What another layer keeps with a tensor: autograd's part of it. Most tensors have none.
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
  ~TensorBody();  ///< not inline: that would take the place of what is short
};

/// Another handle on x's present value, in a cell of its own: later writes to either do not show in
/// the other.
Tensor snapshot(const Tensor& x);

/// A new tensor on a dense value.
Tensor make_tensor(Ref<Node> node);
/// The tensor's present value as an argument of an op.
Argument argument_of(const Tensor& x);

}  // namespace tide
