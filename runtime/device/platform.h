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
#include "runtime/profile/kernel_launch.h"
#include "runtime/types/device.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

namespace tide {

class DeviceBackend;
struct LoopStep;
struct StepClock;

/// The capabilities of a kind of device. Ops query them, never the kind itself.
struct Capabilities {
  /// Compute ops that are slower there than their composition, or have no kernel.
  std::span<const ComputeOp> composed = {};
  /// Convolutions and pools accept and return channels-last planes without conversion.
  bool channels_last = false;
  /// The weight of a convolution on channels-last planes must be channels last, too.
  bool channels_last_weights = false;
  /// A loop may run on each part of a convolution's result as soon as that is complete
  /// (StreamBackend::launch).
  bool finishing_loops = false;
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
  /// Host threads may read its memory directly once the queue is done.
  bool host_readable = true;
  /// Several loops of one kernel may be one launch (StreamBackend::launch_together).
  bool batches = false;
  /// The half type that autocast uses by default.
  DType autocast_type = DType::bf16;
};

/// A kind of device: its row in the table of registry.cpp. `index` is that of a usable device.
struct Platform {
  Capabilities capabilities;
  /// The indices of the usable devices.
  std::vector<uint8_t> (*devices)();
  /// Throws if the device cannot be set up.
  std::unique_ptr<DeviceBackend> (*make_device)(uint8_t index);
  /// The number of f32 in the result of ComputeOp::prepare_weight with these attributes; null:
  /// there is no such op.
  int64_t (*prepared_size)(std::span<const int64_t> attributes) = nullptr;
  /// A short description: "8 threads, haswell".
  std::string (*name)(uint8_t index);
  /// Whether the device runs the op as one, by a library or by code specific to it, faster than a
  /// composition of other ops.
  bool (*has_library)(uint8_t index, ComputeOp op);

  // Information that a kind may lack:
  /// Details about this kind, for `tide info`: lines of text.
  std::string (*description)() = no_text;
  /// The versions of its driver: "driver 580.65.06    CUDA 13.0".
  std::string (*versions)() = no_text;
  /// Why none of its devices is usable although the kind is supported, and how to fix it: "CUDA
  /// cannot be used: ...".
  std::string (*problem)() = no_text;
  /// Prints the problem to stderr, with the fix, if devices are expected here; once per process.
  void (*warn_if_broken)() = [] {};
  std::optional<DeviceProperties> (*properties)(uint8_t index) = [](uint8_t) {
    return std::optional<DeviceProperties>();
  };
  std::optional<DeviceStatus> (*status)(uint8_t index) = [](uint8_t) {
    return std::optional<DeviceStatus>();
  };
  /// The state of all devices of the kind in this machine, usable by this process or not.
  std::vector<DeviceStatus> (*statuses)() = [] { return std::vector<DeviceStatus>(); };
  /// Restricts the kind to these devices, in this order, numbered from 0. Throws DeviceError after
  /// the kind has been asked for its devices, or if they cannot be chosen.
  void (*set_visible_devices)(std::span<const uint8_t>) = [](std::span<const uint8_t>) {
    throw DeviceError("set_visible_devices: devices of this kind cannot be chosen");
  };
  /// The targets of its compiled kernels: "sm_90" for machine code, "compute_75" for code that the
  /// driver compiles for any device from 7.5 on.
  std::vector<std::string> (*architectures)() = [] { return std::vector<std::string>(); };
  /// The folder of its compiled kernels.
  std::string (*kernel_cache_folder)() = no_text;
  /// Number of host threads that compute for a device.
  int (*threads)() = [] { return 1; };
  /// Sets the number of threads, 1 or more, between two steps of the queue. Throws Error.
  void (*set_threads)(int) = [](int) {};
  /// How a loop's kernel, which is compiled if necessary, is launched for arrays at the beginning
  /// of blocks; none if there is no work or no such kernel. Callable from any thread.
  std::optional<profile::KernelLaunch> (*launch_of)(DeviceBackend&, const LoopStep&) =
      [](DeviceBackend&, const LoopStep&) { return std::optional<profile::KernelLaunch>(); };
  /// Times steps instead of StreamBackend::take_time once started; null: none.
  const StepClock* step_clock = nullptr;

  bool has(uint8_t index) const {
    const auto all = devices();
    return std::find(all.begin(), all.end(), index) != all.end();
  }

 private:
  static std::string no_text() { return {}; }
};

}  // namespace tide
