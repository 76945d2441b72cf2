// A simulated device: limits, costs and faults around the host's arithmetic.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/device/modelled/modelled_time.h"
#include "runtime/device/process_use.h"
#include "runtime/device/sim_options.h"

namespace tide {

/// The limits, costs and faults of a simulated device, and when its parts are busy; shared by its
/// streams. A device that models a GPU keeps modelled time (modelled_time.h): its launches and
/// copies advance the StreamTime of the calling thread.
class Simulation {
 public:
  /// A part that one piece of work uses at a time, and its timetable on the modelled clock.
  struct Part {
    std::mutex mutex;
    Timetable times;
  };
  enum class Fault : uint8_t { op, allocation, copy };

  /// Options start from TIDE_SIM_MEMORY (bytes, with K, M or G), TIDE_SIM_RATE, TIDE_SIM_STAGING
  /// and TIDE_SIM_PIN (bytes per second), TIDE_SIM_LATENCY and TIDE_SIM_LAUNCH (seconds).
  explicit Simulation(int index);
  /// All streams of the device must be idle.
  void configure(const SimOptions& options);
  /// The GPU that the device models now, never freed; null: none. Callable from any thread.
  const CardFigures* card() const { return card_.load(std::memory_order_acquire); }
  /// Whether a step of this kind must fail now: each call counts.
  bool fault(Fault kind) {
    std::atomic<int64_t>& remaining = fail_in_[static_cast<int>(kind)];
    return remaining.load(std::memory_order_relaxed) != 0 && remaining.fetch_sub(1) == 1;
  }

  ProcessUse& use;
  /// As in SimOptions.
  std::atomic<size_t> memory_limit;
  std::atomic<double> rate, staging_rate, pin_rate, latency, launch_cost;
  Part core, link_in, link_out;

 private:
  void set_defaults();
  void set_card(CardFigures figures);

  std::atomic<int64_t> fail_in_[3] = {0, 0, 0};    ///< by Fault: a countdown, 1 fails the next one
  std::atomic<const CardFigures*> card_{nullptr};  ///< with the launch cost and link above
  std::vector<std::unique_ptr<const CardFigures>> cards_;  ///< all cards modelled so far
};

}  // namespace tide
