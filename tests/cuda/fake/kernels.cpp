// Modules, their kernels, and launches.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "tests/cuda/fake/attributes.h"
#include "tests/cuda/fake/driver.h"
#include "tests/cuda/fake/errors.h"
#include "tests/cuda/fake/handles.h"
#include "tests/cuda/fake/libraries.h"
#include "tests/cuda/fake/ptx/machine.h"
#include "tests/cuda/fake/settings.h"
#include "tests/cuda/fatbin.h"

namespace fake {
namespace {

/// The maximum threads per block, by the kernel's launch bounds and its registers.
int most_threads_of(Function function) {
  return std::min(reinterpret_cast<Kernel*>(function)->max_threads, settings().function_threads);
}

}  // namespace

Result module_load(Module* module, const void* image, unsigned count, int* options, void** values) {
  if (const Result error = state()) return error;
  if (const uint32_t architecture = tide::test::architecture_of(image)) {
    if (settings().report_binaries)
      std::fprintf(stderr, "fake driver: no use for sm_%u\n", architecture);
    return settings().binary_error;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(settings().jit_ms));
  try {
    auto loaded = std::make_unique<PtxModule>(static_cast<const char*>(image));
    if (loaded->version() > (settings().version >= 13000 ? 90 : 85)) return kPtxTooNew;
    if (loaded->target() > capability_of(current()->ordinal)) return kNoBinary;
    *module = reinterpret_cast<Module>(loaded.release());
    note_handle(*module, HandleKind::module, *current());
    return kSuccess;
  } catch (const std::exception& error) {
    char* log = nullptr;
    size_t size = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == kJitErrorBuffer) log = static_cast<char*>(values[i]);
      if (options[i] == kJitErrorBufferBytes) size = reinterpret_cast<size_t>(values[i]);
    }
    if (log && size) std::snprintf(log, size, "%s", error.what());
    return kInvalidPtx;
  }
}

Result module_function(Function* function, Module module, const char* name) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(module, HandleKind::module, "cuModuleGetFunction"))
    return error;
  const Kernel* kernel = reinterpret_cast<PtxModule*>(module)->find(name);
  if (kernel) note_handle(kernel, HandleKind::function, *current());
  *function = reinterpret_cast<Function>(const_cast<Kernel*>(kernel));
  return kernel ? kSuccess : kNotFound;
}

Result function_attribute(int* value, int which, Function function) {
  owner_of(function, HandleKind::function, "cuFuncGetAttribute");
  const Kernel* kernel = reinterpret_cast<Kernel*>(function);
  *value = which == kFunctionLocalBytes    ? static_cast<int>(kernel->local_bytes)
           : which == kFunctionSharedBytes ? static_cast<int>(kernel->shared_bytes)
                                           : 32;
  return kSuccess;
}

/// Required before launches with more than 48 KB of shared memory.
Result set_function_attribute(Function function, int which, int value) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(function, HandleKind::function, "cuFuncSetAttribute"))
    return error;
  auto& kernel = *reinterpret_cast<Kernel*>(function);
  const int most =
      attribute_of(kSharedMemoryPerBlockOptIn, current()->card, capability_of(current()->ordinal));
  if (which != kFunctionMostShared || value < 0 ||
      static_cast<int>(kernel.shared_bytes) + value > most)
    return kInvalidValue;
  kernel.most_dynamic = static_cast<uint32_t>(value);
  return kSuccess;
}

/// Assumes that only threads (2048) and shared memory (228 KB) limit a multiprocessor.
Result resident_blocks(int* blocks, Function function, int threads, size_t shared_bytes) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(function, HandleKind::function, "cuOccupancyMax..."))
    return error;
  if (threads < 1 || threads > 1024) return kInvalidValue;
  const Kernel& kernel = *reinterpret_cast<Kernel*>(function);
  const size_t shared = std::max<size_t>(kernel.shared_bytes + shared_bytes, 1);
  *blocks =
      static_cast<int>(std::min<size_t>(2048 / static_cast<size_t>(threads), (228 << 10) / shared));
  if (settings().resident_blocks) *blocks = settings().resident_blocks;
  return kSuccess;
}

Result potential_block(int* grid, int* block, Function function, SharedBytes shared_bytes_of,
                       size_t shared_bytes, int most_threads) {
  if (const Result error = state()) return error;
  if (shared_bytes_of || most_threads < 0) return kInvalidValue;
  *block = most_threads ? std::min(most_threads, 1024) : 1024;
  *block = std::min(*block, most_threads_of(function));
  if (settings().block_threads) *block = std::min(*block, settings().block_threads);
  int resident = 0;
  const Result result = resident_blocks(&resident, function, *block, shared_bytes);
  *grid = 4 * resident;
  return result;
}

void spend_launch() {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::microseconds(settings().launch_us);
  while (Clock::now() < end) {  // too short to sleep
  }
}

Result launch(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
              unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
              CudaStream stream, void** parameters, void** extra) {
  if (extra) return kInvalidValue;
  spend_launch();
  return enqueue_kernel({.function = function,
                         .grid_x = grid_x,
                         .grid_y = grid_y,
                         .grid_z = grid_z,
                         .block_x = block_x,
                         .block_y = block_y,
                         .block_z = block_z,
                         .shared_bytes = shared_bytes,
                         .parameters = parameters,
                         .extra = nullptr,
                         .kernel = nullptr,
                         .context = nullptr},
                        stream);
}

Result enqueue_kernel(const KernelNode& node, CudaStream stream) {
  if (const Result error = state()) return error;
  if (const Result error = check_handle(node.function, HandleKind::function, "cuLaunchKernel"))
    return error;
  if (const Result error = check_handle(stream, HandleKind::stream, "cuLaunchKernel")) return error;
  const Kernel& kernel = *reinterpret_cast<Kernel*>(node.function);
  const Dimensions grid{node.grid_x, node.grid_y, node.grid_z};
  const Dimensions block{node.block_x, node.block_y, node.block_z};
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (!grid.x || !grid.y || !grid.z || !threads || threads > 1024 || grid.y > 65535 ||
      grid.z > 65535 ||
      node.shared_bytes > std::max(kernel.most_dynamic, (48u << 10) - kernel.shared_bytes))
    return kInvalidValue;
  if (threads > static_cast<uint64_t>(most_threads_of(node.function))) return kOutOfResources;
  std::vector<uint8_t> bytes(kernel.parameter_bytes);
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    std::memcpy(bytes.data() + kernel.parameters[i].offset, node.parameters[i],
                kernel.parameters[i].size);
  Device& device = *current();
  const bool loses =
      device.ordinal == settings().lost_device && device.launches++ == settings().lose_after;
  const auto run = [&kernel, &device, bytes = std::move(bytes), loses, grid, block,
                    shared_bytes = node.shared_bytes] {
    if (device.lost) return;
    if (loses) {
      device.lost = settings().lose_error;
      return;
    }
    if (settings().skip_kernels) return;
    try {
      run_kernel(kernel, grid, block, shared_bytes, bytes, [&](uint64_t address) {
        const auto own = device.memory.find(address);
        return own ? own : pinned().find(address);
      });
    } catch (const LaunchError& error) {
      std::fprintf(stderr, "fake driver: %s: %s\n", kernel.name.c_str(), error.what());
      device.lost = kIllegalAddress;
    } catch (const PtxError& error) {
      std::fprintf(stderr, "fake driver: %s: %s\n", kernel.name.c_str(), error.what());
      device.lost = kLaunchFailed;
    }
  };
  thread_of(stream).enqueue(watched(tide::cuda::cupti::kKernel, run));
  return kSuccess;
}

}  // namespace fake
