// Opens the OpenBLAS plugin when the first decomposition needs it.
#include <cstdlib>

#include "runtime/cpu/instruction_set.h"
#include "runtime/cpu/lapack/plugin.h"
#include "runtime/os/environment.h"
#include "runtime/os/plugin_path.h"

namespace tide {
namespace {

/// Selects OpenBLAS's kernels for this machine while it is opened. OpenBLAS identifies processors
/// by model, and uses its kernels of 2004, half as fast, for a model that is newer than itself. The
/// user's choice takes precedence.
class KernelChoice {
 public:
  KernelChoice() : chosen_(!environment_text(Variable::openblas_coretype) && name()) {
    if (chosen_) setenv(name_of(Variable::openblas_coretype), name(), 1);
  }
  ~KernelChoice() {
    if (chosen_) unsetenv(name_of(Variable::openblas_coretype));
  }
  KernelChoice(const KernelChoice&) = delete;

 private:
  static const char* name() {
    switch (instruction_set()) {
      case InstructionSet::avx512:
        return "SkylakeX";
      case InstructionSet::avx2:
        return "Haswell";
      default:
        return nullptr;
    }
  }

  const bool chosen_;
};

}  // namespace

const LapackPlugin& lapack_plugin() {
  using Entry = const LapackPlugin* (*)();
  static const LapackPlugin& plugin = []() -> const LapackPlugin& {
    const KernelChoice choice;
    return *reinterpret_cast<Entry>(plugin_entry("tide-lapack.so", "tide_lapack_plugin"))();
  }();
  return plugin;
}

}  // namespace tide
