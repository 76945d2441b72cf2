// Launches fused loops.
#include "runtime/cuda/launch/cuda_kernels.h"

#include <algorithm>
#include <cstring>

namespace tide::cuda {
namespace {

constexpr int64_t kMostGrid = 0x7fffffff;

/// Whether all dense operands can be accessed as vectors along the last dimension, 16 bytes for the
/// widest type.
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

/// Whether all rows of these operands begin at multiples of `alignment` bytes.
bool rows_begin_at(size_t alignment, const LoopStep& step, void* const* bases,
                   const std::vector<uint16_t>& operands) {
  const size_t rank = step.program.outer_rank, dimensions = step.program.dimensions();
  for (const uint16_t k : operands) {
    size_t all = reinterpret_cast<size_t>(bases[k]);
    for (size_t d = 0; d < rank; ++d)
      all |= static_cast<size_t>(step.strides[k * dimensions + d]) *
             size_of(step.program.operands[k].type);
    if (all % alignment) return false;
  }
  return true;
}

/// Writes the argument words of a loop's kernel: see gpu_form.h.
void write_words(const LoopStep& step, void* const* bases, const uint64_t* parameters,
                 int64_t units, uint64_t* words) {
  const GpuWords offsets(step.program);
  const auto put = [&](size_t offset, const void* from, size_t count) {
    if (count) std::memcpy(words + offset, from, count * sizeof(uint64_t));
  };
  put(0, bases, step.program.operands.size());
  put(offsets.extents, step.extents.data(), step.extents.size());
  put(offsets.strides, step.strides.data(), step.strides.size());
  put(offsets.parameters, parameters, step.program.parameter_count);
  words[offsets.units] = static_cast<uint64_t>(units);
}

}  // namespace

/// The shared memory that a block needs to stage its row, 0 if rows are not staged; sets `form`
/// accordingly. Short rows are not staged, as the L1 cache still holds them. Values are kept only
/// if two blocks fit on a multiprocessor: a single one would stall on memory too often.
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

void CudaKernels::reserve(CudaStream stream) {
  try {
    workspace_.get(stream, Blas::kWorkspaceBytes);
  } catch (const MemoryError&) {
    // The first matrix product makes memory available, or reports that there is none.
  }
}

unsigned long long* CudaKernels::first_wrong(CudaStream stream) {
  if (!first_wrong_) {
    check(driver().allocate(&first_wrong_, sizeof(unsigned long long)), "cuMemAlloc");
    check(driver().fill_words(first_wrong_, ~0u, 2, stream), "cuMemsetD32Async");
  }
  return reinterpret_cast<unsigned long long*>(first_wrong_);
}

CudaKernels::LoopWork CudaKernels::work_of(const LoopStep& step, void* const* bases) {
  const LoopProgram& program = step.program;
  LoopWork work;
  GpuForm& form = work.form;
  form.vector = !program.has_row && is_aligned(step, bases);
  const int64_t units = work.units = gpu_units(program, step.extents, form);
  if (units == 0) return work;
  form.few = gpu_is_few(program, units, loaded_->multiprocessors());
  work.shared_bytes = stage(step, bases, form);
  // Indices must still fit after rounding up to full blocks.
  form.narrow = units < kMostGrid - 1024;
  for (const int64_t extent : step.extents) form.narrow = form.narrow && extent < kMostGrid;
  return work;
}

KernelShape CudaKernels::shape_of(const LoopStep& step, const LoopWork& work) {
  if (work.units == 0) return {};
  const LoadedKernel& kernel = loaded_->fused(step, work.form);
  if (!step.program.has_row) return {kernel.function, launch_threads(work.units, kernel.residency)};
  const int64_t wanted = rounded_up_quotient(work.units, gpu_block(step.program, work.form).teams);
  return {kernel.function,
          launch_blocks(wanted, loaded_->residency_with(kernel, work.shared_bytes))};
}

KernelShape CudaKernels::shape_of(const LoopStep& step, void* const* bases) {
  return shape_of(step, work_of(step, bases));
}

void CudaKernels::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters,
                         LaunchGraphs& launches) {
  const LoopWork work = work_of(step, bases);
  if (work.units == 0) return;
  const KernelShape kernel = shape_of(step, work);
  words_.resize(gpu_words(step.program));
  write_words(step, bases, parameters, work.units, words_.data());
  launches.launch(kernel, words_);
}

size_t CudaKernels::gather(std::span<LoopCall> calls) {
  const GpuTableLayout table(calls[0].step->program, GpuTable::large);
  const GpuForm form = work_of(*calls[0].step, calls[0].bases).form;
  const size_t most = std::max<size_t>(table.entries, 1);
  size_t count = 0;
  const auto others = std::stable_partition(calls.begin(), calls.end(), [&](const LoopCall& call) {
    return count < most && work_of(*call.step, call.bases).form == form && ++count;
  });
  return static_cast<size_t>(others - calls.begin());
}

void CudaKernels::launch_together(std::span<const LoopCall> calls, LaunchGraphs& launches) {
  const LoopProgram& program = calls[0].step->program;
  LoopWork all;
  units_.clear();
  for (const LoopCall& call : calls) {
    const LoopWork work = work_of(*call.step, call.bases);
    units_.push_back(work.units);
    all.form = work.form;
    all.units += work.units;
    all.shared_bytes = std::max(all.shared_bytes, work.shared_bytes);
  }
  if (all.units == 0) return;
  const bool is_small = calls.size() <= GpuTableLayout(program, GpuTable::small).entries;
  all.form.table = is_small ? GpuTable::small : GpuTable::large;
  const LoadedKernel& kernel = loaded_->fused(*calls[0].step, all.form);
  const KernelResidency residency = program.has_row
                                        ? loaded_->residency_with(kernel, all.shared_bytes)
                                        : cut_blocks(all.units, kernel.residency);
  // Units that a block processes per turn.
  const int64_t taken = program.has_row ? gpu_block(program, all.form).teams : residency.threads;
  const int64_t turns = launch_turns(rounded_up_quotient(all.units, taken), residency);
  const GpuTableLayout table(program, all.form.table);
  words_.assign(table.words, 0);
  int64_t blocks = 0;
  size_t entry = 0;
  for (; entry < calls.size(); ++entry) {
    const LoopCall& call = calls[entry];
    uint64_t* const words = words_.data() + table.entry * entry;
    *words = static_cast<uint64_t>(blocks);
    write_words(*call.step, call.bases, call.parameters, units_[entry], words + 1);
    blocks += rounded_up_quotient(units_[entry], taken * turns);
  }
  for (; entry <= table.entries; ++entry)
    words_[table.entry * entry] = static_cast<uint64_t>(blocks);
  const LaunchShape shape{static_cast<unsigned>(blocks), static_cast<unsigned>(residency.threads),
                          static_cast<unsigned>(residency.shared_bytes)};
  launches.launch({kernel.function, shape, static_cast<int64_t>(calls.size())}, words_);
}

}  // namespace tide::cuda
