// Distances of all rows of two matrices.
#include <algorithm>

#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/ops/distance.h"
#include "runtime/cpu/scratch.h"

namespace tide {
namespace {

/// Rows of a that one part takes, and pairs of numbers that are worth a thread.
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
        static thread_local Scratch panel_memory, result_memory;
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
          if (item / chunks != packed) {
            packed = item / chunks;
            for (int64_t j = 0; j < columns; ++j)
              for (int64_t p = 0; p < size; ++p)
                panel[p * columns + j] = first + j < n ? b[(first + j) * size + p] : T(0);
          }
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

}  // namespace

void compute_distances(ComputeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  call.inputs[0].type == DType::f64 ? distances<double>(call) : distances<float>(call);
}

}  // namespace tide
