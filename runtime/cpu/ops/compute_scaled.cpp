// Matrix products of float8, computed in float32, which represents every float8 value exactly.
#include <algorithm>

#include "runtime/cpu/gemm/gemm.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/workspace.h"
#include "runtime/ir/math/float8.h"

namespace tide {
namespace {

/// Elements worth a thread.
constexpr int64_t kGrain = 16384;

/// Converts `rows` dense rows of float8, `stride` apart, to contiguous float32.
template <DType type>
void widen(const void* from, int64_t rows, int64_t length, int64_t stride, float* to,
           Parallel& parallel) {
  const auto* const elements = static_cast<const Float8<type>*>(from);
  parallel.for_range(rows, std::max<int64_t>(1, kGrain / std::max<int64_t>(length, 1)),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t i = begin; i < end; ++i)
                         for (int64_t j = 0; j < length; ++j)
                           to[i * length + j] = static_cast<float>(elements[i * stride + j]);
                     });
}

void widen(const ArrayView& matrix, int64_t rows, int64_t length, int64_t stride, float* to,
           Parallel& parallel) {
  const auto by_type = matrix.type == DType::f8e4m3 ? widen<DType::f8e4m3> : widen<DType::f8e5m2>;
  by_type(matrix.data, rows, length, stride, to, parallel);
}

}  // namespace

void compute_scaled_matmul(ComputeCall& call) {
  static thread_local Workspace left_memory, right_memory, sum_memory;
  const ArrayView &a = call.inputs[0], &b = call.inputs[1], &result = call.outputs[0];
  const int64_t m = a.layout.shape[0], k = a.layout.shape[1], n = b.layout.shape[1];
  float* const left = left_memory.get<float>(std::max<int64_t>(m * k, 1));
  float* const right = right_memory.get<float>(std::max<int64_t>(n * k, 1));
  float* const sums = sum_memory.get<float>(std::max<int64_t>(m * n, 1));
  widen(a, m, k, a.layout.strides[0], left, *call.parallel);
  widen(b, n, k, b.layout.strides[1], right, *call.parallel);
  gemm<float, float>(m, n, k, {left, k, 1}, {right, 1, k}, nullptr, 0, sums, *call.parallel);
  const float a_scale = *static_cast<const float*>(call.inputs[2].data),
              b_scale = *static_cast<const float*>(call.inputs[3].data);
  const bool has_bias = unpack<ScaledMatmulAttributes>(call.attributes).has_bias;
  const auto finish = [&]<class T>(TypeTag<T>) {
    const auto* const bias = has_bias ? static_cast<const T*>(call.inputs[4].data) : nullptr;
    const int64_t bias_stride = has_bias ? call.inputs[4].layout.strides[0] : 0;
    auto* const to = static_cast<T*>(result.data);
    call.parallel->for_range(
        m, std::max<int64_t>(1, kGrain / std::max<int64_t>(n, 1)), [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i)
            for (int64_t j = 0; j < n; ++j) {
              const float scaled = sums[i * n + j] * a_scale * b_scale;
              to[i * n + j] = T(bias ? scaled + static_cast<float>(bias[j * bias_stride]) : scaled);
            }
        });
  };
  if (result.type == DType::f16)
    finish(TypeTag<Float16>());
  else if (result.type == DType::bf16)
    finish(TypeTag<BFloat16>());
  else
    finish(TypeTag<float>());
}

}  // namespace tide
