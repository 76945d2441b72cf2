// The compiler plugin's export, which libtide looks up by name to compile a kernel.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/codegen/gpu_form.h"
#include "runtime/ir/loop.h"

namespace tide {

enum class GeneratedForm : uint8_t {
  object,    ///< an ELF relocatable file with the function "kernel", for load_object
  assembly,  ///< the same as text; for GPUs the only form, PTX
  ir         ///< LLVM's intermediate representation as text
};

}  // namespace tide

/// Compiles `program` into `result`, for a processor named as by kernel_cpu() or for a GPU of
/// architecture "sm_75", "sm_80" or "sm_90" in the form `gpu`. On failure returns false, with the
/// error in `result`. Thread-safe.
extern "C" __attribute__((visibility("default"))) bool tide_generate_loop(
    const tide::LoopProgram& program, const char* cpu, tide::GeneratedForm form,
    const tide::GpuForm& gpu, std::string& result);
