// The CUDA driver: opened at run time on first use, not linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/cuda/driver/driver_api.h"
#include "runtime/device/launch_shortage.h"

namespace tide::cuda {

/// The oldest supported driver (530): kernels are PTX 8.1 (CUDA 12.1), the first version with
/// parameters of more than 4 KB.
constexpr int kOldestDriver = 12010;
/// The oldest supported GPUs: compute capability 7.5 (Turing), the minimum of the compiler of the
/// embedded kernels.
constexpr int kOldestCapability = 75;

/// What the driver reports about one device, whether or not tide can use it.
struct DeviceFacts {
  int ordinal = 0;  ///< the driver's number: N of "cuda:N"
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  size_t memory = 0;         ///< bytes
  std::string refusal;       ///< why it cannot be used; empty if it can

  int capability() const { return 10 * major + minor; }
};

/// The result of the search for the driver.
struct DriverReport {
  std::string library;  ///< path of the driver's library; empty if not found
  std::vector<std::string> searched;
  int version = 0;      ///< CUDA version, as the driver reports it: 13000; 0 if unknown
  std::string problem;  ///< why CUDA cannot be used; empty if it can
  std::string advice;   ///< the likely fix
  /// The machine has a device or a driver, so a problem deserves a warning.
  bool expected = false;
  std::vector<DeviceFacts> devices;

  bool usable() const { return problem.empty(); }
};

/// Looks for the driver on the first call: in TIDE_CUDA_PATH (folders or a file, separated by
/// colons), then in the dynamic linker's search path. Uses no GPU memory. Thread-safe. TIDE_LOG=1
/// prints the result to stderr.
const DriverReport& driver_report();

/// Makes only these devices visible, in this order: cuda:0 is the first of them. Sets
/// CUDA_VISIBLE_DEVICES, which child processes inherit; if it is already set, the ordinals are
/// positions in its list. Throws DeviceError after the first call of driver_report.
void set_visible_devices(std::span<const uint8_t> ordinals);

/// The value of TIDE_CUDA_MEMORY in bytes; 0: no limit.
size_t memory_of_environment();

/// The driver's functions; valid only if driver_report().usable().
const DriverTable& driver();

/// Whether TIDE_LOG is set: the driver and libraries that are found are printed to stderr.
bool logging();
/// Prints "tide: cuda: TEXT" to stderr.
void log(const std::string& text);

/// "13.0" for 13000.
std::string version_text(int version);

/// Errors after which the driver rejects all further work on a device: illegal addresses and
/// instructions, traps, uncorrectable memory errors, time-outs.
bool is_lost(Result result);

/// A failed call of the driver; the message has the call and the driver's description.
class DriverError : public Error {
 public:
  DriverError(const char* call, Result result);
  const Result result;
};

/// Throws LaunchShortage if memory ran out, else DriverError.
[[noreturn]] void raise(Result result, const char* call);
/// Raises the error unless `result` is success.
inline void check(Result result, const char* call) {
  if (result != kSuccess) raise(result, call);
}

/// Whether the current context's device has so little memory left that this may be why a library's
/// call failed, whatever error it returned.
bool is_nearly_full();

}  // namespace tide::cuda
