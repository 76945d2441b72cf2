#include "runtime/ir/kernel.h"

#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/ir/elementwise_ops.h"
#include "runtime/ir/kernel_statistics.h"
#include "runtime/profile/recorder.h"

namespace tide {
namespace {

/// All kernels of the process. Never destroyed: threads may still run them at exit.
struct Table {
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels;
};
Table& table() {
  static Table* const the_table = new Table;
  return *the_table;
}

/// Eight-byte elements cost twice, because vectors hold half as many.
int cost_of(const LoopProgram& program) {
  int cost = 0;
  for (const LoopInstruction& instruction : program.code) {
    const bool computes = instruction.kind == LoopInstruction::Kind::map;
    const int own = computes ? cost_of(static_cast<ElementwiseOp>(instruction.op)) : 1;
    cost += size_of(compute_type(instruction.type)) > 4 ? 2 * own : own;
  }
  return cost;
}

}  // namespace

Kernel::Kernel(const LoopProgram& program, std::string key)
    : program_(program), passes_(program), cost_(cost_of(program)), key_(std::move(key)) {}

Kernel& Kernel::find(const LoopProgram& program) {
  const std::vector<uint8_t> bytes = program.key();
  std::string key(bytes.begin(), bytes.end());
  const std::lock_guard lock(table().mutex);
  std::unique_ptr<Kernel>& kernel = table().kernels[key];
  if (!kernel) {
    kernel = std::make_unique<Kernel>(program, std::move(key));
    ++kernel_counters.kernels;
  }
  return *kernel;
}

const InterpretedLoop* Kernel::interpreted() {
  std::call_once(interpreted_once_, [this] { interpreted_ = InterpretedLoop::of(program_); });
  return interpreted_.get();
}

LoopKernel Kernel::make_function(LoopKernel (*make)(const Kernel&)) {
  const std::lock_guard lock(mutex_);
  LoopKernel made = function_.load(std::memory_order_relaxed);
  if (made) return made;
  profile::Span span(profile::EventKind::compile, "compile");
  if (span) span.event().subject = this;
  function_.store(made = make(*this), std::memory_order_release);
  return made;
}

}  // namespace tide
