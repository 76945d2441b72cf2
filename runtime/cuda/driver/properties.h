// What a CUDA device is made of, as the driver reports it, and what follows from that.
#pragma once

#include <cstddef>
#include <string>

namespace tide::cuda {

struct DeviceProperties {
  std::string name;
  int major = 0, minor = 0;  ///< compute capability
  size_t total_memory = 0;   ///< bytes
  int multiprocessors = 0;
  int warp_size = 0;
  int max_threads_per_multiprocessor = 0;
  int clock_khz = 0, memory_clock_khz = 0;
  int memory_bus_bits = 0;
  size_t l2_cache = 0;  ///< bytes
  bool ecc = false, integrated = false;
  int pci_domain = 0, pci_bus = 0, pci_device = 0;
  /// Units per multiprocessor (CUDA Programming Guide, arithmetic throughput); 0 for cards newer
  /// than this table.
  int float_units = 0, double_units = 0, tensor_units = 0;

  /// Floating operations per second at the clock above: units x clock, times 2 because a fused
  /// multiply-add counts as two. 0 if the units are not known.
  double peak_float() const;
  double peak_double() const;
  /// Bytes per second: bus width x memory clock, twice per clock.
  double peak_bandwidth() const;
};

/// Of the device "cuda:ordinal", which the driver's report must list. Takes no memory on it.
DeviceProperties device_properties(int ordinal);

/// The whole story for `tide info`: what was found, what can be used, what is missing and what to
/// do.
std::string describe_driver();

}  // namespace tide::cuda
