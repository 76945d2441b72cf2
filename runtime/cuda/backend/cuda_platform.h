// The platform "cuda": its devices, as reported by the driver and NVML.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/cuda/backend/cuda_backend.h"
#include "runtime/device/platform.h"

namespace tide::cuda {

class CudaPlatform : public Platform {
 public:
  /// `host_compute` finds routines for ops that have no CUDA kernel.
  explicit CudaPlatform(HostCompute host_compute);
  std::vector<uint8_t> devices() const override;
  bool has(uint8_t index) const override;
  std::unique_ptr<Backend> make_backend(uint8_t index) const override;
  std::string name(uint8_t index) const override;
  std::string description() const override;
  std::string versions() const override;
  std::string problem() const override;
  void warn_if_broken() const override;
  std::optional<DeviceProperties> properties(uint8_t index) const override;
  std::optional<DeviceStatus> status(uint8_t index) const override;
  std::vector<DeviceStatus> statuses() const override;
  void set_visible_devices(std::span<const uint8_t> ordinals) const override;
  std::vector<std::string> architectures() const override;

 private:
  const HostCompute host_compute_;
};

}  // namespace tide::cuda
