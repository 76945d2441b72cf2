// The kinds of devices that the host's processor implements: the cpu, and simulated accelerators.
#pragma once

#include "runtime/cpu/team.h"
#include "runtime/device/platform.h"

namespace tide {

/// The cpu.
const Platform& host_platform();

/// The simulated accelerators: TIDE_SIM_DEVICES of them, two by default.
const Platform& sim_platform();

/// The team that the cpu device computes with.
Team& cpu_team();

}  // namespace tide
