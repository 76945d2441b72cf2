// Options of simulated devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/device/modelled/card_figures.h"

namespace tide {

/// Limits, costs and faults of a simulated device; missing options stay unchanged.
struct SimOptions {
  std::optional<size_t> memory_limit;  ///< bytes
  /// Rate of copies to and from the device; 0: as fast as memory.
  std::optional<double> bytes_per_second;
  /// Rate of staging pageable memory; 0: no cost.
  std::optional<double> staging_bytes_per_second;
  std::optional<double> pin_bytes_per_second;  ///< of pinning host memory; 0: as fast as memory.
                                               ///< The first sim's counts
  std::optional<double> copy_latency;          ///< seconds per copy
  std::optional<double> launch_cost;           ///< seconds per launched step
  std::optional<int64_t> fail_op;              ///< the k-th step from now (1: the next) fails
  std::optional<int64_t> fail_allocation;
  std::optional<int64_t> fail_copy;
  /// The GPU that the device models: its link, latency and launch, unless set above. One without a
  /// name: restores the initial state.
  std::optional<CardFigures> like;
};

}  // namespace tide
