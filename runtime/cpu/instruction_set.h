// Which of the kernels that are compiled several times this process runs.
#pragma once

namespace tide {

enum class InstructionSet { baseline, avx2, avx512 };

/// The widest one that this machine has and TIDE_CPU (x86-64, haswell) allows.
InstructionSet instruction_set();

}  // namespace tide
