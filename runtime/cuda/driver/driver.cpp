// Finds and opens the driver, and reports the result.
#include "runtime/cuda/driver/driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>

#include "runtime/cuda/driver/library_path.h"
#include "runtime/os/environment.h"
#include "runtime/os/plugin_path.h"

namespace tide::cuda {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libcuda.so.1";
constexpr const char* kNewDriver =
    "install NVIDIA driver 530 or newer (https://www.nvidia.com/drivers), then run `tide info`";

using GetAddress = Result (*)(const char* name, void** address, int version, uint64_t flags,
                              int* status);
using GetVersion = Result (*)(int* version);

std::atomic<bool> is_opened{false};

/// The entries of CUDA_VISIBLE_DEVICES; nullopt if it is not set.
std::optional<std::vector<std::string>> visible_devices() {
  const char* const text = environment_text(Variable::cuda_visible_devices);
  if (!text) return std::nullopt;
  std::vector<std::string> names;
  std::istringstream list(text);
  for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  return names;
}

/// Filled while the driver is opened, because messages of failed calls already need it.
DriverTable table;

/// Whether the PCI bus has an NVIDIA display controller.
bool has_hardware() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/sys/bus/pci/devices", error)) {
    std::string vendor, kind;
    std::ifstream(entry.path() / "vendor") >> vendor;
    std::ifstream(entry.path() / "class") >> kind;
    if (vendor == "0x10de" && kind.starts_with("0x03")) return true;
  }
  return fs::exists("/dev/nvidiactl", error) || fs::exists("/dev/dxg", error);
}

std::string path_of(void* function) {
  Dl_info info{};
  return dladdr(function, &info) && info.dli_fname ? info.dli_fname : kLibrary;
}

std::string refusal_of(const DeviceFacts& device, int compute_mode) {
  constexpr int kProhibited = 2;
  if (device.capability() < kOldestCapability)
    return "its compute capability " + std::to_string(device.major) + "." +
           std::to_string(device.minor) + " is below 7.5, the oldest that tide supports";
  if (compute_mode == kProhibited) return "its compute mode is prohibited (nvidia-smi -c 0)";
  return "";
}

DeviceFacts facts_of(int ordinal) {
  DeviceFacts facts;
  facts.ordinal = ordinal;
  DeviceOrdinal device = 0;
  char name[256] = "";
  int mode = 0;
  check(table.device_get(&device, ordinal), "cuDeviceGet");
  check(table.device_name(name, sizeof name, device), "cuDeviceGetName");
  check(table.device_memory(&facts.memory, device), "cuDeviceTotalMem");
  const auto ask = [&](int* value, Attribute which) {
    check(table.device_attribute(value, which, device), "cuDeviceGetAttribute");
  };
  ask(&facts.major, kCapabilityMajor);
  ask(&facts.minor, kCapabilityMinor);
  ask(&mode, kComputeMode);
  facts.name = name;
  facts.refusal = refusal_of(facts, mode);
  return facts;
}

class Loader {
 public:
  DriverReport run() {
    if (find_library() && read_version() && find_functions() && start()) list_devices();
    report_.expected = report_.expected || !report_.library.empty();
    if (logging()) log_report();
    return std::move(report_);
  }

 private:
  bool fail(std::string problem, std::string advice) {
    report_.problem = std::move(problem);
    report_.advice = std::move(advice);
    return false;
  }

  bool find_library() {
    std::vector<std::string> paths = requested_paths(kLibrary);
    report_.expected = environment_text(Variable::cuda_path) != nullptr;
    paths.insert(paths.end(), {kLibrary, "/usr/local/nvidia/lib64/libcuda.so.1",
                               "/usr/lib/wsl/lib/libcuda.so.1"});
    std::string reason;
    for (const std::string& path : paths) {
      report_.searched.push_back(path);
      // Never closed: the driver has threads of its own.
      library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (library_) return true;
      const char* error = dlerror();
      std::error_code ignored;
      if (reason.empty() && error && fs::exists(path, ignored)) reason = error;
    }
    if (!reason.empty()) {
      report_.expected = true;
      return fail("the driver's library cannot be loaded: " + reason, kNewDriver);
    }
    if (!has_hardware())
      return fail(
          "no NVIDIA driver (libcuda.so.1) and no NVIDIA GPU found",
          "nothing, unless this machine has one; the cpu and the simulated accelerators work");
    report_.expected = true;
    return fail(
        "found an NVIDIA GPU, but no driver for it (libcuda.so.1)",
        std::string(kNewDriver) + "; in a container, pass the GPU through (docker run --gpus all)");
  }

  bool read_version() {
    const auto version = reinterpret_cast<GetVersion>(dlsym(library_, "cuDriverGetVersion"));
    if (!version) {
      report_.library = report_.searched.back();
      return fail(report_.library + " is not a CUDA driver: it has no cuDriverGetVersion",
                  kNewDriver);
    }
    report_.library = path_of(reinterpret_cast<void*>(version));
    if (version(&report_.version) != kSuccess)
      return fail("the driver does not report its version", kNewDriver);
    if (report_.version >= kOldestDriver) return true;
    return fail("the driver is too old: it supports CUDA " + version_text(report_.version) +
                    ", tide needs " + version_text(kOldestDriver) + " or newer",
                kNewDriver);
  }

  bool find_functions() {
    const auto get = reinterpret_cast<GetAddress>(dlsym(library_, "cuGetProcAddress_v2"));
    std::string missing = get ? "" : "cuGetProcAddress_v2";
    const auto find = [&](const char* name) -> void* {
      void* address = nullptr;
      int status = 0;
      if (get && get(name, &address, kInterfaceVersion, 0, &status) == kSuccess && address)
        return address;
      if (get) missing += (missing.empty() ? "" : ", ") + std::string(name);
      return nullptr;
    };
#define TIDE_FIND(member, name, parameters) \
  table.member = reinterpret_cast<decltype(table.member)>(find(name));
    TIDE_CUDA_DRIVER(TIDE_FIND)
#undef TIDE_FIND
    if (missing.empty()) return true;
    return fail("the driver lacks " + missing + ": its files are of different versions",
                kNewDriver);
  }

  bool start() {
    const Result started = table.init(0);
    int count = 0;
    const Result counted = started == kSuccess ? table.device_count(&count) : started;
    if (counted == kSuccess && count > 0) return true;
    if (counted != kSuccess && counted != kNoDevice) {
      const char* text = nullptr;
      table.error_text(counted, &text);
      return fail("the driver cannot start: " + std::string(text ? text : "error ") + " (" +
                      std::to_string(counted) + ")",
                  "see the system log (dmesg); if the driver was updated while in use, restart the "
                  "machine");
    }
    const char* visible = environment_text(Variable::cuda_visible_devices);
    if (visible)
      return fail(
          "the driver shows no device: CUDA_VISIBLE_DEVICES is \"" + std::string(visible) + "\"",
          "unset CUDA_VISIBLE_DEVICES, or list existing devices in it");
    return fail("the driver finds no device",
                "check whether nvidia-smi lists one; in a container, pass the GPU through");
  }

  void list_devices() {
    std::string refusals;
    bool any = false;
    try {
      int count = 0;
      check(table.device_count(&count), "cuDeviceGetCount");
      for (int i = 0; i < std::min(count, 256); ++i) {
        report_.devices.push_back(facts_of(i));
        const DeviceFacts& device = report_.devices.back();
        any = any || device.refusal.empty();
        refusals += (refusals.empty() ? "" : "; ") + device.name + ": " + device.refusal;
      }
    } catch (const DriverError& error) {
      fail(error.what(), kNewDriver);
      return;
    }
    if (any) return;
    const bool is_old = std::ranges::any_of(report_.devices, [](const DeviceFacts& device) {
      return device.capability() < kOldestCapability;
    });
    fail("no device can be used: " + refusals,
         is_old ? "use a card of compute capability 7.5 or newer"
                : "ask an administrator to allow it: nvidia-smi -c 0");
  }

  void log_report() const {
    std::string text = "driver " + (report_.library.empty() ? "not found" : report_.library);
    if (report_.version) text += ", CUDA " + version_text(report_.version);
    if (const char* visible = environment_text(Variable::cuda_visible_devices))
      text += std::string(", CUDA_VISIBLE_DEVICES=") + visible;
    log(text);
    for (const DeviceFacts& device : report_.devices)
      log("cuda:" + std::to_string(device.ordinal) + " is " + device.name + ", " +
          (device.refusal.empty() ? "visible" : "not used: " + device.refusal));
    if (!report_.usable()) log("not used: " + report_.problem);
  }

  DriverReport report_;
  void* library_ = nullptr;
};

std::string error_message(const char* call, Result result) {
  const char *name = nullptr, *text = nullptr;
  if (table.error_name) table.error_name(result, &name);
  if (table.error_text) table.error_text(result, &text);
  std::string message = std::string(call) + ": " + (text ? text : "unknown error") + " (" +
                        (name ? name : std::to_string(result)) + ")";
  if (is_lost(result))
    message +=
        ": the device and its memory are lost: restart the process to use it; other devices keep "
        "working";
  return message;
}

}  // namespace

bool is_lost(Result result) {
  // Errors after which the process must be restarted, according to CUDA's documentation, and a
  // destroyed context.
  switch (result) {
    case 214:  // CUDA_ERROR_ECC_UNCORRECTABLE
    case 220:  // CUDA_ERROR_NVLINK_UNCORRECTABLE
    case 226:  // CUDA_ERROR_CONTAINED
    case 700:  // CUDA_ERROR_ILLEGAL_ADDRESS
    case 702:  // CUDA_ERROR_LAUNCH_TIMEOUT
    case 709:  // CUDA_ERROR_CONTEXT_IS_DESTROYED
    case 710:  // CUDA_ERROR_ASSERT
    case 714:  // CUDA_ERROR_HARDWARE_STACK_ERROR
    case 715:  // CUDA_ERROR_ILLEGAL_INSTRUCTION
    case 716:  // CUDA_ERROR_MISALIGNED_ADDRESS
    case 717:  // CUDA_ERROR_INVALID_ADDRESS_SPACE
    case 718:  // CUDA_ERROR_INVALID_PC
    case 719:  // CUDA_ERROR_LAUNCH_FAILED
    case 721:  // CUDA_ERROR_TENSOR_MEMORY_LEAK
    case 810:  // CUDA_ERROR_MPS_CLIENT_TERMINATED
      return true;
    default:
      return false;
  }
}

const DriverReport& driver_report() {
  // Never destroyed: queues use the driver until the process ends.
  static const DriverReport& report = *new DriverReport([] {
    is_opened = true;
    return Loader().run();
  }());
  return report;
}

void set_visible_devices(std::span<const uint8_t> ordinals) {
  if (is_opened)
    throw DeviceError(
        "cuda.set_visible_devices: CUDA is already in use: call it before anything "
        "that uses CUDA devices, such as cuda.is_available");
  const auto before = visible_devices();
  std::string list;
  for (const uint8_t ordinal : ordinals) {
    if (before && ordinal >= before->size())
      throw DeviceError("cuda.set_visible_devices: cuda:" + std::to_string(ordinal) +
                        " is not visible: CUDA_VISIBLE_DEVICES is \"" +
                        environment_text(Variable::cuda_visible_devices) + "\"");
    list += (list.empty() ? "" : ",") + (before ? (*before)[ordinal] : std::to_string(ordinal));
  }
  // Threads that read the environment at the same time may see the old value, which stays valid.
  setenv(name_of(Variable::cuda_visible_devices), ordinals.empty() ? "-1" : list.c_str(), 1);
}

size_t memory_of_environment() {
  return static_cast<size_t>(environment_number(Variable::cuda_memory, 0, 0, 1e18));
}

const DriverTable& driver() { return table; }

bool logging() {
  static const bool wanted = environment_flag(Variable::log);
  return wanted;
}

void log(const std::string& text) { std::fprintf(stderr, "tide: cuda: %s\n", text.c_str()); }

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DriverError::DriverError(const char* call, Result code)
    : Error(error_message(call, code)), result(code) {}

void raise(Result result, const char* call) {
  if (result == kOutOfMemory) throw LaunchShortage(error_message(call, result));
  throw DriverError(call, result);
}

bool is_nearly_full() {
  constexpr size_t kLibraryNeeds = size_t{64} << 20;  // a module of kernels, and their local memory
  size_t available = 0, total = 0;
  return driver().memory_info(&available, &total) == kSuccess && available < kLibraryNeeds;
}

}  // namespace tide::cuda
