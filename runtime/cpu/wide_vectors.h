// Scalar functions, compiled again for each set of wider vectors.
#pragma once

#include "runtime/cpu/instruction_set.h"

namespace tide {

/// kFunction with everything that it calls inlined, so that fused multiply-adds are instructions
/// instead of calls to the C library, and loops are vectorized. The bits are the same.
template <auto kFunction, class... Arguments>
__attribute__((target("avx2,fma"), flatten)) auto on_avx2(Arguments... arguments) {
  return kFunction(arguments...);
}
template <auto kFunction, class... Arguments>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,prefer-vector-width=512"),
               flatten)) auto
on_avx512(Arguments... arguments) {
  return kFunction(arguments...);
}

/// kFunction in the form that is fastest on this machine.
template <auto kFunction, class Result, class... Arguments>
auto fastest_of(Result (*)(Arguments...)) -> Result (*)(Arguments...) {
  static constexpr Result (*kForms[])(Arguments...) = {kFunction, &on_avx2<kFunction, Arguments...>,
                                                       &on_avx512<kFunction, Arguments...>};
  static Result (*const form)(Arguments...) = kForms[static_cast<int>(instruction_set())];
  return form;
}
template <auto kFunction>
auto fastest() {
  return fastest_of<kFunction>(kFunction);
}

}  // namespace tide
