// The loops of a scatter that keeps the maximum or the minimum.
#include "runtime/cpu/ops/scatter_loops.h"

namespace tide {
namespace {

template <class T, Put kPut>
constexpr ScatterLoops kLoops = TypedScatter<T, T, kPut>::loops();

}  // namespace

const ScatterLoops& scatter_minmax_loops(DType type, bool largest) {
  const ScatterLoops* loops = nullptr;
  visit_type(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    loops = largest ? &kLoops<T, Put::max> : &kLoops<T, Put::min>;
  });
  return *loops;
}

}  // namespace tide
