#include "runtime/cuda/launch/embedded_kernels.h"

#include <filesystem>
#include <system_error>

#include "runtime/core/plugin_path.h"

namespace tide::cuda {
namespace {

/// Of one architecture (80: sm_80), or PTX for 0.
using Find = const char* (*)(const char* file, int architecture);

Find open_plugin() {
  constexpr const char* kPluginFile = "tide-cuda.so";
  std::error_code error;
  if (!std::filesystem::exists(plugin_path(kPluginFile), error)) return nullptr;
  return reinterpret_cast<Find>(plugin_entry(kPluginFile, "tide_cuda_kernels"));
}

const char* find(const char* file, int architecture) {
  static const Find entry = open_plugin();
  return entry ? entry(file, architecture) : nullptr;
}

}  // namespace

const char* embedded_ptx(const char* file) { return find(file, 0); }

const void* embedded_binary(const char* file, int capability) {
  // Machine code runs on later devices of the same major number.
  for (int architecture = capability; architecture >= capability / 10 * 10; --architecture)
    if (const char* binary = find(file, architecture)) return binary;
  return nullptr;
}

}  // namespace tide::cuda
