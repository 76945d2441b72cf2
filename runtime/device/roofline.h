// The time that a card takes for a step at least, by the figures of its data sheet.
//
// This is the one formula: tide.estimate adds it up over a profile, and a simulated device that is
// like a card keeps its time by it.
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "runtime/device/step_work.h"

namespace tide {

/// What a card can do at most. Rates are a second.
struct CardFigures {
  std::string name;
  double bandwidth = 0;  ///< bytes, of its memory
  double link = 0;       ///< bytes, in one direction; 0: as fast as its memory
  double launch = 0;     ///< seconds of a kernel that does nothing
  double latency = 0;    ///< seconds of a transfer of nothing
  /// Operations, by type: of the Tensor Cores, and of the others. 0: the card has none for the
  /// type, which then runs as float32 on the others.
  std::array<double, kDTypeCount> tensor_peaks{}, peaks{};

  friend bool operator==(const CardFigures& a, const CardFigures& b) = default;
};

/// What bounds a step.
enum class Bound : uint8_t { memory, compute, launch };

struct StepTime {
  double seconds = 0;  ///< the longest of all three
  double busy = 0;     ///< the longer of memory and arithmetic, which no other step can use then
  Bound bound = Bound::launch;
  bool on_tensor_cores = false;
};

/// The longest of bytes / bandwidth, operations / peak, and a launch.
StepTime time_of(const CardFigures& card, const StepWork& work);

/// Of a transfer between the card and the host or another device.
double transfer_time(const CardFigures& card, double bytes);

}  // namespace tide
