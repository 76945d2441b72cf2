// What a backend can do beside Backend if its device is simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/device/modelled/card_figures.h"

namespace tide {

/// Limits, costs and faults of a simulated device; what is not given stays.
struct SimOptions {
  std::optional<size_t> memory_limit;  ///< bytes
  /// Of copies to and from the device; 0: as fast as memory.
  std::optional<double> bytes_per_second;
  /// Of the detour that memory takes which is not pinned; 0: none.
  std::optional<double> staging_bytes_per_second;
  std::optional<double> pin_bytes_per_second;  ///< of pinning host memory; 0: as fast as memory.
                                               ///< The first sim's counts
  std::optional<double> copy_latency;          ///< seconds per copy
  std::optional<double> launch_cost;           ///< seconds per launched step
  std::optional<int64_t> fail_op;              ///< the k-th step from now (1: the next) fails
  std::optional<int64_t> fail_allocation;
  std::optional<int64_t> fail_copy;
  /// The card that the device is like: its link, latency and launch, unless the options above say
  /// otherwise. One without a name: none any more, and as it was at the start.
  std::optional<CardFigures> like;
};

/// A device that is simulated. One that is like a card keeps modelled time (modelled_time.h): its
/// launches and copies move the StreamTime of the thread that calls.
class Simulation {
 public:
  virtual ~Simulation() = default;
  /// While all streams of the device are idle.
  virtual void configure(const SimOptions& options) = 0;
  /// The card that the device is like now, which is never freed; null: none. From any thread.
  virtual const CardFigures* card() const = 0;
};

}  // namespace tide
