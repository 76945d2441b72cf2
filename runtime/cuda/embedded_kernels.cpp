#include "runtime/cuda/embedded_kernels.h"

#include <filesystem>
#include <system_error>

#include "runtime/core/plugin_path.h"

namespace tide::cuda {
namespace {

using Find = const char* (*)(const char* file);

Find open_plugin() {
  constexpr const char* kPluginFile = "tide-cuda.so";
  std::error_code error;
  if (!std::filesystem::exists(plugin_path(kPluginFile), error)) return nullptr;
  return reinterpret_cast<Find>(plugin_entry(kPluginFile, "tide_cuda_kernels"));
}

}  // namespace

const char* embedded_ptx(const char* file) {
  static const Find find = open_plugin();
  return find ? find(file) : nullptr;
}

}  // namespace tide::cuda
