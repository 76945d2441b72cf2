#include "runtime/codegen/machine_code.h"

#include <atomic>
#include <chrono>

#include "runtime/codegen/object_cache.h"
#include "runtime/codegen/object_loader.h"
#include "runtime/codegen/plugin.h"
#include "runtime/ir/kernel_statistics.h"
#include "runtime/os/environment.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// Adds its lifetime to a sum.
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

std::string detect_cpu() {
  __builtin_cpu_init();
  const bool haswell = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                       __builtin_cpu_supports("f16c") && __builtin_cpu_supports("lzcnt");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  const std::string native = !haswell ? "x86-64" : avx512 ? "skylake-avx512" : "haswell";
  // TIDE_CPU can select a smaller instruction set, never a larger one.
  const std::string requested(environment_cpu());
  return requested == "x86-64" || (requested == "haswell" && haswell) ? requested : native;
}

/// The kernel's key on disk. Empty without a plugin: cached files cannot be trusted without its
/// build id.
std::string disk_key(const Kernel& kernel) {
  const std::string& identity = plugin_identity();
  return identity.empty() ? std::string() : identity + '\0' + kernel_cpu() + '\0' + kernel.key();
}

LoopKernel compile(const Kernel& kernel, std::string& object) {
  const Stopwatch watch(kernel_counters.compile_nanoseconds);
  object = generate(kernel.program(), GeneratedForm::object);
  LoopKernel code = load_object(object);
  // The object was just compiled and is valid, so mapping memory has failed.
  if (!code) throw MemoryError("out of memory: not enough host memory for the code of a kernel");
  ++kernel_counters.compiled;
  return code;
}

}  // namespace

LoopKernel stored_machine_code(const Kernel& kernel) {
  const Stopwatch watch(kernel_counters.lookup_nanoseconds);
  const std::string name = disk_key(kernel);
  const std::string object = name.empty() ? std::string() : object_cache().load(name);
  LoopKernel code = object.empty() ? nullptr : load_object(object);
  if (code) ++kernel_counters.from_disk;
  return code;
}

LoopKernel machine_code(const Kernel& kernel) {
  if (LoopKernel code = stored_machine_code(kernel)) return code;
  std::string object;
  LoopKernel code = compile(kernel, object);
  if (const std::string name = disk_key(kernel); !name.empty()) object_cache().store(name, object);
  return code;
}

std::string kernel_cpu() {
  static const std::string cpu = detect_cpu();
  return cpu;
}

}  // namespace tide
