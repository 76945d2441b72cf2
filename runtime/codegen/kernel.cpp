// Compiled kernels: found in memory, on disk, or compiled by the LLVM plugin.
#include "runtime/codegen/kernel.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "runtime/codegen/loop_passes.h"
#include "runtime/codegen/object_cache.h"
#include "runtime/codegen/object_loader.h"
#include "runtime/codegen/plugin.h"
#include "runtime/core/error.h"
#include "runtime/ir/elementwise_ops.h"

namespace tide {
namespace {

std::atomic<int64_t> compiled_kernels{0}, disk_kernels{0};
std::atomic<int64_t> compile_nanoseconds{0}, lookup_nanoseconds{0};

/// Adds the time from its making to its end to one of the sums above.
class Stopwatch {
 public:
  explicit Stopwatch(std::atomic<int64_t>& sum) : sum_(sum) {}
  Stopwatch(const Stopwatch&) = delete;
  ~Stopwatch() {
    sum_ += (std::chrono::steady_clock::now() - start_) / std::chrono::nanoseconds(1);
  }

 private:
  std::atomic<int64_t>& sum_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// All kernels of the process. Never destroyed: threads may still run them at exit.
struct Table {
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<Kernel>> kernels;
};
Table& table() {
  static Table* const the_table = new Table;
  return *the_table;
}

std::string detect_cpu() {
  __builtin_cpu_init();
  const bool haswell = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                       __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  const std::string own = !haswell ? "x86-64" : avx512 ? "skylake-avx512" : "haswell";
  const char* wanted = std::getenv("TIDE_CPU");
  // A wish may narrow what the machine has; it cannot widen it.
  if (wanted && std::strcmp(wanted, "x86-64") == 0) return wanted;
  if (wanted && std::strcmp(wanted, "haswell") == 0 && haswell) return wanted;
  return own;
}

/// Vectors hold half as many elements of eight bytes.
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

struct Kernel::State {
  LoopProgram program;
  LoopPasses passes;
  int cost = cost_of(program);
  std::string key;
  std::mutex mutex;  ///< held while the function is made
  std::atomic<LoopKernel> function{nullptr};

  State(const LoopProgram& source, std::string structure)
      : program(source), passes(source), key(std::move(structure)) {}
  LoopKernel make();

 private:
  std::string disk_key() const;
  LoopKernel from_disk() const;
  LoopKernel compile(std::string& object) const;
};

/// What names the kernel on disk. Empty without a plugin: then there is nothing to trust the files
/// of a cache by.
std::string Kernel::State::disk_key() const {
  const std::string& identity = plugin_identity();
  return identity.empty() ? std::string() : identity + '\0' + kernel_cpu() + '\0' + key;
}

LoopKernel Kernel::State::from_disk() const {
  const Stopwatch watch(lookup_nanoseconds);
  const std::string name = disk_key();
  const std::string object = name.empty() ? std::string() : object_cache().load(name);
  LoopKernel found = object.empty() ? nullptr : load_object(object);
  if (found) ++disk_kernels;
  return found;
}

LoopKernel Kernel::State::compile(std::string& object) const {
  const Stopwatch watch(compile_nanoseconds);
  object = generate(program, GeneratedForm::object);
  LoopKernel made = load_object(object);
  // What was just compiled is sound, so there is no room for it.
  if (!made) throw MemoryError("out of memory: no room on the host for the code of a kernel");
  ++compiled_kernels;
  return made;
}

LoopKernel Kernel::State::make() {
  if (LoopKernel found = from_disk()) return found;
  std::string object;
  LoopKernel made = compile(object);
  if (const std::string name = disk_key(); !name.empty()) object_cache().store(name, object);
  return made;
}

Kernel::Kernel(std::unique_ptr<State> state) : state_(std::move(state)) {}

Kernel& Kernel::find(const LoopProgram& program) {
  const std::vector<uint8_t> bytes = program.key();
  std::string key(bytes.begin(), bytes.end());
  const std::lock_guard lock(table().mutex);
  std::unique_ptr<Kernel>& kernel = table().kernels[key];
  if (!kernel) kernel.reset(new Kernel(std::make_unique<State>(program, std::move(key))));
  return *kernel;
}

LoopKernel Kernel::function() {
  if (LoopKernel ready = state_->function.load(std::memory_order_acquire)) return ready;
  const std::lock_guard lock(state_->mutex);
  LoopKernel made = state_->function.load(std::memory_order_relaxed);
  if (!made) state_->function.store(made = state_->make(), std::memory_order_release);
  return made;
}

size_t Kernel::scratch_bytes(int64_t row_length) const {
  return state_->passes.scratch_bytes(row_length);
}

int Kernel::cost() const { return state_->cost; }

const LoopProgram& Kernel::program() const { return state_->program; }

KernelStatistics kernel_statistics() {
  const std::lock_guard lock(table().mutex);
  return {.kernels = static_cast<int64_t>(table().kernels.size()),
          .compiled = compiled_kernels,
          .from_disk = disk_kernels,
          .compile_seconds = static_cast<double>(compile_nanoseconds) * 1e-9,
          .lookup_seconds = static_cast<double>(lookup_nanoseconds) * 1e-9};
}

std::string kernel_cpu() {
  static const std::string cpu = detect_cpu();
  return cpu;
}

}  // namespace tide
