// Wraps the real libcudnn (TIDE_REAL_CUDNN, 9.8 or newer) and passes it the description of an H200
// instead of a handle: it checks descriptors, chooses engines and makes plans as on such a machine,
// without a GPU. Plans are not executed.
#include <dlfcn.h>

#include <string_view>

#include "runtime/cuda/libraries/dnn_api.h"

namespace {

using namespace tide::cuda;
using namespace tide::cuda::dnn;

constexpr auto kDescribedDevice = static_cast<Kind>(38);
constexpr auto kDescription = static_cast<Property>(2702);
constexpr auto kHeuristicsDevice = static_cast<Property>(204),
               kPlanDevice = static_cast<Property>(407);
constexpr auto kCharacters = static_cast<Type>(24);

constexpr std::string_view kH200 = R"({"deviceName": "NVIDIA H200", "cudaDeviceId": 0,
  "deviceVer": 900, "driverVer": 13000, "isTccDriver": 0, "l2CacheSize": 62914560,
  "maxBlockSize": [1024, 1024, 64], "maxGridSize": [2147483647, 65535, 65535],
  "maxCtasPerSM": 32, "maxRegistersPerSM": 65536, "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 232448, "maxThreadsPerBlock": 1024, "maxThreadsPerSM": 2048,
  "memClockRateKHz": 3201000, "multiProcessorCount": 132, "pciDeviceId": 0,
  "regsPerBlock": 65536, "reservedSharedMemoryPerBlock": 1024, "smClockRateKHz": 1980000,
  "supportCoopLaunch": 1, "totalGlobalMem": 150000000000, "warpSize": 32})";

const Table& real() {
  static const Table table = [] {
    void* library = dlopen(TIDE_REAL_CUDNN, RTLD_NOW | RTLD_LOCAL);
    Table found;
    if (!library) return found;
#define TIDE_FIND(member, name, parameters) \
  found.member = reinterpret_cast<decltype(found.member)>(dlsym(library, name));
    TIDE_CUDA_DNN(TIDE_FIND)
#undef TIDE_FIND
    found.version = reinterpret_cast<decltype(found.version)>(dlsym(library, "cudnnGetVersion"));
    return found;
  }();
  return table;
}

Descriptor device = nullptr;

}  // namespace

#define TIDE_EXPORT extern "C" __attribute__((visibility("default")))

TIDE_EXPORT size_t cudnnGetVersion() {
  constexpr size_t kTakesDescriptions = 90800;
  const size_t version = real().version ? real().version() : 0;
  return version < kTakesDescriptions ? 0 : version;
}

TIDE_EXPORT Status cudnnCreate(Handle* handle) {
  *handle = &device;
  if (const Status status = real().create_descriptor(kDescribedDevice, &device)) return status;
  if (const Status status =
          real().set(device, kDescription, kCharacters, kH200.size(), kH200.data()))
    return status;
  return real().finalize(device);
}

TIDE_EXPORT Status cudnnSetStream(Handle, CudaStream) { return 0; }

TIDE_EXPORT Status cudnnBackendCreateDescriptor(Kind kind, Descriptor* made) {
  const Status status = real().create_descriptor(kind, made);
  if (status == 0 && kind == Kind::heuristics)
    return real().set(*made, kHeuristicsDevice, Type::descriptor, 1, &device);
  if (status == 0 && kind == Kind::plan)
    return real().set(*made, kPlanDevice, Type::descriptor, 1, &device);
  return status;
}

TIDE_EXPORT Status cudnnBackendDestroyDescriptor(Descriptor descriptor) {
  return real().destroy_descriptor(descriptor);
}

TIDE_EXPORT Status cudnnBackendSetAttribute(Descriptor descriptor, Property property, Type type,
                                            int64_t count, const void* values) {
  if (property == Property::graph_handle || property == Property::plan_handle)
    return type == Type::handle && count == 1 ? 0 : 2000;
  return real().set(descriptor, property, type, count, values);
}

TIDE_EXPORT Status cudnnBackendGetAttribute(Descriptor descriptor, Property property, Type type,
                                            int64_t capacity, int64_t* count, void* values) {
  return real().get(descriptor, property, type, capacity, count, values);
}

TIDE_EXPORT Status cudnnBackendFinalize(Descriptor descriptor) {
  return real().finalize(descriptor);
}

TIDE_EXPORT Status cudnnBackendExecute(Handle, Descriptor, Descriptor) { return 0; }
