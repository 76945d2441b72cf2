// A fused loop as text, and as a GPU launches it.
#pragma once

#include <optional>
#include <string>

#include "runtime/core/device.h"
#include "runtime/device/backend.h"
#include "runtime/profile/kernel_launch.h"

namespace tide {

/// The loop program: what it walks, its arrays, and a line for each instruction.
std::string program_text(const LoopStep& loop);

// The code that is generated for it, by the compiler plugin; no device is needed. All throw
// InternalError if the plugin is missing.
/// LLVM IR for this machine's cpu.
std::string llvm_ir(const LoopStep& loop);
/// The assembly of this machine's cpu.
std::string assembly(const LoopStep& loop);
/// PTX for a GPU of this compute capability (75, 80, 90, ...), in the form for all addresses: if
/// these are aligned, a launch has another one, of vectors.
std::string ptx(const LoopStep& loop, int capability);

/// How a GPU launches it, for arrays that begin where blocks do; nothing if the device is none. The
/// kernel is compiled and loaded if need be.
std::optional<profile::KernelLaunch> launch_of(const LoopStep& loop, Device device);

}  // namespace tide
