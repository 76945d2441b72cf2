// Launches of fused loops, and what streams keep for kernels.
#include "runtime/cuda/launch/cuda_kernels.h"

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

/// Whether all rows of these operands begin at addresses that are multiples of so many bytes.
bool rows_begin_at(size_t alignment, const LoopStep& step, void* const* bases,
                   const std::vector<uint16_t>& operands) {
  const size_t rank = step.program.outer_rank, dimensions = rank + 1;
  for (const uint16_t k : operands) {
    size_t all = reinterpret_cast<size_t>(bases[k]);
    for (size_t d = 0; d < rank; ++d)
      all |= static_cast<size_t>(step.strides[k * dimensions + d]) *
             size_of(step.program.operands[k].type);
    if (all % alignment) return false;
  }
  return true;
}

}  // namespace

/// The shared memory that a block needs for its row, and in `form` what is there; 0 if rows are not
/// staged. A short row is found in the first cache again. Values are kept where two blocks have
/// room for theirs: one alone waits for memory too often.
size_t CudaKernels::stage(const LoopStep& step, void* const* bases, GpuForm& form) {
  constexpr size_t kLeast = 8 << 10;
  const LoopProgram& program = step.program;
  if (!program.has_row || program.partial || program.single_block ||
      program.orientation != Orientation::row)
    return 0;
  const auto [found, is_new] = stages_.try_emplace(step.kernel);
  RowStages& stages = found->second;
  if (is_new) {
    const LoopPasses passes(program);
    stages = {passes.row_stage(program, false), passes.row_stage(program, true)};
  }
  const int64_t row = step.extents[program.outer_rank];
  const size_t read_again = stages.read_again.bytes(row), kept = stages.kept.bytes(row);
  if (read_again <= kLeast) return 0;
  form.keeps = !stages.kept.kept.empty() && 2 * kept <= loaded_->most_staged();
  const RowStage& stage = form.keeps ? stages.kept : stages.read_again;
  const size_t bytes = form.keeps ? kept : read_again;
  form.staged = bytes <= loaded_->most_staged() &&
                rows_begin_at(RowStage::kAlignment, step, bases, stage.operands);
  form.keeps = form.keeps && form.staged;
  return form.staged ? bytes : 0;
}

void CudaKernels::reserve(Stream stream) {
  try {
    workspace_.get(stream, Blas::kWorkspaceBytes);
  } catch (const MemoryError&) {
    // The first product makes residency, or says that there is none.
  }
}

unsigned long long* CudaKernels::first_wrong(Stream stream) {
  if (!first_wrong_) {
    check(driver().allocate(&first_wrong_, sizeof(unsigned long long)), "cuMemAlloc");
    check(driver().fill_words(first_wrong_, ~0u, 2, stream), "cuMemsetD32Async");
  }
  return reinterpret_cast<unsigned long long*>(first_wrong_);
}

CudaKernels::FusedLaunch CudaKernels::plan(const LoopStep& step, void* const* bases) {
  const LoopProgram& program = step.program;
  FusedLaunch launch;
  GpuForm& form = launch.form;
  form.vector = !program.has_row && is_aligned(step, bases);
  const int64_t units = launch.units = gpu_units(program, step.extents, form);
  if (units == 0) return launch;
  form.few = gpu_is_few(program, units, loaded_->multiprocessors());
  const size_t shared_bytes = stage(step, bases, form);
  // Rounded up to whole blocks, indices must still fit.
  form.narrow = units < kMostGrid - 1024;
  for (const int64_t extent : step.extents) form.narrow = form.narrow && extent < kMostGrid;
  const LoadedKernel& kernel = loaded_->fused(step, form);
  const int64_t teams = gpu_block(program, form).teams;
  launch.kernel = {kernel.function,
                   program.has_row ? launch_blocks((units + teams - 1) / teams,
                                                   loaded_->residency_with(kernel, shared_bytes))
                                   : launch_threads(units, kernel.residency)};
  return launch;
}

void CudaKernels::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters,
                         LaunchGraphs& launches) {
  const LoopProgram& program = step.program;
  const FusedLaunch planned = plan(step, bases);
  if (planned.units == 0) return;
  const GpuWords places(program);
  words_.resize(gpu_words(program));
  const auto put = [&](size_t place, const void* from, size_t count) {
    if (count) std::memcpy(words_.data() + place, from, count * sizeof(uint64_t));
  };
  put(0, bases, program.operands.size());
  put(places.extents, step.extents.data(), step.extents.size());
  put(places.strides, step.strides.data(), step.strides.size());
  put(places.parameters, parameters, program.parameter_count);
  words_[places.units] = static_cast<uint64_t>(planned.units);
  launches.launch(planned.kernel.function, planned.kernel.shape, words_);
}

}  // namespace tide::cuda
