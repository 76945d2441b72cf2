// The processor that kernels are compiled for: its features, and LLVM's back end for it.
#pragma once

#include <memory>
#include <string>

#include "runtime/codegen/llvm/plugin.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tide::ir {

/// The features that decide how an operation is emitted.
struct Machine {
  explicit Machine(const std::string& cpu);

  std::string cpu;   ///< a name that kernel_cpu() returns, or a GPU architecture
  int vector_bytes;  ///< of one register
  bool avx2;         ///< with fma, f16c and masked moves of 4 and 8 byte elements
  bool avx512;       ///< F, BW, DQ and VL: masked moves of every element size
  bool gpu;          ///< an NVIDIA GPU, named "sm_75"; has the features of avx2 except masked moves
  int capability;    ///< of a GPU: 75 for sm_75; else 0
  unsigned data_space;  ///< the address space of the operands
};

/// A back end for `machine`; throws std::runtime_error if LLVM has none.
std::unique_ptr<llvm::TargetMachine> make_target(const Machine& machine);

/// The code of `module`.
std::string emit(llvm::TargetMachine& target, llvm::Module& module, GeneratedForm form);

}  // namespace tide::ir
