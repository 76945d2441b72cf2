#include "runtime/cuda/launch/embedded_kernels.h"

#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>
#include <unordered_map>

#include "runtime/cuda/driver/driver.h"
#include "runtime/os/plugin_path.h"

namespace tide::cuda {
namespace {

using Find = const char* (*)(const char* file);

/// `architecture`: 80 for machine code of sm_80; 0 for PTX.
std::string plugin_of(int architecture) {
  return "tide-cuda" + (architecture ? "-" + std::to_string(architecture) : "") + ".so";
}

bool has_plugin(int architecture) {
  std::error_code error;
  return std::filesystem::exists(plugin_path(plugin_of(architecture).c_str()), error);
}

Find open_plugin(int architecture) {
  if (!has_plugin(architecture)) return nullptr;
  return reinterpret_cast<Find>(plugin_entry(plugin_of(architecture).c_str(), "tide_cuda_kernels"));
}

const char* find(const char* file, int architecture) {
  static std::mutex mutex;
  static std::unordered_map<int, Find> plugins;
  std::lock_guard lock(mutex);
  auto found = plugins.find(architecture);
  if (found == plugins.end())
    found = plugins.emplace(architecture, open_plugin(architecture)).first;
  return found->second ? found->second(file) : nullptr;
}

}  // namespace

const char* embedded_ptx(const char* file) { return find(file, 0); }

const void* embedded_binary(const char* file, int capability) {
  // Machine code runs on later devices of the same major number.
  for (int architecture = capability; architecture >= capability / 10 * 10; --architecture)
    if (const char* binary = find(file, architecture)) return binary;
  return nullptr;
}

std::vector<std::string> embedded_architectures() {
  constexpr int kNewest = 129;
  std::vector<std::string> names;
  for (int architecture = kOldestCapability; architecture <= kNewest; ++architecture)
    if (has_plugin(architecture)) names.push_back("sm_" + std::to_string(architecture));
  if (has_plugin(0)) names.push_back("compute_" + std::to_string(kOldestCapability));
  return names;
}

}  // namespace tide::cuda
