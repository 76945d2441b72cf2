// Loop programs shared by all plans of the process, each with its executable forms.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/ir/interpreter/interpreted_loop.h"
#include "runtime/ir/loop.h"
#include "runtime/ir/loop_passes.h"

namespace tide {

/// One structure of a loop program. Kernels live until the process ends.
class Kernel {
 public:
  /// The kernel for this program: one object per structure in the process. Does not generate
  /// machine code. Thread-safe.
  static Kernel& find(const LoopProgram& program);
  Kernel(const LoopProgram& program, std::string key);

  /// The machine code if it already exists; else null.
  LoopKernel ready() const { return function_.load(std::memory_order_acquire); }

  /// The machine code, made by `make` in the first call, which takes milliseconds. Thread-safe.
  LoopKernel function(LoopKernel (*make)(const Kernel&)) {
    if (LoopKernel ready = function_.load(std::memory_order_acquire)) return ready;
    return make_function(make);
  }

  /// Runs the program until machine code exists; null if it cannot be interpreted.
  const InterpretedLoop* interpreted();

  /// Adds to the nanoseconds that interpreted runs have taken; returns the previous sum.
  int64_t note_interpreted(int64_t nanoseconds) {
    return interpreted_time_.fetch_add(nanoseconds, std::memory_order_relaxed);
  }

  /// Bytes of workspace that one call needs for rows of `row_length` elements.
  size_t workspace_bytes(int64_t row_length) const { return passes_.workspace_bytes(row_length); }

  /// Approximate number of instructions per element, for vectors of four-byte elements.
  int cost() const { return cost_; }

  const LoopProgram& program() const { return program_; }
  /// Identifies the structure: LoopProgram::key as text.
  const std::string& key() const { return key_; }

 private:
  LoopKernel make_function(LoopKernel (*make)(const Kernel&));

  const LoopProgram program_;
  const LoopPasses passes_;
  const int cost_;
  const std::string key_;
  std::mutex mutex_;  ///< held while the function is generated
  std::atomic<LoopKernel> function_{nullptr};
  std::once_flag interpreted_once_;
  std::unique_ptr<const InterpretedLoop> interpreted_;
  std::atomic<int64_t> interpreted_time_{0};
};

}  // namespace tide
