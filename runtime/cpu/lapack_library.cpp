// Opens the OpenBLAS plugin when the first decomposition needs it.
#include "runtime/core/plugin_path.h"
#include "runtime/cpu/lapack/plugin.h"

namespace tide {

const LapackPlugin& lapack_plugin() {
  using Entry = const LapackPlugin* (*)();
  static const LapackPlugin& plugin =
      *reinterpret_cast<Entry>(plugin_entry("tide-lapack.so", "tide_lapack_plugin"))();
  return plugin;
}

}  // namespace tide
