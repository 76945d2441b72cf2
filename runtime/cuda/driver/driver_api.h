// The part of the CUDA driver's interface that tide uses, declared here so that the build does not
// need the toolkit.
//
// driver_api_check.cpp compares every constant and type with the toolkit's cuda.h if that is
// installed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tide::cuda {

using Result = int;  ///< CUresult
constexpr Result kSuccess = 0;
constexpr Result kOutOfMemory = 2;
constexpr Result kDeviceUnavailable = 46;
constexpr Result kNoDevice = 100;
constexpr Result kNotReady = 600;
constexpr Result kPeerAccessAlreadyEnabled = 704;

using DeviceOrdinal = int;       ///< CUdevice
using DevicePointer = uint64_t;  ///< CUdeviceptr
struct ContextHandle;            // the targets of CUcontext, CUstream, ...
struct StreamHandle;
struct EventHandle;
struct ModuleHandle;
struct FunctionHandle;
struct GraphHandle;
struct GraphExecHandle;
struct GraphNodeHandle;
using Context = ContextHandle*;
using CudaStream = StreamHandle*;
using Event = EventHandle*;
using Module = ModuleHandle*;
using Function = FunctionHandle*;
using Graph = GraphHandle*;
using GraphExec = GraphExecHandle*;
using GraphNode = GraphNodeHandle*;
using HostFunction = void (*)(void*);
using SharedBytes = size_t (*)(int threads);  ///< CUoccupancyB2DSize

/// The CUdevice_attribute values that tide queries.
enum Attribute : int {
  kMaxThreadsPerBlock = 1,
  kSharedMemoryPerBlock = 8,
  kWarpSize = 10,
  kClockRate = 13,  ///< kHz
  kMultiprocessors = 16,
  kIntegrated = 18,
  kComputeMode = 20,
  kEccEnabled = 32,
  kPciBus = 33,
  kPciDevice = 34,
  kMemoryClockRate = 36,  ///< kHz
  kMemoryBusWidth = 37,   ///< bits
  kL2CacheBytes = 38,
  kMaxThreadsPerMultiprocessor = 39,
  kPciDomain = 50,
  kCapabilityMajor = 75,
  kCapabilityMinor = 76,
  kSharedMemoryPerBlockOptIn = 97
};

/// CUDA_KERNEL_NODE_PARAMS: a kernel node of a graph.
struct KernelNode {
  Function function;
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  void** parameters;
  void** extra;
  void* kernel;     ///< alternative to `function`
  Context context;  ///< of `kernel`
};

/// CUfunction_attribute: bytes of static shared memory per block, bytes of local memory per thread,
/// registers per thread, the maximum of dynamic shared memory per launch.
constexpr int kFunctionSharedBytes = 1, kFunctionLocalBytes = 3, kFunctionRegisters = 4,
              kFunctionMostShared = 8;

constexpr unsigned kStreamNonBlocking = 1;  ///< CU_STREAM_NON_BLOCKING
constexpr unsigned kEventTiming = 0;        ///< CU_EVENT_DEFAULT
constexpr unsigned kEventNoTiming = 2;      ///< CU_EVENT_DISABLE_TIMING
constexpr unsigned kHostPortable = 1;       ///< CU_MEMHOSTALLOC_PORTABLE, and ..REGISTER..
constexpr unsigned kHostMapped = 2;         ///< CU_MEMHOSTALLOC_DEVICEMAP
/// CUjit_option: a buffer for the compiler's errors, and its size.
constexpr int kJitErrorBuffer = 5, kJitErrorBufferBytes = 6;

/// Entry points: X(member, name in the driver, parameters). All return a Result. The ABI is that of
/// CUDA 12.0 (kInterfaceVersion), which later drivers still support.
#define TIDE_CUDA_DRIVER(X)                                                                        \
  X(init, "cuInit", (unsigned flags))                                                              \
  X(device_count, "cuDeviceGetCount", (int* count))                                                \
  X(device_get, "cuDeviceGet", (DeviceOrdinal * device, int ordinal))                              \
  X(device_name, "cuDeviceGetName", (char* name, int size, DeviceOrdinal device))                  \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, Attribute which, DeviceOrdinal device)) \
  X(device_memory, "cuDeviceTotalMem", (size_t * bytes, DeviceOrdinal device))                     \
  X(context_retain, "cuDevicePrimaryCtxRetain", (Context * context, DeviceOrdinal device))         \
  X(context_release, "cuDevicePrimaryCtxRelease", (DeviceOrdinal device))                          \
  X(context_use, "cuCtxSetCurrent", (Context context))                                             \
  X(can_access_peer, "cuDeviceCanAccessPeer",                                                      \
    (int* possible, DeviceOrdinal device, DeviceOrdinal peer))                                     \
  X(enable_peer_access, "cuCtxEnablePeerAccess", (Context peer, unsigned flags))                   \
  X(memory_info, "cuMemGetInfo", (size_t * available, size_t * total))                             \
  X(allocate, "cuMemAlloc", (DevicePointer * data, size_t bytes))                                  \
  X(release, "cuMemFree", (DevicePointer data))                                                    \
  X(host_allocate, "cuMemHostAlloc", (void** data, size_t bytes, unsigned flags))                  \
  X(host_register, "cuMemHostRegister", (void* data, size_t bytes, unsigned flags))                \
  X(host_unregister, "cuMemHostUnregister", (void* data))                                          \
  X(host_release, "cuMemFreeHost", (void* data))                                                   \
  X(copy, "cuMemcpyAsync",                                                                         \
    (DevicePointer to, DevicePointer from, size_t bytes, CudaStream stream))                       \
  X(copy_to_device, "cuMemcpyHtoDAsync",                                                           \
    (DevicePointer to, const void* from, size_t bytes, CudaStream stream))                         \
  X(copy_to_host, "cuMemcpyDtoHAsync",                                                             \
    (void* to, DevicePointer from, size_t bytes, CudaStream stream))                               \
  X(copy_within, "cuMemcpyDtoDAsync",                                                              \
    (DevicePointer to, DevicePointer from, size_t bytes, CudaStream stream))                       \
  X(fill_words, "cuMemsetD32Async",                                                                \
    (DevicePointer to, unsigned value, size_t count, CudaStream stream))                           \
  X(stream_create, "cuStreamCreate", (CudaStream * stream, unsigned flags))                        \
  X(stream_synchronize, "cuStreamSynchronize", (CudaStream stream))                                \
  X(stream_wait, "cuStreamWaitEvent", (CudaStream stream, Event event, unsigned flags))            \
  X(event_create, "cuEventCreate", (Event * event, unsigned flags))                                \
  X(event_record, "cuEventRecord", (Event event, CudaStream stream))                               \
  X(event_query, "cuEventQuery", (Event event))                                                    \
  X(event_synchronize, "cuEventSynchronize", (Event event))                                        \
  X(event_elapsed, "cuEventElapsedTime", (float* milliseconds, Event from, Event to))              \
  X(event_destroy, "cuEventDestroy", (Event event))                                                \
  X(host_function, "cuLaunchHostFunc", (CudaStream stream, HostFunction function, void* data))     \
  X(module_load, "cuModuleLoadDataEx",                                                             \
    (Module * module, const void* image, unsigned count, int* options, void** values))             \
  X(module_function, "cuModuleGetFunction",                                                        \
    (Function * function, Module module, const char* name))                                        \
  X(function_attribute, "cuFuncGetAttribute", (int* value, int which, Function function))          \
  X(set_function_attribute, "cuFuncSetAttribute", (Function function, int which, int value))       \
  X(potential_block, "cuOccupancyMaxPotentialBlockSize",                                           \
    (int* grid, int* block, Function function, SharedBytes shared_bytes_of, size_t shared_bytes,   \
     int most_threads))                                                                            \
  X(resident_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                \
    (int* blocks, Function function, int threads, size_t shared_bytes))                            \
  X(launch, "cuLaunchKernel",                                                                      \
    (Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,       \
     unsigned block_y, unsigned block_z, unsigned shared_bytes, CudaStream stream,                 \
     void** parameters, void** extra))                                                             \
  X(graph_create, "cuGraphCreate", (Graph * graph, unsigned flags))                                \
  X(graph_add_kernel, "cuGraphAddKernelNode",                                                      \
    (GraphNode * node, Graph graph, const GraphNode* after, size_t after_count,                    \
     const KernelNode* kernel))                                                                    \
  X(graph_instantiate, "cuGraphInstantiateWithFlags",                                              \
    (GraphExec * executable, Graph graph, unsigned long long flags))                               \
  X(graph_set_kernel, "cuGraphExecKernelNodeSetParams",                                            \
    (GraphExec executable, GraphNode node, const KernelNode* kernel))                              \
  X(graph_launch, "cuGraphLaunch", (GraphExec executable, CudaStream stream))                      \
  X(graph_executable_destroy, "cuGraphExecDestroy", (GraphExec executable))                        \
  X(graph_destroy, "cuGraphDestroy", (Graph graph))                                                \
  X(error_name, "cuGetErrorName", (Result error, const char** name))                               \
  X(error_text, "cuGetErrorString", (Result error, const char** text))

/// The ABI version that entry points are requested for.
constexpr int kInterfaceVersion = 12000;

/// The driver's functions.
struct DriverTable {
#define TIDE_MEMBER(member, name, parameters) Result(*member) parameters = nullptr;
  TIDE_CUDA_DRIVER(TIDE_MEMBER)
#undef TIDE_MEMBER
};

}  // namespace tide::cuda
