// Loading and launching.
#include "runtime/cuda/cuda_kernels.h"

#include <algorithm>
#include <cstring>

#include "runtime/codegen/kernel.h"
#include "runtime/codegen/ptx.h"
#include "runtime/cuda/embedded_kernels.h"

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

Module CudaKernels::load(const char* ptx) const {
  char errors[2048] = "";
  int options[] = {kJitErrorBuffer, kJitErrorBufferBytes};
  void* values[] = {errors, reinterpret_cast<void*>(sizeof errors)};
  Module module = nullptr;
  const Result result = driver().module_load(&module, ptx, 2, options, values);
  if (result != kSuccess && errors[0])
    throw InternalError(std::string("the driver cannot compile a kernel: ") + errors);
  check(result, "cuModuleLoadDataEx");
  return module;
}

const LoadedKernel& CudaKernels::fused(const LoopStep& step, GpuForm form) {
  LoadedKernel& kernel = fused_[step.kernel][form.vector + 2 * form.narrow];
  if (kernel.function) return kernel;
  const std::string ptx = ptx_of(step.program, ptx_architecture(capability_), form);
  Function function = nullptr;
  check(driver().module_function(&function, load(ptx.c_str()), "kernel"), "cuModuleGetFunction");
  int threads = gpu_block(step.program).threads;
  // The threads of a row are lanes of its reduction's tree; those of a map are all alike, so that
  // a block has as many as lets most of them be there at once.
  if (!step.program.has_row) {
    int grid = 0;
    check(driver().potential_block(&grid, &threads, function, nullptr, 0, threads),
          "cuOccupancyMaxPotentialBlockSize");
  }
  return kernel = {function, room_of(function, threads)};
}

/// What a multiprocessor has room for; asked for once per kernel.
KernelRoom CudaKernels::room_of(Function function, int threads) const {
  KernelRoom room{multiprocessors_, 0, threads};
  check(driver().resident_blocks(&room.blocks, function, threads, 0),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return room;
}

unsigned long long* CudaKernels::first_wrong(Stream stream) {
  if (!first_wrong_) {
    check(driver().allocate(&first_wrong_, sizeof(unsigned long long)), "cuMemAlloc");
    check(driver().fill_words(first_wrong_, ~0u, 2, stream), "cuMemsetD32Async");
  }
  return reinterpret_cast<unsigned long long*>(first_wrong_);
}

Module CudaKernels::load_embedded(const char* file) const {
  Module module = nullptr;
  const void* binary = embedded_binary(file, capability_);
  if (binary && driver().module_load(&module, binary, 0, nullptr, nullptr) == kSuccess)
    return module;
  return load(embedded_ptx(file));
}

const LoadedKernel& CudaKernels::embedded(const char* file, const std::string& name, int threads) {
  LoadedKernel& kernel = embedded_[name + '/' + std::to_string(threads)];
  if (kernel.function) return kernel;
  Module& module = modules_[file];
  if (!module) module = load_embedded(file);
  Function function = nullptr;
  check(driver().module_function(&function, module, name.c_str()), "cuModuleGetFunction");
  return kernel = {function, room_of(function, threads)};
}

void CudaKernels::launch(const LoopStep& step, void* const* bases, const uint64_t* parameters,
                         LaunchGraphs& launches) {
  const LoopProgram& program = step.program;
  GpuForm form;
  form.vector = !program.has_row && is_aligned(step, bases);
  const int64_t units = gpu_units(program, step.extents, form);
  if (units == 0) return;
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
  const LoadedKernel& kernel = fused(step, form);
  const int64_t teams = gpu_block(program).teams;
  const LaunchShape shape = program.has_row
                                ? launch_blocks((units + teams - 1) / teams, kernel.room)
                                : launch_threads(units, kernel.room);
  launches.launch(kernel.function, shape, words_);
}

}  // namespace tide::cuda
