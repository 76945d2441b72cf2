// The driver calls that the real cuDNN needs to compile kernels for its plans
// (tests/cuda/described_dnn). They return plausible values and never run anything.
#include <cstddef>

#define TIDE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

char something[4096];

template <class T>
int give(T* place, T value) {
  *place = value;
  return 0;
}

}  // namespace

// The driver's cache of compiled code is not available.
TIDE_EXPORT int cuGetExportTable(const void** table, const void*) {
  *table = nullptr;
  constexpr int kNotInitialized = 3;
  return kNotInitialized;
}

TIDE_EXPORT int cuDeviceGet(int* device, int) { return give(device, 0); }
TIDE_EXPORT int cuDeviceGetCount(int* count) { return give(count, 1); }
TIDE_EXPORT int cuDeviceGetAttribute(int* value, int attribute, int) {
  constexpr int kMajor = 75, kMinor = 76;  // of the compute capability
  return give(value, attribute == kMajor ? 9 : attribute == kMinor ? 0 : 1024);
}
TIDE_EXPORT int cuCtxGetDevice(int* device) { return give(device, 0); }
TIDE_EXPORT int cuCtxGetLimit(size_t* value, int) { return give(value, sizeof something); }
TIDE_EXPORT int cuFuncGetAttribute(int* value, int attribute, void*) {
  constexpr int kMostThreads = 0;
  return give(value, attribute == kMostThreads ? 1024 : 0);
}
TIDE_EXPORT int cuKernelGetAttribute(int* value, int, void*, int) { return give(value, 0); }
TIDE_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* count) { return give(count, 1); }
TIDE_EXPORT int cuOccupancyMaxPotentialClusterSize(int* count) { return give(count, 8); }
TIDE_EXPORT int cuGetErrorName(int, const char** text) { return give(text, "none"); }
TIDE_EXPORT int cuGetErrorString(int, const char** text) { return give(text, "none"); }
TIDE_EXPORT int cuStreamGetCtx(void*, void** context) { return give<void*>(context, something); }
TIDE_EXPORT int cuLinkComplete(void*, void** image, size_t* size) {
  *size = sizeof something;
  return give<void*>(image, something);
}
TIDE_EXPORT int cuLinkCreate(unsigned, void*, void*, void** state) {
  return give<void*>(state, something);
}
TIDE_EXPORT int cuLinkCreate_v2(unsigned, void*, void*, void** state) {
  return give<void*>(state, something);
}
TIDE_EXPORT int cuModuleGetGlobal_v2(void** address, size_t* size) {
  *size = sizeof something;
  return give<void*>(address, something);
}

// Returns an object through the first argument.
#define TIDE_GIVES(name) \
  TIDE_EXPORT int name(void** object) { return give<void*>(object, something); }
TIDE_GIVES(cuCtxGetCurrent)
TIDE_GIVES(cuDevicePrimaryCtxRetain)
TIDE_GIVES(cuLibraryGetKernel)
TIDE_GIVES(cuLibraryLoadData)
TIDE_GIVES(cuLibraryLoadFromFile)
TIDE_GIVES(cuModuleGetFunction)
TIDE_GIVES(cuModuleLoadData)
TIDE_GIVES(cuModuleLoadDataEx)
TIDE_GIVES(cuModuleLoadFatBinary)

// Does nothing.
#define TIDE_DOES_NOTHING(name) \
  TIDE_EXPORT int name() { return 0; }
TIDE_DOES_NOTHING(cuCtxPopCurrent)
TIDE_DOES_NOTHING(cuCtxPushCurrent)
TIDE_DOES_NOTHING(cuDevicePrimaryCtxRelease)
TIDE_DOES_NOTHING(cuDevicePrimaryCtxReset)
TIDE_DOES_NOTHING(cuFuncSetAttribute)
TIDE_DOES_NOTHING(cuInit)
TIDE_DOES_NOTHING(cuKernelSetAttribute)
TIDE_DOES_NOTHING(cuLaunchCooperativeKernel)
TIDE_DOES_NOTHING(cuLaunchKernel)
TIDE_DOES_NOTHING(cuLaunchKernelEx)
TIDE_DOES_NOTHING(cuLibraryUnload)
TIDE_DOES_NOTHING(cuLinkAddData)
TIDE_DOES_NOTHING(cuLinkAddData_v2)
TIDE_DOES_NOTHING(cuLinkAddFile_v2)
TIDE_DOES_NOTHING(cuLinkDestroy)
TIDE_DOES_NOTHING(cuMemcpyDtoH_v2)
TIDE_DOES_NOTHING(cuModuleUnload)
TIDE_DOES_NOTHING(cuStreamSynchronize)
TIDE_DOES_NOTHING(cuTensorMapEncodeTiled)
