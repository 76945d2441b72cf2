// Loads modules and finds kernels in them.
#include "runtime/cuda/loaded_kernels.h"

#include "runtime/codegen/ptx.h"
#include "runtime/core/error.h"
#include "runtime/cuda/embedded_kernels.h"

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
KernelRoom LoadedKernels::room_of(Function function, int threads) const {
  KernelRoom room{multiprocessors_, 0, threads};
  check(driver().resident_blocks(&room.blocks, function, threads, 0),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  return room;
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
  return kernel = {function, room_of(function, threads)};
}

}  // namespace tide::cuda
