#include "runtime/codegen/ptx.h"

#include "runtime/codegen/object_cache.h"
#include "runtime/codegen/plugin.h"

namespace tide {

const char* ptx_architecture(int capability) {
  if (capability >= 90) return "sm_90";
  return capability >= 80 ? "sm_80" : "sm_75";
}

std::string ptx_of(const LoopProgram& program, const char* architecture, const GpuForm& form) {
  std::string disk_key;
  // Without a plugin there is nothing to trust the files of a cache by.
  if (!plugin_identity().empty()) {
    const std::vector<uint8_t> structure = program.key();
    disk_key = plugin_identity() + '\0' + architecture + '\0';
    disk_key += static_cast<char>('0' + form.vector + 2 * form.narrow);
    disk_key.append(structure.begin(), structure.end());
    const std::string found = object_cache().load(disk_key);
    if (!found.empty()) return found;
  }
  const std::string made = generate_ptx(program, architecture, form);
  if (!disk_key.empty()) object_cache().store(disk_key, made);
  return made;
}

}  // namespace tide
