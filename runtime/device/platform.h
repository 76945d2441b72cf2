// A kind of device: which devices of it there are, what they do well, what they report.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/core/device.h"
#include "runtime/core/dtype.h"
#include "runtime/core/error.h"
#include "runtime/device/device_report.h"
#include "runtime/ir/compute_op.h"

namespace tide {

class Backend;

/// What the devices of a kind do well. Ops ask here, never which kind of device it is.
struct Capabilities {
  /// Compute ops that are slower there than what they can be composed of, or have no kernel.
  std::span<const ComputeOp> composed = {};
  /// Convolutions and pools take planes channels last, and leave them so, without turning them.
  bool channels_last = false;
  /// A convolution adds its bias without another pass over the result.
  bool convolution_takes_bias = true;
  /// Matrix units multiply factors of half types, with sums of float32.
  bool half_products = false;
  /// Launches are dear and caches large, so that few large parts are faster than many small ones.
  bool large_parts = false;
  /// Transfers from pinned memory of the host overlap with other work.
  bool pins_host_memory = false;
  /// The host's own cores do the arithmetic: the cpu, and accelerators that are simulated on it.
  bool runs_on_host = true;
  /// The half type that autocast takes if none is named.
  DType autocast_type = DType::bf16;
};

/// A kind of device. What a kind does not know of itself is empty.
class Platform {
 public:
  explicit Platform(const Capabilities& known) : capabilities(known) {}
  virtual ~Platform() = default;
  Platform(const Platform&) = delete;

  const Capabilities capabilities;

  /// The numbers of the devices that can be used.
  virtual std::vector<uint8_t> devices() const = 0;
  /// Whether a device of this number can be used.
  virtual bool has(uint8_t index) const = 0;
  /// The backend of a device's first stream; null if there is no such device. Throws if the device
  /// cannot be set up.
  virtual std::unique_ptr<Backend> make_backend(uint8_t index) const = 0;

  /// What a device that can be used is, in a few words: "8 threads, haswell".
  virtual std::string name(uint8_t index) const = 0;
  /// What was found of this kind, for `tide info`: lines of text.
  virtual std::string description() const { return {}; }
  /// The versions of its driver: "driver 580.65.06    CUDA 13.0".
  virtual std::string versions() const { return {}; }
  /// Why none of its devices can be used, though the kind is known, and what to do: "CUDA cannot be
  /// used: ...".
  virtual std::string problem() const { return {}; }
  /// Prints that to stderr, with what to do, if devices are to be expected here; once per process.
  virtual void warn_if_broken() const {}
  /// What a device that can be used is made of.
  virtual std::optional<DeviceProperties> properties(uint8_t) const { return std::nullopt; }
  /// What a device that can be used is doing now.
  virtual std::optional<DeviceStatus> status(uint8_t) const { return std::nullopt; }
  /// That of all devices of the kind in this machine, also of those that this process may not use.
  virtual std::vector<DeviceStatus> statuses() const { return {}; }
  /// From now on these of its devices alone are there, in this order, numbered from 0. Throws
  /// DeviceError once the kind was asked for its devices, or if they cannot be chosen.
  virtual void set_visible_devices(std::span<const uint8_t>) const {
    throw DeviceError("set_visible_devices: devices of this kind cannot be chosen");
  }
  /// What its kernels were compiled for: "sm_90" for machine code, "compute_75" for code that the
  /// driver compiles for any device from 7.5 on.
  virtual std::vector<std::string> architectures() const { return {}; }
  /// The folder where it keeps compiled kernels.
  virtual std::string kernel_cache_folder() const { return {}; }

  /// How many threads of the host compute for a device.
  virtual int threads() const { return 1; }
  /// Changes that to 1 or more, between two steps of the queue. Throws Error.
  virtual void set_threads(int) const {}
};

}  // namespace tide
