#include "runtime/cuda/launch/embedded_kernels.h"

#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <unordered_map>

#include "runtime/core/plugin_path.h"

namespace tide::cuda {
namespace {

using Find = const char* (*)(const char* file);

Find open_plugin(const std::string& plugin) {
  std::error_code error;
  if (!std::filesystem::exists(plugin_path(plugin.c_str()), error)) return nullptr;
  return reinterpret_cast<Find>(plugin_entry(plugin.c_str(), "tide_cuda_kernels"));
}

/// `architecture`: 80 for machine code of sm_80; 0 for PTX.
const char* find(const char* file, int architecture) {
  static std::mutex mutex;
  static std::unordered_map<int, Find> plugins;
  std::lock_guard lock(mutex);
  auto place = plugins.find(architecture);
  if (place == plugins.end()) {
    const std::string suffix = architecture ? "-" + std::to_string(architecture) : "";
    place = plugins.emplace(architecture, open_plugin("tide-cuda" + suffix + ".so")).first;
  }
  return place->second ? place->second(file) : nullptr;
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
