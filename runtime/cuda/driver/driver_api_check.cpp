// Compares driver_api.h with the toolkit's header at compile time.
#include <cuda.h>
#include <cudaTypedefs.h>

#include <type_traits>

#include "runtime/cuda/driver/check_calls.h"
#include "runtime/cuda/driver/driver_api.h"

namespace tide::cuda {
namespace {

static_assert(kSuccess == CUDA_SUCCESS && kOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(kNoDevice == CUDA_ERROR_NO_DEVICE && kNotReady == CUDA_ERROR_NOT_READY);
static_assert(kPeerAccessAlreadyEnabled == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
static_assert(kDeviceUnavailable == CUDA_ERROR_DEVICE_UNAVAILABLE);
static_assert(kMaxThreadsPerBlock == int{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK});
static_assert(kSharedMemoryPerBlock == int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK});
static_assert(kWarpSize == int{CU_DEVICE_ATTRIBUTE_WARP_SIZE});
static_assert(kClockRate == int{CU_DEVICE_ATTRIBUTE_CLOCK_RATE});
static_assert(kMultiprocessors == int{CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT});
static_assert(kIntegrated == int{CU_DEVICE_ATTRIBUTE_INTEGRATED});
static_assert(kComputeMode == int{CU_DEVICE_ATTRIBUTE_COMPUTE_MODE});
static_assert(kEccEnabled == int{CU_DEVICE_ATTRIBUTE_ECC_ENABLED});
static_assert(kPciBus == int{CU_DEVICE_ATTRIBUTE_PCI_BUS_ID});
static_assert(kPciDevice == int{CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID});
static_assert(kPciDomain == int{CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID});
static_assert(kMemoryClockRate == int{CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE});
static_assert(kMemoryBusWidth == int{CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH});
static_assert(kL2CacheBytes == int{CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE});
static_assert(kMaxThreadsPerMultiprocessor ==
              int{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR});
static_assert(kCapabilityMajor == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR});
static_assert(kCapabilityMinor == int{CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR});
static_assert(kFunctionSharedBytes == int{CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES});
static_assert(kFunctionLocalBytes == int{CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES});
static_assert(kFunctionMostShared == int{CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES});
static_assert(kSharedMemoryPerBlockOptIn ==
              int{CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN});
static_assert(kFunctionRegisters == int{CU_FUNC_ATTRIBUTE_NUM_REGS});
static_assert(kStreamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(kEventTiming == CU_EVENT_DEFAULT && kEventNoTiming == CU_EVENT_DISABLE_TIMING);
static_assert(kHostPortable == CU_MEMHOSTALLOC_PORTABLE &&
              kHostPortable == CU_MEMHOSTREGISTER_PORTABLE);
static_assert(kJitErrorBuffer == int{CU_JIT_ERROR_LOG_BUFFER});
static_assert(kJitErrorBufferBytes == int{CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES});
static_assert(sizeof(DevicePointer) == sizeof(CUdeviceptr));
static_assert(sizeof(KernelNode) == sizeof(CUDA_KERNEL_NODE_PARAMS_v2));
static_assert(offsetof(KernelNode, grid_x) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, gridDimX));
static_assert(offsetof(KernelNode, block_x) == offsetof(CUDA_KERNEL_NODE_PARAMS_v2, blockDimX));
static_assert(offsetof(KernelNode, shared_bytes) ==
              offsetof(CUDA_KERNEL_NODE_PARAMS_v2, sharedMemBytes));
static_assert(offsetof(KernelNode, parameters) ==
              offsetof(CUDA_KERNEL_NODE_PARAMS_v2, kernelParams));
static_assert(std::is_same_v<DeviceOrdinal, CUdevice>);

#define TIDE_SAME(member, type) static_assert(same_call(decltype(DriverTable::member)(), type()))
TIDE_SAME(init, PFN_cuInit_v2000);
TIDE_SAME(device_count, PFN_cuDeviceGetCount_v2000);
TIDE_SAME(device_get, PFN_cuDeviceGet_v2000);
TIDE_SAME(device_name, PFN_cuDeviceGetName_v2000);
TIDE_SAME(device_attribute, PFN_cuDeviceGetAttribute_v2000);
TIDE_SAME(device_memory, PFN_cuDeviceTotalMem_v3020);
TIDE_SAME(context_retain, PFN_cuDevicePrimaryCtxRetain_v7000);
TIDE_SAME(context_release, PFN_cuDevicePrimaryCtxRelease_v11000);
TIDE_SAME(context_use, PFN_cuCtxSetCurrent_v4000);
TIDE_SAME(can_access_peer, PFN_cuDeviceCanAccessPeer_v4000);
TIDE_SAME(enable_peer_access, PFN_cuCtxEnablePeerAccess_v4000);
TIDE_SAME(memory_info, PFN_cuMemGetInfo_v3020);
TIDE_SAME(allocate, PFN_cuMemAlloc_v3020);
TIDE_SAME(release, PFN_cuMemFree_v3020);
TIDE_SAME(host_allocate, PFN_cuMemHostAlloc_v2020);
TIDE_SAME(host_register, PFN_cuMemHostRegister_v6050);
TIDE_SAME(host_unregister, PFN_cuMemHostUnregister_v4000);
TIDE_SAME(host_release, PFN_cuMemFreeHost_v2000);
TIDE_SAME(copy, PFN_cuMemcpyAsync_v4000);
TIDE_SAME(copy_to_device, PFN_cuMemcpyHtoDAsync_v3020);
TIDE_SAME(copy_to_host, PFN_cuMemcpyDtoHAsync_v3020);
TIDE_SAME(copy_within, PFN_cuMemcpyDtoDAsync_v3020);
TIDE_SAME(fill_words, PFN_cuMemsetD32Async_v3020);
TIDE_SAME(stream_create, PFN_cuStreamCreate_v2000);
TIDE_SAME(stream_synchronize, PFN_cuStreamSynchronize_v2000);
TIDE_SAME(stream_wait, PFN_cuStreamWaitEvent_v3020);
TIDE_SAME(event_create, PFN_cuEventCreate_v2000);
TIDE_SAME(event_record, PFN_cuEventRecord_v2000);
TIDE_SAME(event_query, PFN_cuEventQuery_v2000);
TIDE_SAME(event_synchronize, PFN_cuEventSynchronize_v2000);
TIDE_SAME(event_elapsed, PFN_cuEventElapsedTime_v2000);
TIDE_SAME(event_destroy, PFN_cuEventDestroy_v4000);
TIDE_SAME(host_function, PFN_cuLaunchHostFunc_v10000);
TIDE_SAME(module_load, PFN_cuModuleLoadDataEx_v2010);
TIDE_SAME(module_function, PFN_cuModuleGetFunction_v2000);
TIDE_SAME(function_attribute, PFN_cuFuncGetAttribute_v2020);
TIDE_SAME(set_function_attribute, PFN_cuFuncSetAttribute_v9000);
TIDE_SAME(potential_block, PFN_cuOccupancyMaxPotentialBlockSize_v6050);
TIDE_SAME(resident_blocks, PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor_v6050);
TIDE_SAME(launch, PFN_cuLaunchKernel_v4000);
TIDE_SAME(graph_create, PFN_cuGraphCreate_v10000);
TIDE_SAME(graph_add_kernel, PFN_cuGraphAddKernelNode_v12000);
TIDE_SAME(graph_instantiate, PFN_cuGraphInstantiateWithFlags_v11040);
TIDE_SAME(graph_set_kernel, PFN_cuGraphExecKernelNodeSetParams_v12000);
TIDE_SAME(graph_launch, PFN_cuGraphLaunch_v10000);
TIDE_SAME(graph_executable_destroy, PFN_cuGraphExecDestroy_v10000);
TIDE_SAME(graph_destroy, PFN_cuGraphDestroy_v10000);
TIDE_SAME(error_name, PFN_cuGetErrorName_v6000);
TIDE_SAME(error_text, PFN_cuGetErrorString_v6000);
#undef TIDE_SAME

}  // namespace
}  // namespace tide::cuda
