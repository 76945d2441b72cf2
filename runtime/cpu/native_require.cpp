// Checks that no element is 0.
#include <atomic>
#include <cstring>

#include "runtime/core/error.h"
#include "runtime/cpu/native.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/graph/native_failure.h"

namespace tide {
namespace {

constexpr int64_t kGrain = 1 << 15;

template <class T>
bool any_zero(const ArrayView& x, int64_t begin, int64_t end) {
  const auto* data = static_cast<const T*>(x.data);
  bool found = false;
  if (x.layout.is_dense()) {
    for (int64_t i = begin; i < end; ++i) found |= data[i] == T(0);
  } else {
    StridedWalk<1> walk(x.layout.shape, {x.layout.strides.data()}, begin);
    for (int64_t i = begin; i < end; ++i, walk.next()) found |= data[walk.offset(0)] == T(0);
  }
  return found;
}

}  // namespace

void native_require(NativeCall& call) {
  const ArrayView& x = call.inputs[0];
  std::memset(call.outputs[0].data, 0, size_of(x.type));
  std::atomic<bool> unmet_one = false;
  visit_type(x.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    call.parallel->for_range(x.layout.shape.numel(), kGrain, [&](int64_t begin, int64_t end) {
      if (any_zero<T>(x, begin, end)) unmet_one.store(true, std::memory_order_relaxed);
    });
  });
  if (unmet_one) throw Error(unmet(static_cast<Requirement>(call.attributes[0])));
}

}  // namespace tide
