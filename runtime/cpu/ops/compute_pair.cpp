// Functions of two values whose number of iterations depends on the values.
#include <type_traits>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/ir/math/incomplete_gamma.h"
#include "runtime/ir/math/pair_math.h"
#include "runtime/ir/pair_function.h"

namespace tide {
namespace {

template <class T, class Function>
void for_pairs(ComputeCall& call, const Function& function) {
  const ArrayView &a = call.inputs[0], &b = call.inputs[1];
  const auto* left = static_cast<const T*>(a.data);
  const auto* right = static_cast<const T*>(b.data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  const Shape& shape = a.layout.shape;
  const bool dense = a.layout.is_contiguous() && b.layout.is_contiguous();
  call.parallel->for_range(shape.numel(), 1024, [&](int64_t begin, int64_t end) {
    if (dense) {
      for (int64_t i = begin; i < end; ++i) out[i] = function(left[i], right[i]);
      return;
    }
    StridedWalk<2> walk(shape, {a.layout.strides.data(), b.layout.strides.data()}, begin);
    for (int64_t i = begin; i < end; ++i, walk.next())
      out[i] = function(left[walk.offset(0)], right[walk.offset(1)]);
  });
}

}  // namespace

void compute_pair_function(ComputeCall& call) {
  const PairFunction function = unpack<PairAttributes>(call.attributes).function;
  visit_type(call.inputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (is_floating_type<T>) {
      if (function == PairFunction::nextafter)
        return for_pairs<T>(call, [](T a, T b) {
          return neighbour(a, b, static_cast<Wide<T>>(a), static_cast<Wide<T>>(b));
        });
      const bool upper = function == PairFunction::igammac;
      for_pairs<T>(call, [upper, share = fastest<share_of_gamma>()](T a, T b) {
        const auto number = [](T x) { return static_cast<double>(static_cast<Wide<T>>(x)); };
        return static_cast<T>(static_cast<Wide<T>>(share(number(a), number(b), upper)));
      });
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (function == PairFunction::gcd)
        for_pairs<T>(call, [](T a, T b) { return greatest_divisor(a, b); });
      else
        for_pairs<T>(call, [](T a, T b) { return least_multiple(a, b); });
    }
  });
}

}  // namespace tide
