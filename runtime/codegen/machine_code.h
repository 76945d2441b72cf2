// The machine code of kernels: found on disk, or compiled by the LLVM plugin.
#pragma once

#include <string>

#include "runtime/ir/kernel.h"

namespace tide {

/// The machine code of a kernel, for Kernel::function: from disk or newly compiled, valid until the
/// process ends. Throws InternalError, with instructions, if the plugin is missing or broken.
LoopKernel machine_code(const Kernel& kernel);

/// The machine code of a kernel if it is on disk, else null.
LoopKernel stored_machine_code(const Kernel& kernel);

/// The instruction set that kernels are compiled for: "x86-64", "haswell", or the machine's own.
/// TIDE_CPU narrows it.
std::string kernel_cpu();

}  // namespace tide
