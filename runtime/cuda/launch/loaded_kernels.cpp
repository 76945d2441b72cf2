// Loads modules and finds kernels in them.
#include "runtime/cuda/launch/loaded_kernels.h"

#include "runtime/codegen/ptx.h"
#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/types/error.h"

namespace tide::cuda {

Module LoadedKernels::load(const char* ptx) const {
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

const LoadedKernel& LoadedKernels::fused(const LoopStep& step, GpuForm form) {
  const std::lock_guard lock(mutex_);
  LoadedKernel& kernel = fused_[step.kernel][form.number()];
  if (kernel.function) return kernel;
  const std::string ptx = ptx_of(step.program, ptx_architecture(capability_), form);
  Function function = nullptr;
  check(driver().module_function(&function, load(ptx.c_str()), "kernel"), "cuModuleGetFunction");
  int threads = gpu_block(step.program, form).threads;
  // The threads of a row are lanes of its reduction tree, so their number is fixed. Those of a map
  // are interchangeable: the block size is the one with the highest occupancy.
  if (!step.program.has_row) {
    int grid = 0;
    check(driver().potential_block(&grid, &threads, function, nullptr, 0, threads),
          "cuOccupancyMaxPotentialBlockSize");
  }
  if (form.staged)
    check(driver().set_function_attribute(function, kFunctionMostShared,
                                          static_cast<int>(most_staged())),
          "cuFuncSetAttribute");
  return kernel = {function, residency_of(function, threads)};
}

/// Queries the occupancy of a multiprocessor; called once per kernel and size.
KernelResidency LoadedKernels::residency_of(Function function, int threads,
                                            size_t shared_bytes) const {
  KernelResidency residency{multiprocessors_, 0, threads, shared_bytes};
  check(driver().resident_blocks(&residency.blocks, function, threads, shared_bytes),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return residency;
}

KernelResidency LoadedKernels::residency_with(const LoadedKernel& kernel, size_t shared_bytes) {
  if (shared_bytes == 0) return kernel.residency;
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = residencies_.try_emplace({kernel.function, shared_bytes});
  if (is_new) found->second = residency_of(kernel.function, kernel.residency.threads, shared_bytes);
  return found->second;
}

profile::KernelLaunch LoadedKernels::figures_of(Function function, LaunchShape shape) const {
  const auto ask = [&](int which) {
    int value = 0;
    check(driver().function_attribute(&value, which, function), "cuFuncGetAttribute");
    return value;
  };
  const auto threads = static_cast<int>(shape.threads);
  return {.blocks = shape.blocks,
          .threads = threads,
          .registers = ask(kFunctionRegisters),
          .shared_bytes = int64_t{ask(kFunctionSharedBytes)} + shape.shared_bytes,
          .resident_blocks = residency_of(function, threads, shape.shared_bytes).blocks,
          .multiprocessors = multiprocessors_,
          .most_threads = most_threads_};
}

Module LoadedKernels::load_embedded(const char* file) const {
  Module module = nullptr;
  if (const void* binary = embedded_binary(file, capability_)) {
    const Result result = driver().module_load(&module, binary, 0, nullptr, nullptr);
    if (result == kSuccess) return module;
    if (result == kOutOfMemory) raise(result, "cuModuleLoadDataEx");
  }
  return load(embedded_ptx(file));
}

const LoadedKernel& LoadedKernels::embedded(const char* file, const std::string& name,
                                            int threads) {
  const std::lock_guard lock(mutex_);
  LoadedKernel& kernel = embedded_[name + '/' + std::to_string(threads)];
  if (kernel.function) return kernel;
  Module& module = modules_[file];
  if (!module) module = load_embedded(file);
  Function function = nullptr;
  check(driver().module_function(&function, module, name.c_str()), "cuModuleGetFunction");
  return kernel = {function, residency_of(function, threads)};
}

}  // namespace tide::cuda
