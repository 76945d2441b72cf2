// Values that lie in memory from the start: copies between devices and what the script supplies.
// A queue fills them; their nodes never wait in a window.
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
/// A copy of x in host memory that is pinned: devices copy from it and to it directly. x
/// itself if it is pinned already; in ordinary memory if there is no device to pin it for.
Tensor record_pinned(const Tensor& x);
/// Whether the elements of x lie in pinned memory by now.
bool is_pinned(const Tensor& x);
/// Waits for the elements of x, which is stored (what the functions above give).
void wait_for_transfer(const Tensor& x);

/// A tensor with these elements (row-major, size_of(type) each), copied now.
Tensor record_constant(const void* elements, const Shape& shape, DType type, Device device);
/// The same without that copy: the elements are kept until the queue has taken them.
Tensor record_constant(std::shared_ptr<const std::byte[]> elements, const Shape& shape, DType type,
                       Device device);
/// A tensor whose elements (row-major) `fill` writes before this returns: to their own place in the
/// host's memory if nothing that is queued can be using it, so that what is read from a file is
/// copied once. Passes on what `fill` throws.
Tensor record_filled(const Shape& shape, DType type, Device device,
                     const std::function<void(std::span<std::byte>)>& fill);

/// Flushes what computes `node`, so that it has a place in memory, or has failed.
void settle(Node& node);

}  // namespace tide
