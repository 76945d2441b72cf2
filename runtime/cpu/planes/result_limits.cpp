// The function that limits results, compiled for each instruction set.
#include "runtime/cpu/planes/result_limits.h"

#include <cstring>

#include "runtime/cpu/instruction_set.h"

namespace tide {
namespace {

/// Comparisons with nan are false, so nan stays.
template <int kLanes>
inline __attribute__((always_inline)) void limit_all(float* values, int64_t count, float low,
                                                     float high) {
  typedef float Vector __attribute__((vector_size(kLanes * sizeof(float))));
  const Vector lows = low - Vector{}, highs = high - Vector{};
  int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    Vector x;
    std::memcpy(&x, values + i, sizeof x);
    x = x < lows ? lows : x;
    x = x > highs ? highs : x;
    std::memcpy(values + i, &x, sizeof x);
  }
  for (; i < count; ++i) {
    const float raised = values[i] < low ? low : values[i];
    values[i] = raised > high ? high : raised;
  }
}

void limit_baseline(float* values, int64_t count, float low, float high) {
  limit_all<4>(values, count, low, high);
}

__attribute__((target("avx2,fma"))) void limit_avx2(float* values, int64_t count, float low,
                                                    float high) {
  limit_all<8>(values, count, low, high);
}

__attribute__((target("avx512f,avx512bw"))) void limit_avx512(float* values, int64_t count,
                                                              float low, float high) {
  limit_all<16>(values, count, low, high);
}

}  // namespace

ResultLimits result_limits(float low, float high) {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return {low, high, limit_avx512};
    case InstructionSet::avx2:
      return {low, high, limit_avx2};
    case InstructionSet::baseline:
      break;
  }
  return {low, high, limit_baseline};
}

}  // namespace tide
