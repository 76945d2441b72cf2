// The CUDA driver: opened at run time, when it is first asked for, and never linked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/error.h"
#include "runtime/cuda/driver/driver_api.h"

namespace tide::cuda {

/// The oldest driver that works (530): kernels are written as PTX 8.1, that of CUDA 12.1, the first
/// that has parameters of more than 4 KB.
constexpr int kOldestDriver = 12010;
/// The oldest cards: compute capability 7.5 (Turing), the floor of the compiler of the embedded
/// kernels.
constexpr int kOldestCapability = 75;

/// What the driver says of one device, whether tide can use it or not.
struct DeviceFacts {
  int ordinal = 0;  ///< the driver's number: N of "cuda:N"
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  size_t memory = 0;         ///< bytes
  std::string refusal;       ///< why it cannot be used; empty if it can

  int capability() const { return 10 * major + minor; }
};

/// What was found when the driver was looked for.
struct DriverReport {
  std::string library;  ///< path of the driver's library; empty: none was found
  std::vector<std::string> searched;
  int version = 0;      ///< of CUDA, as the driver reports it: 13000; 0: not known
  std::string problem;  ///< why CUDA cannot be used; empty if it can
  std::string advice;   ///< what to do about it
  /// The machine has a device or a driver, so that a problem is worth a warning.
  bool expected = false;
  std::vector<DeviceFacts> devices;

  bool usable() const { return problem.empty(); }
};

/// Looks for the driver on the first call: in TIDE_CUDA_PATH (folders or a file, separated by
/// colons), then where the system's loader looks. Takes no GPU memory. Thread-safe. TIDE_LOG=1
/// reports on stderr what was found.
const DriverReport& driver_report();

/// From now on the driver shows these of its devices alone, in this order: cuda:0 is the first of
/// them. Sets CUDA_VISIBLE_DEVICES, so that processes that this one starts see the same; where it
/// is set already, the numbers are positions in its list. Throws DeviceError after the first call
/// of driver_report.
void set_visible_devices(std::span<const uint8_t> ordinals);

/// What TIDE_CUDA_MEMORY is set to, in bytes; 0: no limit.
size_t memory_of_environment();

/// The driver's functions; only if the report says that CUDA is usable.
const DriverTable& driver();

/// Whether TIDE_LOG asks for what is found and chosen, on stderr.
bool logging();
/// Prints "tide: cuda: TEXT" to stderr.
void log(const std::string& text);

/// "13.0" for 13000.
std::string version_text(int version);

/// Errors after which the driver refuses all further work on a device: illegal addresses and
/// instructions, traps, uncorrectable memory errors, time-outs.
bool is_lost(Result result);

/// A driver's call that failed: names the call and what the driver says.
class DriverError : public Error {
 public:
  DriverError(const char* call, Result result);
  const Result result;
};

/// Throws MemoryError if the driver lacks memory, else DriverError.
[[noreturn]] void raise(Result result, const char* call);
/// Does so unless `result` is success.
inline void check(Result result, const char* call) {
  if (result != kSuccess) raise(result, call);
}

/// Whether the current context's device has so little memory left that a library's call may have
/// failed for want of it, whatever it says.
bool is_nearly_full();

}  // namespace tide::cuda
