// The row of CUDA devices in the table of kinds.
#include "runtime/cuda/backend/cuda_platform.h"

#include <cstdio>
#include <mutex>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/driver/properties.h"
#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/cuda/libraries/blas.h"
#include "runtime/cuda/libraries/cupti.h"
#include "runtime/cuda/libraries/dnn.h"
#include "runtime/cuda/libraries/libraries.h"
#include "runtime/cuda/libraries/nvml.h"

namespace tide::cuda {
namespace {

constexpr ComputeOp kComposed[] = {ComputeOp::cumprod_backward, ComputeOp::distances,
                                   ComputeOp::grid_sample, ComputeOp::scatter_minmax,
                                   ComputeOp::window_sums};

HostCompute host_routine = nullptr;

std::vector<uint8_t> usable_devices() {
  std::vector<uint8_t> numbers;
  for (const DeviceFacts& facts : driver_report().devices)
    if (facts.refusal.empty()) numbers.push_back(static_cast<uint8_t>(facts.ordinal));
  return numbers;
}

bool has_library(uint8_t index, ComputeOp op) {
  const int capability = driver_report().devices.at(index).capability();
  if (op == ComputeOp::scaled_matmul) return Blas::takes_float8(capability);
  return op == ComputeOp::attention && Dnn::takes_attention(capability) && dnn_table() != nullptr;
}

std::string description() {
  return describe_driver() + (driver_report().expected ? "\n" + describe_libraries() : "");
}

std::string versions() {
  const std::string release = driver_release();
  const int version = driver_report().version;
  return "driver " + (release.empty() ? "none" : release) + "    CUDA " +
         (version ? version_text(version) : "none");
}

std::string problem() {
  const DriverReport& report = driver_report();
  if (report.usable()) return "";
  return "CUDA cannot be used: " + report.problem + "; " +
         (report.expected ? report.advice : "see `tide info`");
}

void warn_if_broken() {
  static std::once_flag once;
  std::call_once(once, [] {
    const DriverReport& report = driver_report();
    if (report.usable() || !report.expected) return;
    std::fprintf(stderr, "tide: CUDA cannot be used: %s.\n      What to do: %s.\n",
                 report.problem.c_str(), report.advice.c_str());
  });
}

std::optional<DeviceStatus> status(uint8_t index) {
  const DeviceProperties device = device_properties(index);
  return device_status(device.pci_domain, device.pci_bus, device.pci_device);
}

}  // namespace

const Platform& cuda_platform(HostCompute host_compute) {
  host_routine = host_compute;
  static const Platform row{
      .capabilities = {.composed = kComposed,
                       .channels_last = true,
                       .channels_last_weights = true,
                       .convolution_takes_bias = false,
                       .half_products = true,
                       .large_parts = true,
                       .pins_host_memory = true,
                       .runs_on_host = false,
                       .host_readable = false,
                       .batches = true,
                       .autocast_type = DType::f16},
      .devices = usable_devices,
      .make_device = [](uint8_t index) -> std::unique_ptr<DeviceBackend> {
        return std::make_unique<CudaDeviceBackend>(index, host_routine);
      },
      .name = [](uint8_t index) { return driver_report().devices.at(index).name; },
      .has_library = has_library,
      .description = description,
      .versions = versions,
      .problem = problem,
      .warn_if_broken = warn_if_broken,
      .properties = [](uint8_t index) { return std::optional(device_properties(index)); },
      .status = status,
      .statuses = [] { return device_statuses(); },
      .set_visible_devices = set_visible_devices,
      .architectures = [] { return embedded_architectures(); },
      .launch_of =
          [](DeviceBackend& device, const LoopStep& step) {
            return static_cast<CudaDeviceBackend&>(device).launch_of(step);
          },
      .step_clock = &Cupti::clock()};
  return row;
}

}  // namespace tide::cuda
