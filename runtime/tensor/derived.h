// Values that are computed once from others which seldom change, such as the weights of a network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "runtime/tensor/tensor.h"

namespace tide {

/// What make() computed from the elements of x, under `key`: kept with them until they are written,
/// so that make() runs once. Undefined if make() returns no tensor, or if x is not a whole value
/// that is stored already, since that may well be read only once. No autograd.
Tensor derived_from(const Tensor& x, std::span<const int64_t> key,
                    const std::function<Tensor()>& make);

/// Whether a value of this size, derived from x, would take less than an eighth of the memory that
/// the limit of its device leaves.
bool has_room_for_derived(const Tensor& x, size_t bytes);

}  // namespace tide
