// Selects among the kernels that are compiled once per instruction set.
#pragma once

namespace tide {

enum class InstructionSet { baseline, avx2, avx512 };

/// The widest that this machine supports and TIDE_CPU (x86-64, haswell) allows.
InstructionSet instruction_set();

/// Whether there are also products of pairs of bfloat16 (AVX512_BF16).
bool has_bfloat16_products();

}  // namespace tide
