// The compiler plugin tide-llvm.so: where it is, and opening it when it is needed.
#pragma once

#include <string>

#include "runtime/codegen/llvm/plugin.h"

namespace tide {

/// Identifies this build of the plugin; read from its file without loading it. Empty if there is no
/// plugin.
const std::string& plugin_identity();

/// Compiles `program` with the plugin, which is loaded on the first call. Thread-safe. Throws
/// InternalError if there is no plugin, or if it cannot compile the program.
std::string generate(const LoopProgram& program, GeneratedForm form);
/// Compiles `program` to PTX for a GPU architecture such as "sm_80".
std::string generate_ptx(const LoopProgram& program, const std::string& architecture,
                         const GpuForm& form);

}  // namespace tide
