// A CUDA backend for tests: the fake driver's, or a real one where TIDE_CUDA_PATH names none.
#include "tests/cuda/device_run.h"

#include <memory>

#include "runtime/cpu/ops/compute.h"
#include "runtime/ir/kernel.h"

namespace tide::test {

cuda::CudaBackend& cuda_backend() {
  static cuda::CudaBackend& backend = [&]() -> cuda::CudaBackend& {
    auto& made = *new cuda::CudaBackend(0, compute_function);
    made.begin_queue();
    return made;
  }();
  return backend;
}

cuda::Stream cuda_stream() {
  static const cuda::Stream stream = [] {
    cuda_backend();
    cuda::Stream made = nullptr;
    cuda::check(cuda::driver().stream_create(&made, cuda::kStreamNonBlocking), "cuStreamCreate");
    return made;
  }();
  return stream;
}

void run_on_device(LoopCase& loop) {
  cuda::CudaBackend& backend = cuda_backend();
  LoopStep step;
  step.program = loop.program;
  step.kernel = &Kernel::find(loop.program);
  step.extents = loop.extents;
  step.strides = loop.strides;
  std::vector<void*> blocks, bases;
  for (size_t k = 0; k < loop.memory.size(); ++k) {
    const bool iota = loop.program.operands[k].kind == LoopOperand::Kind::iota;
    const size_t bytes = loop.memory[k].size();
    blocks.push_back(iota || bytes == 0 ? nullptr : backend.allocate(bytes));
    if (blocks[k]) backend.copy(blocks[k], loop.memory[k].data(), bytes, CopyKind::to_device);
    bases.push_back(static_cast<char*>(blocks[k]) + loop.offsets[k]);
  }
  backend.launch(step, bases.data(), loop.parameters.data());
  for (size_t k = 0; k < blocks.size(); ++k) {
    if (!blocks[k]) continue;
    backend.copy(loop.memory[k].data(), blocks[k], loop.memory[k].size(), CopyKind::to_host);
    backend.finish();
    backend.release(blocks[k], loop.memory[k].size());
  }
}

}  // namespace tide::test
