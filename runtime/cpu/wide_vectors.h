// Plain functions of numbers compiled once more for each set of wider vectors.
#pragma once

#include "runtime/cpu/instruction_set.h"

namespace tide {

/// kFunction with all that it calls in one body, where fused multiply-adds are instructions, not
/// calls of the C library, and loops run over vectors. The same bits.
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

/// kFunction, in the form that is the fastest here.
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
