// The time that a card takes for a step at least, by the figures of its data sheet.
//
// This is the one formula: tide.estimate adds it up over a profile, and a simulated device that is
// like a card keeps its time by it.
#pragma once

#include <cstdint>

#include "runtime/device/modelled/card_figures.h"
#include "runtime/device/modelled/step_work.h"

namespace tide {

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
