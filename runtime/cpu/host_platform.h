// The kinds of devices that the host's processor implements: the cpu, and simulated accelerators.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/cpu/team.h"
#include "runtime/device/platform.h"

namespace tide {

/// The cpu.
class HostPlatform : public Platform {
 public:
  HostPlatform() : Platform(Capabilities{}) {}
  std::vector<uint8_t> devices() const override { return {0}; }
  bool has(uint8_t) const override { return true; }
  std::unique_ptr<Backend> make_backend(uint8_t index) const override;
  std::string name(uint8_t index) const override;
  std::string description() const override;
  std::string kernel_cache_folder() const override;
  int threads() const override;
  void set_threads(int count) const override;
};

/// The simulated accelerators: TIDE_SIM_DEVICES of them, two by default.
class SimPlatform : public Platform {
 public:
  SimPlatform() : Platform({.pins_host_memory = true}) {}
  std::vector<uint8_t> devices() const override;
  bool has(uint8_t index) const override;
  std::unique_ptr<Backend> make_backend(uint8_t index) const override;
  std::string name(uint8_t index) const override;
};

/// The team that the cpu device computes with.
Team& cpu_team();

}  // namespace tide
