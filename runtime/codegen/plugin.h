// The compiler plugin tide-llvm.so: where it is, and opening it when it is needed.
#pragma once

#include <string>

#include "runtime/codegen/llvm/plugin.h"

namespace tide {

/// What tells this build of the plugin from all others, read from its file without loading it;
/// empty if there is no plugin.
const std::string& plugin_identity();

/// `program` compiled by the plugin, which is opened on the first call. Thread-safe. Throws
/// InternalError if there is no plugin, or if it cannot compile the program.
std::string generate(const LoopProgram& program, GeneratedForm form);
/// The same for a GPU, as PTX for the architecture ("sm_80").
std::string generate_ptx(const LoopProgram& program, const std::string& architecture,
                         const GpuForm& form);

}  // namespace tide
