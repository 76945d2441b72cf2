// Opens the oneDNN plugin when the first heavy op needs it.
#include <dlfcn.h>

#include "runtime/core/error.h"
#include "runtime/core/plugin_path.h"
#include "runtime/cpu/dnnl/plugin.h"

namespace tide {
namespace {

const DnnlPlugin* open_plugin() {
  // Never closed: its thread-local caches and JIT-compiled code live until the process ends.
  void* library = dlopen(plugin_path("tide-dnnl.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    throw InternalError(std::string("the oneDNN plugin cannot be opened; install it beside tide or "
                                    "name its folder in TIDE_PLUGIN_PATH: ") +
                        dlerror());
  using Entry = const DnnlPlugin* (*)();
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "tide_dnnl_plugin"));
  if (!entry) throw InternalError("tide-dnnl.so is not a plugin of this version of tide");
  return entry();
}

}  // namespace

const DnnlPlugin& dnnl_plugin() {
  static const DnnlPlugin& plugin = *open_plugin();
  return plugin;
}

}  // namespace tide
