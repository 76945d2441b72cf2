// Asks the processor and TIDE_CPU for the instruction set.
#include "runtime/cpu/instruction_set.h"

#include <cstdlib>
#include <string_view>

namespace tide {

InstructionSet instruction_set() {
  const char* narrowed = std::getenv("TIDE_CPU");
  const std::string_view name = narrowed ? narrowed : "";
  if (name == "x86-64" || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    return InstructionSet::baseline;
  if (name == "haswell" || !__builtin_cpu_supports("avx512bw")) return InstructionSet::avx2;
  return InstructionSet::avx512;
}

}  // namespace tide
