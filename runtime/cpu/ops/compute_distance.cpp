// Distances between all rows of two matrices.
#include <algorithm>

#include "runtime/cpu/distance/distance.h"
#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// Rows of a per part, and pairs of elements worth a thread.
constexpr int64_t kRowsTogether = 96;
constexpr int64_t kGrain = 1 << 16;

const DistanceKernel<float>& kernel_for(float) {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return kDistanceAvx512_32;
    case InstructionSet::avx2:
      return kDistanceAvx2_32;
    default:
      return kDistanceBaseline32;
  }
}

const DistanceKernel<double>& kernel_for(double) {
  switch (instruction_set()) {
    case InstructionSet::avx512:
      return kDistanceAvx512_64;
    case InstructionSet::avx2:
      return kDistanceAvx2_64;
    default:
      return kDistanceBaseline64;
  }
}

/// Packs rows `first` to `last` of b side by side, as the kernel expects them.
template <class T>
void pack(const T* b, int64_t size, int64_t first, int64_t last, int64_t columns, T* panel) {
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t p = 0; p < size; ++p)
      panel[p * columns + j] = first + j < last ? b[(first + j) * size + p] : T(0);
}

template <class T>
void distances(ComputeCall& call) {
  const Shape &left = call.inputs[0].layout.shape, &right = call.inputs[1].layout.shape;
  const int rank = left.rank();
  const int64_t m = left[rank - 2], n = right[rank - 2], size = left[rank - 1];
  const int64_t batches = call.outputs[0].layout.shape.numel() / (m * n);
  const DistanceKernel<T>& kernel = kernel_for(T());
  const int64_t columns = kernel.columns, panels = (n + columns - 1) / columns;
  const int64_t chunks = (m + kRowsTogether - 1) / kRowsTogether;
  const int64_t work = std::max<int64_t>(1, std::min(m, kRowsTogether) * columns * size);
  call.parallel->for_range(
      batches * panels * chunks, std::max<int64_t>(1, kGrain / work),
      [&](int64_t begin, int64_t end) {
        static thread_local Workspace panel_memory, result_memory;
        T* panel = panel_memory.get<T>(std::max<int64_t>(1, size * columns));
        T* result = result_memory.get<T>(kRowsTogether * columns);
        int64_t packed = -1;
        for (int64_t item = begin; item < end; ++item) {
          const int64_t batch = item / chunks / panels, first = item / chunks % panels * columns;
          const int64_t row = item % chunks * kRowsTogether,
                        rows = std::min(m - row, kRowsTogether);
          const int64_t last = std::min(n, first + columns);
          const T* a = static_cast<const T*>(call.inputs[0].data) + (batch * m + row) * size;
          const T* b = static_cast<const T*>(call.inputs[1].data) + batch * n * size;
          T* out = static_cast<T*>(call.outputs[0].data) + (batch * m + row) * n + first;
          if (item / chunks != packed) pack(b, size, first, last, columns, panel);
          packed = item / chunks;
          if (last - first == columns) {
            kernel.run(rows, size, a, panel, columns, out, n);
            continue;
          }
          kernel.run(rows, size, a, panel, last - first, result, columns);
          for (int64_t i = 0; i < rows; ++i)
            std::copy_n(result + i * columns, last - first, out + i * n);
        }
      });
}

/// Distances within a: from each row to the rows after it.
template <class T>
void pair_distances(ComputeCall& call) {
  const int64_t n = call.inputs[0].layout.shape[0], size = call.inputs[0].layout.shape[1];
  const auto* a = static_cast<const T*>(call.inputs[0].data);
  auto* out = static_cast<T*>(call.outputs[0].data);
  const DistanceKernel<T>& kernel = kernel_for(T());
  const int64_t columns = kernel.columns, panels = (n + columns - 1) / columns;
  const int64_t work = std::max<int64_t>(1, n / 2 * columns * size);
  call.parallel->for_range(
      panels, std::max<int64_t>(1, kGrain / work), [&](int64_t begin, int64_t end) {
        static thread_local Workspace panel_memory, result_memory;
        T* panel = panel_memory.get<T>(std::max<int64_t>(1, size * columns));
        T* result = result_memory.get<T>(kRowsTogether * columns);
        for (int64_t item = begin; item < end; ++item) {
          const int64_t first = item * columns, last = std::min(n, first + columns);
          pack(a, size, first, last, columns, panel);
          for (int64_t row = 0; row < last - 1; row += kRowsTogether) {
            const int64_t rows = std::min(last - 1 - row, kRowsTogether);
            kernel.run(rows, size, a + row * size, panel, last - first, result, columns);
            for (int64_t i = row; i < row + rows; ++i) {
              const int64_t from = std::max(first, i + 1);
              std::copy_n(result + (i - row) * columns + from - first, last - from,
                          out + i * (2 * n - i - 1) / 2 + from - i - 1);
            }
          }
        }
      });
}

}  // namespace

void compute_distances(ComputeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  const bool wide = call.inputs[0].type == DType::f64;
  if (call.inputs.size() == 1)
    return wide ? pair_distances<double>(call) : pair_distances<float>(call);
  wide ? distances<double>(call) : distances<float>(call);
}

}  // namespace tide
