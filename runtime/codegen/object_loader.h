// Turns an object file in memory into code that can run.
#pragma once

#include <string_view>

#include "runtime/ir/loop.h"

namespace tide {

/// The function "kernel" of an x86-64 ELF relocatable file that refers to nothing outside itself
/// but reduce_large_arguments. The code stays mapped until the process ends. Null if the file is
/// none of that kind, or damaged, or there is no memory.
LoopKernel load_object(std::string_view object);

}  // namespace tide
