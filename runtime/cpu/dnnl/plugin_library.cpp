// Opens the oneDNN plugin when the first compute op needs it.
#include "runtime/cpu/dnnl/plugin.h"
#include "runtime/os/plugin_path.h"

namespace tide {

const DnnlPlugin& dnnl_plugin() {
  using Entry = const DnnlPlugin* (*)();
  static const DnnlPlugin& plugin =
      *reinterpret_cast<Entry>(plugin_entry("tide-dnnl.so", "tide_dnnl_plugin"))();
  return plugin;
}

}  // namespace tide
