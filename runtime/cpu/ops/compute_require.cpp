// Checks that no element is 0, or that positions are in range.
#include <atomic>
#include <cstring>
#include <type_traits>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/ops/range_check.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/ir/compute_failure.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

constexpr int64_t kGrain = 1 << 15;

/// An unsigned integer of the size of T.
template <class T>
using Mask =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

/// The mask is as wide as the elements, so that the loop is vectorized.
template <class T>
bool any_zero_in(const T* data, int64_t count) {
  Mask<T> found = 0;
  for (int64_t i = 0; i < count; ++i)
    found |= data[i] == T(0) ? static_cast<Mask<T>>(~Mask<T>(0)) : Mask<T>(0);
  return found != 0;
}

template <class T>
bool any_zero(const ArrayView& x, int64_t begin, int64_t end) {
  const auto* data = static_cast<const T*>(x.data);
  bool found = false;
  if (x.layout.is_dense()) {
    static const auto search = fastest<any_zero_in<T>>();
    found = search(data + begin, end - begin);
  } else {
    StridedWalk<1> walk(x.layout.shape, {x.layout.strides.data()}, begin);
    for (int64_t i = begin; i < end; ++i, walk.next()) found |= data[walk.offset(0)] == T(0);
  }
  return found;
}

/// Whether a position is not from 1 to `limit`.
bool any_outside_in(const int64_t* positions, int64_t count, int64_t limit) {
  uint64_t found = 0;
  for (int64_t i = 0; i < count; ++i)
    found |= static_cast<uint64_t>(positions[i]) - 1 >= static_cast<uint64_t>(limit) ? ~0UL : 0UL;
  return found != 0;
}

void check_positions(ComputeCall& call, int64_t limit) {
  const ArrayView& x = call.inputs[0];
  const auto* positions = static_cast<const int64_t*>(x.data);
  const bool is_dense = x.layout.is_dense();
  static const auto search = fastest<any_outside_in>();
  RangeCheck check(call, limit);
  call.parallel->for_range(x.layout.shape.numel(), kGrain, [&](int64_t begin, int64_t end) {
    if (is_dense && !search(positions + begin, end - begin, limit)) return;
    StridedWalk<1> walk(x.layout.shape, {x.layout.strides.data()}, begin);
    for (int64_t i = begin; i < end; ++i, walk.next()) check.allows(positions[walk.offset(0)], i);
  });
}

}  // namespace

void compute_require(ComputeCall& call) {
  const ArrayView& x = call.inputs[0];
  std::memset(call.outputs[0].data, 0, size_of(x.type));
  const auto attributes = unpack<RequireAttributes>(call.attributes);
  if (attributes.requirement == Requirement::position)
    return check_positions(call, attributes.limit);
  std::atomic<bool> any_unmet = false;
  visit_type(x.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    call.parallel->for_range(x.layout.shape.numel(), kGrain, [&](int64_t begin, int64_t end) {
      if (any_zero<T>(x, begin, end)) any_unmet.store(true, std::memory_order_relaxed);
    });
  });
  if (any_unmet) throw Error(unmet(attributes.requirement));
}

}  // namespace tide
