// Attaches a tool by the injection protocol of NVTX 3: the tool fills in function tables, one per
// module. Only functions of the module "core" are called; the other tables exist because tools ask
// for them.
#include "runtime/profile/nvtx.h"

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "runtime/os/environment.h"
#include "runtime/os/file_access.h"

namespace tide::profile {
namespace {

using Function = void (*)();

constexpr unsigned kMostFunctions = 16;
/// The number of functions of each module; index 0 is unused in each.
constexpr unsigned kFunctions[] = {0, 16, 9, 15, 7, 16, 7};
constexpr size_t kModules = std::size(kFunctions);
constexpr size_t kCore = 1;
enum CoreFunction { kStart = 5, kEnd = 7, kPush = 9, kPop = 11 };

/// Storage into which a tool writes the addresses of its functions.
struct Module {
  std::array<Function, kMostFunctions> functions{};
  std::array<Function*, kMostFunctions + 1> places{};
};
Module modules[kModules];  // never destroyed: queue threads may call until the process ends

/// Called by the tool: returns 1 if the module exists.
int give_module(int number, Function*** places, unsigned* count) {
  if (number < static_cast<int>(kCore) || number >= static_cast<int>(kModules)) return 0;
  Module& module = modules[number];
  for (unsigned i = 1; i < kFunctions[number]; ++i) module.places[i] = &module.functions[i];
  if (places) *places = module.places.data();
  if (count) *count = kFunctions[number];
  return 1;
}

void note_version(uint32_t) {}

/// Called by the tool: the functions above, by table number.
const void* give_table(uint32_t number) {
  static constexpr struct {
    size_t size;
    int (*give_module)(int, Function***, unsigned*);
  } callbacks{sizeof callbacks, give_module};
  static constexpr struct {
    size_t size;
    uint32_t version, reserved;
    void (*note_version)(uint32_t);
  } version{sizeof version, 3, 0, note_version};
  constexpr uint32_t kCallbacks = 1, kVersion = 3;
  return number == kCallbacks ? static_cast<const void*>(&callbacks)
         : number == kVersion ? &version
                              : nullptr;
}

template <class Result, class... Arguments>
void take(Result (*&function)(Arguments...), CoreFunction number) {
  function = reinterpret_cast<Result (*)(Arguments...)>(modules[kCore].functions[number]);
}

NvtxTool attach() {
  const char* const path = environment_text(Variable::nvtx_injection);
  // In a sandbox, nothing is loaded that a script could have written.
  if (!path || !*path || files_are_confined()) return {};
  void* const library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  using GiveTable = const void* (*)(uint32_t);
  const auto initialize =
      library ? reinterpret_cast<int (*)(GiveTable)>(dlsym(library, "InitializeInjectionNvtx2"))
              : nullptr;
  if (!initialize) {
    const char* const why = library ? "it is not an NVTX 3 tool" : dlerror();
    std::fprintf(stderr, "tide: NVTX_INJECTION64_PATH: %s cannot be used: %s\n", path, why);
    return {};
  }
  if (!initialize(give_table)) return {};  // the tool declines
  NvtxTool tool;
  take(tool.start, kStart);
  take(tool.end, kEnd);
  take(tool.push, kPush);
  take(tool.pop, kPop);
  return tool;
}

}  // namespace

const NvtxTool& nvtx_tool() {
  static const NvtxTool tool = attach();
  return tool;
}

void NvtxRange::push(const char* name, const char* file, int line) {
  char text[256];
  std::snprintf(text, sizeof text, *file ? "%s %s:%d" : "%s", name, file, line);
  tool_.push(text);
}

}  // namespace tide::profile
