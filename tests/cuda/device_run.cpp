// A CUDA device for tests: on the fake driver, or on the real one if TIDE_CUDA_PATH is not set.
#include "tests/cuda/device_run.h"

#include <memory>

#include "runtime/cpu/ops/compute.h"
#include "runtime/ir/kernel.h"

namespace tide::test {

cuda::CudaDeviceBackend& cuda_device() {
  static auto& device = *new cuda::CudaDeviceBackend(0, compute_function);
  return device;
}

cuda::CudaStreamBackend& cuda_work() {
  static auto& stream = *new cuda::CudaStreamBackend(cuda_device());
  return stream;
}

cuda::CudaStream cuda_stream() {
  static const cuda::CudaStream stream = [] {
    cuda_device().use();
    cuda::CudaStream made = nullptr;
    cuda::check(cuda::driver().stream_create(&made, cuda::kStreamNonBlocking), "cuStreamCreate");
    return made;
  }();
  return stream;
}

namespace {

/// Holds a loop's operands on the device; copies them back at the end of its lifetime.
class LoopOnDevice {
 public:
  explicit LoopOnDevice(LoopCase& loop) : loop_(loop) {
    step_.program = loop.program;
    step_.kernel = &Kernel::find(loop.program);
    step_.extents = loop.extents;
    step_.strides = loop.strides;
    for (size_t k = 0; k < loop.memory.size(); ++k) {
      const bool iota = loop.program.operands[k].kind == LoopOperand::Kind::iota;
      const size_t bytes = loop.memory[k].size();
      blocks_.push_back(iota || bytes == 0 ? nullptr : cuda_device().allocate(bytes));
      if (blocks_[k])
        cuda_work().copy(blocks_[k], loop.memory[k].data(), bytes, CopyKind::to_device);
      bases_.push_back(static_cast<char*>(blocks_[k]) + loop.offsets[k]);
    }
  }
  LoopOnDevice(const LoopOnDevice&) = delete;
  ~LoopOnDevice() {
    for (size_t k = 0; k < blocks_.size(); ++k) {
      if (!blocks_[k]) continue;
      std::vector<uint8_t>& memory = loop_.memory[k];
      cuda_work().copy(memory.data(), blocks_[k], memory.size(), CopyKind::to_host);
      cuda_work().finish();
      cuda_device().release(blocks_[k], memory.size());
    }
  }

  LoopCall call(size_t place) const {
    return {&step_, bases_.data(), loop_.parameters.data(), place};
  }

 private:
  LoopCase& loop_;
  LoopStep step_;
  std::vector<void*> blocks_, bases_;
};

void launch(const LoopCall& call) { cuda_work().launch(*call.step, call.bases, call.parameters); }

}  // namespace

void run_on_device(LoopCase& loop) { launch(LoopOnDevice(loop).call(0)); }

size_t run_together_on_device(std::span<LoopCase> loops) {
  std::vector<std::unique_ptr<LoopOnDevice>> placed;
  std::vector<LoopCall> calls;
  for (LoopCase& loop : loops) {
    placed.push_back(std::make_unique<LoopOnDevice>(loop));
    calls.push_back(placed.back()->call(calls.size()));
  }
  size_t launches = 0;
  for (std::span<LoopCall> rest = calls; !rest.empty(); ++launches) {
    rest = rest.subspan(cuda_work().launch_together(rest));
  }
  return launches;
}

}  // namespace tide::test
