// The processor that kernels are compiled for: what it can do, and LLVM's back end for it.
#pragma once

#include <memory>
#include <string>

#include "runtime/codegen/llvm/plugin.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tide::ir {

/// What decides how an operation is written for a processor.
struct Machine {
  explicit Machine(const std::string& cpu);

  std::string cpu;      ///< one of the names that kernel_cpu() gives, or a GPU's architecture
  int vector_bytes;     ///< of one register
  bool avx2;            ///< with fma, f16c and masked moves of 4 and 8 byte elements
  bool avx512;          ///< F, BW, DQ and VL: masked moves of every element size
  bool gpu;             ///< an NVIDIA GPU, named "sm_75"; has what avx2 stands for but masked moves
  int capability;       ///< of a GPU: 75 for sm_75; else 0
  unsigned data_space;  ///< the address space that operands lie in
};

/// A back end for `machine`; throws std::runtime_error if LLVM has none.
std::unique_ptr<llvm::TargetMachine> make_target(const Machine& machine);

/// The code of `module`.
std::string emit(llvm::TargetMachine& target, llvm::Module& module, GeneratedForm form);

}  // namespace tide::ir
