// Turns an object file in memory into code that can run.
#pragma once

#include <string_view>

#include "runtime/ir/loop.h"

namespace tide {

/// Loads the function "kernel" of an x86-64 ELF relocatable file whose only external reference may
/// be reduce_large_arguments. The code stays mapped until the process ends. Returns null if the
/// file is of another kind or damaged, or if memory is short.
LoopKernel load_object(std::string_view object);

}  // namespace tide
