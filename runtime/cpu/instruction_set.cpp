// Determines the instruction set from the processor and TIDE_CPU.
#include "runtime/cpu/instruction_set.h"

#include <string_view>

#include "runtime/os/environment.h"

namespace tide {

InstructionSet instruction_set() {
  const std::string_view name = environment_cpu();
  if (name == "x86-64" || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return InstructionSet::baseline;
  if (name == "haswell" || !__builtin_cpu_supports("avx512bw")) return InstructionSet::avx2;
  return InstructionSet::avx512;
}

bool has_bfloat16_products() {
  return instruction_set() == InstructionSet::avx512 && __builtin_cpu_supports("avx512bf16");
}

}  // namespace tide
