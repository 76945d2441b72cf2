// Plain functions of numbers compiled a second time, for processors with AVX2 and FMA.
#pragma once

#include "runtime/cpu/instruction_set.h"

namespace tide {

/// kFunction with all that it calls in one body, where fused multiply-adds are instructions, not
/// calls of the C library. The same bits.
template <auto kFunction, class... Arguments>
__attribute__((target("avx2,fma"), flatten)) auto on_avx2(Arguments... arguments) {
  return kFunction(arguments...);
}

/// kFunction, in the form that is the fastest here.
template <auto kFunction, class Result, class... Arguments>
auto fastest_of(Result (*)(Arguments...)) -> Result (*)(Arguments...) {
  static const bool wide = instruction_set() != InstructionSet::baseline;
  return wide ? &on_avx2<kFunction, Arguments...> : kFunction;
}
template <auto kFunction>
auto fastest() {
  return fastest_of<kFunction>(kFunction);
}

}  // namespace tide
