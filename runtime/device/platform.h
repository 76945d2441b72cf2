// A kind of device: which devices exist, their capabilities and reports.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device/device_report.h"
#include "runtime/ir/compute_op.h"
#include "runtime/types/device.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

namespace tide {

class Backend;

/// The capabilities of a kind of device. Ops query them, never the kind itself.
struct Capabilities {
  /// Compute ops that are slower there than their composition, or have no kernel.
  std::span<const ComputeOp> composed = {};
  /// Convolutions and pools accept and return channels-last planes without conversion.
  bool channels_last = false;
  /// A convolution adds its bias without another pass over the result.
  bool convolution_takes_bias = true;
  /// Matrix units multiply half-precision factors, accumulating in float32.
  bool half_products = false;
  /// Launches are expensive and caches large, so a few large parts are faster than many small ones.
  bool large_parts = false;
  /// Transfers from pinned host memory overlap with other work.
  bool pins_host_memory = false;
  /// The host's cores do the arithmetic: on the cpu, and on accelerators simulated on it.
  bool runs_on_host = true;
  /// The half type that autocast uses by default.
  DType autocast_type = DType::bf16;
};

/// A kind of device. Information that a kind lacks is empty.
class Platform {
 public:
  explicit Platform(const Capabilities& known) : capabilities(known) {}
  virtual ~Platform() = default;
  Platform(const Platform&) = delete;

  const Capabilities capabilities;

  /// The indices of the usable devices.
  virtual std::vector<uint8_t> devices() const = 0;
  /// Whether the device with this index is usable.
  virtual bool has(uint8_t index) const = 0;
  /// The backend of a device's first stream; null if there is no such device. Throws if the device
  /// cannot be set up.
  virtual std::unique_ptr<Backend> make_backend(uint8_t index) const = 0;

  /// A short description of a usable device: "8 threads, haswell".
  virtual std::string name(uint8_t index) const = 0;
  /// Details about this kind, for `tide info`: lines of text.
  virtual std::string description() const { return {}; }
  /// The versions of its driver: "driver 580.65.06    CUDA 13.0".
  virtual std::string versions() const { return {}; }
  /// Why none of its devices is usable although the kind is supported, and how to fix it: "CUDA
  /// cannot be used: ...".
  virtual std::string problem() const { return {}; }
  /// Prints the problem to stderr, with the fix, if devices are expected here; once per process.
  virtual void warn_if_broken() const {}
  /// The properties of a usable device.
  virtual std::optional<DeviceProperties> properties(uint8_t) const { return std::nullopt; }
  /// The current state of a usable device.
  virtual std::optional<DeviceStatus> status(uint8_t) const { return std::nullopt; }
  /// The state of all devices of the kind in this machine, usable by this process or not.
  virtual std::vector<DeviceStatus> statuses() const { return {}; }
  /// Restricts the kind to these devices, in this order, numbered from 0. Throws DeviceError after
  /// the kind has been asked for its devices, or if they cannot be chosen.
  virtual void set_visible_devices(std::span<const uint8_t>) const {
    throw DeviceError("set_visible_devices: devices of this kind cannot be chosen");
  }
  /// The targets of its compiled kernels: "sm_90" for machine code, "compute_75" for code that the
  /// driver compiles for any device from 7.5 on.
  virtual std::vector<std::string> architectures() const { return {}; }
  /// The folder of its compiled kernels.
  virtual std::string kernel_cache_folder() const { return {}; }

  /// Number of host threads that compute for a device.
  virtual int threads() const { return 1; }
  /// Sets the number of threads, 1 or more, between two steps of the queue. Throws Error.
  virtual void set_threads(int) const {}
};

}  // namespace tide
