// Compiled kernels: found in memory, on disk, or compiled by the LLVM plugin.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

#include "runtime/ir/loop.h"

namespace tide {

/// A kernel ready to run, or ready to be made. Kernels live until the process ends.
class Kernel {
 public:
  /// The kernel for this program: one object per structure in the process. Thread-safe. Does not
  /// compile yet.
  static Kernel& find(const LoopProgram& program);

  /// The machine code. The first call looks it up on disk or compiles it, which takes
  /// milliseconds; thread-safe. Throws InternalError if the plugin is missing or broken, with
  /// what to do about it.
  LoopKernel function();

  /// Bytes of scratch that one call needs for rows of `row_length` elements.
  size_t scratch_bytes(int64_t row_length) const;

  /// Roughly the instructions per element, of vectors of four-byte elements.
  int cost() const;

  const LoopProgram& program() const;

 private:
  struct State;
  explicit Kernel(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// What the kernel cache has done in this process.
struct KernelStatistics {
  int64_t kernels = 0;   ///< structures asked for
  int64_t compiled = 0;  ///< by the plugin
  int64_t from_disk = 0;
  double compile_seconds = 0;  ///< spent compiling, plugin loading included
  double lookup_seconds = 0;   ///< spent looking on disk, whether found there or not
};
KernelStatistics kernel_statistics();

/// The instruction set that kernels are compiled for: "x86-64", "haswell", or the machine's own.
/// TIDE_CPU narrows it.
std::string kernel_cpu();

}  // namespace tide
