// Values that are stored from the start: copies between devices and data from the script. A queue
// fills them; their nodes never wait in a window.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "runtime/tensor/tensor.h"

namespace tide {

struct Node;

/// A copy of x on `device`, queued.
Tensor record_transfer(const Tensor& x, Device device);
/// A copy of x in pinned host memory, from and to which devices copy directly. Returns x itself if
/// it is pinned; uses unpinned memory if there is no device to pin it for.
Tensor record_pinned(const Tensor& x);
/// Whether the elements of x are in pinned memory now.
bool is_pinned(const Tensor& x);
/// Waits for the elements of x, which must be stored (a result of the functions above).
void wait_for_transfer(const Tensor& x);

/// A tensor with these elements (row-major, size_of(type) each), copied now.
Tensor record_constant(const void* elements, const Shape& shape, DType type, Device device);
/// As above without copying: the elements are kept until the queue has read them.
Tensor record_constant(std::shared_ptr<const std::byte[]> elements, const Shape& shape, DType type,
                       Device device);
/// A tensor whose elements (row-major) `fill` writes before this returns: directly to their block
/// in host memory if no queued work can be using it, so that file contents are copied only once.
/// Exceptions of `fill` propagate.
Tensor record_filled(const Shape& shape, DType type, Device device,
                     const std::function<void(std::span<std::byte>)>& fill);

/// Flushes the work that computes `node`, so that it is stored or has failed.
void settle(Node& node);

}  // namespace tide
