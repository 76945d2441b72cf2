// The minimum time of a step on a GPU, from the figures of its data sheet.
//
// This is the only formula: tide.estimate adds it up over a profile, and a simulated device that
// models a GPU uses it for its clock.
#pragma once

#include <cstdint>

#include "runtime/device/modelled/card_figures.h"
#include "runtime/device/modelled/step_work.h"

namespace tide {

/// The limiting factor of a step.
enum class Bound : uint8_t { memory, compute, launch };

struct StepTime {
  double seconds = 0;  ///< the longest of all three
  double busy = 0;     ///< the longer of memory and arithmetic, unavailable to other steps
  Bound bound = Bound::launch;
  bool on_tensor_cores = false;
};

/// The longest of bytes / bandwidth, operations / peak, and a launch.
StepTime time_of(const CardFigures& card, const StepWork& work);

/// The time of a transfer between the GPU and the host or another device.
double transfer_time(const CardFigures& card, double bytes);

}  // namespace tide
