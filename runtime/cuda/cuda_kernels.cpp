// Launches of fused loops, and what streams keep for kernels.
#include "runtime/cuda/cuda_kernels.h"

#include <algorithm>
#include <cstring>

namespace tide::cuda {
namespace {

constexpr int64_t kMostGrid = 0x7fffffff;

/// Whether every dense operand can be moved 16 bytes of the widest at a time along the last
/// dimension.
bool is_aligned(const LoopStep& step, void* const* bases) {
  const LoopProgram& program = step.program;
  const size_t rank = program.outer_rank;
  const auto vector = static_cast<size_t>(gpu_vector(program));
  if (vector < 2 || (rank > 1 && static_cast<size_t>(step.extents[rank - 1]) % vector))
    return false;
  if (step.extents[rank - 1] < static_cast<int64_t>(vector)) return false;
  for (size_t k = 0; k < program.operands.size(); ++k) {
    const LoopOperand& operand = program.operands[k];
    if (operand.kind != LoopOperand::Kind::memory || operand.vector_stride != 1) continue;
    size_t all = reinterpret_cast<size_t>(bases[k]);
    for (size_t d = 0; d + 1 < rank; ++d)
      all |= static_cast<size_t>(step.strides[k * rank + d]) * size_of(operand.type);
    if (all % (vector * size_of(operand.type))) return false;
  }
  return true;
}

}  // namespace

void CudaKernels::reserve(Stream stream) {
  try {
    workspace_.get(stream, Blas::kWorkspaceBytes);
  } catch (const MemoryError&) {
    // The first product makes room, or says that there is none.
  }
}

unsigned long long* CudaKernels::first_wrong(Stream stream) {
  if (!first_wrong_) {
    check(driver().allocate(&first_wrong_, sizeof(unsigned long long)), "cuMemAlloc");
    check(driver().fill_words(first_wrong_, ~0u, 2, stream), "cuMemsetD32Async");
  }
  return reinterpret_cast<unsigned long long*>(first_wrong_);
}

void CudaKernels::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters,
                         LaunchGraphs& launches) {
  const LoopProgram& program = step.program;
  GpuForm form;
  form.vector = !program.has_row && is_aligned(step, bases);
  const int64_t units = gpu_units(program, step.extents, form);
  if (units == 0) return;
  form.few = gpu_is_few(program, units, loaded_->multiprocessors());
  // Rounded up to whole blocks, indices must still fit.
  form.narrow = units < kMostGrid - 1024;
  for (const int64_t extent : step.extents) form.narrow = form.narrow && extent < kMostGrid;
  const GpuWords places(program);
  words_.resize(gpu_words(program));
  const auto put = [&](size_t place, const void* from, size_t count) {
    if (count) std::memcpy(words_.data() + place, from, count * sizeof(uint64_t));
  };
  put(0, bases, program.operands.size());
  put(places.extents, step.extents.data(), step.extents.size());
  put(places.strides, step.strides.data(), step.strides.size());
  put(places.parameters, parameters, program.parameter_count);
  words_[places.units] = static_cast<uint64_t>(units);
  const LoadedKernel& kernel = loaded_->fused(step, form);
  const int64_t teams = gpu_block(program, form).teams;
  const LaunchShape shape = program.has_row
                                ? launch_blocks((units + teams - 1) / teams, kernel.room)
                                : launch_threads(units, kernel.room);
  launches.launch(kernel.function, shape, words_);
}

}  // namespace tide::cuda
