#include "runtime/cuda/backend/cuda_platform.h"

#include <cstdio>
#include <mutex>

#include "runtime/cuda/driver/driver.h"
#include "runtime/cuda/driver/properties.h"
#include "runtime/cuda/launch/embedded_kernels.h"
#include "runtime/cuda/libraries/libraries.h"
#include "runtime/cuda/libraries/nvml.h"

namespace tide::cuda {
namespace {

constexpr ComputeOp kComposed[] = {ComputeOp::cumprod_backward, ComputeOp::distances,
                                   ComputeOp::grid_sample,      ComputeOp::pad_edges,
                                   ComputeOp::scatter_minmax,   ComputeOp::window_sums};

}  // namespace

CudaPlatform::CudaPlatform(HostCompute host_compute)
    : Platform({.composed = kComposed,
                .channels_last = true,
                .convolution_takes_bias = false,
                .half_products = true,
                .large_parts = true,
                .pins_host_memory = true,
                .runs_on_host = false,
                .autocast_type = DType::f16}),
      host_compute_(host_compute) {}

std::vector<uint8_t> CudaPlatform::devices() const {
  std::vector<uint8_t> numbers;
  for (const DeviceFacts& facts : driver_report().devices)
    if (facts.refusal.empty()) numbers.push_back(static_cast<uint8_t>(facts.ordinal));
  return numbers;
}

bool CudaPlatform::has(uint8_t index) const {
  for (const DeviceFacts& facts : driver_report().devices)
    if (facts.ordinal == index) return facts.refusal.empty();
  return false;
}

std::unique_ptr<Backend> CudaPlatform::make_backend(uint8_t index) const {
  return has(index) ? std::make_unique<CudaBackend>(index, host_compute_) : nullptr;
}

std::string CudaPlatform::name(uint8_t index) const {
  return driver_report().devices.at(index).name;
}

std::string CudaPlatform::description() const {
  return describe_driver() + (driver_report().expected ? "\n" + describe_libraries() : "");
}

std::string CudaPlatform::versions() const {
  const std::string release = driver_release();
  const int version = driver_report().version;
  return "driver " + (release.empty() ? "none" : release) + "    CUDA " +
         (version ? version_text(version) : "none");
}

std::string CudaPlatform::problem() const {
  const DriverReport& report = driver_report();
  if (report.usable()) return "";
  return "CUDA cannot be used: " + report.problem + "; " +
         (report.expected ? report.advice : "see `tide info`");
}

void CudaPlatform::warn_if_broken() const {
  static std::once_flag once;
  std::call_once(once, [] {
    const DriverReport& report = driver_report();
    if (report.usable() || !report.expected) return;
    std::fprintf(stderr, "tide: CUDA cannot be used: %s.\n      What to do: %s.\n",
                 report.problem.c_str(), report.advice.c_str());
  });
}

std::optional<DeviceProperties> CudaPlatform::properties(uint8_t index) const {
  return device_properties(index);
}

std::optional<DeviceStatus> CudaPlatform::status(uint8_t index) const {
  const DeviceProperties device = device_properties(index);
  return device_status(device.pci_domain, device.pci_bus, device.pci_device);
}

std::vector<DeviceStatus> CudaPlatform::statuses() const { return device_statuses(); }

void CudaPlatform::set_visible_devices(std::span<const uint8_t> ordinals) const {
  cuda::set_visible_devices(ordinals);
}

std::vector<std::string> CudaPlatform::architectures() const { return embedded_architectures(); }

}  // namespace tide::cuda
