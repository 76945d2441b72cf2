#include "tests/cuda/fake/handles.h"

#include <cstdio>
#include <cstdlib>
#include <unordered_map>

#include "tests/cuda/fake/driver.h"

namespace fake {
namespace {

struct Record {
  HandleKind kind;
  Device* device;
  uint64_t generation;
};

std::mutex& records_mutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

std::unordered_map<const void*, Record>& records() {
  static auto& all = *new std::unordered_map<const void*, Record>;
  return all;
}

const char* name_of(HandleKind kind) {
  constexpr const char* kNames[] = {"stream",   "event", "module",
                                    "function", "graph", "executable graph"};
  return kNames[static_cast<int>(kind)];
}

[[noreturn]] void crash(const char* call, HandleKind kind, const char* what) {
  std::fprintf(stderr, "fake driver: %s: the %s %s: a real driver may crash\n", call, name_of(kind),
               what);
  std::fflush(nullptr);
  std::abort();
}

}  // namespace

void note_handle(const void* handle, HandleKind kind, Device& device) {
  const std::lock_guard lock(records_mutex());
  records()[handle] = {kind, &device, device.generation};
}

void forget_handle(const void* handle) {
  const std::lock_guard lock(records_mutex());
  records().erase(handle);
}

Device& owner_of(const void* handle, HandleKind kind, const char* call) {
  const std::lock_guard lock(records_mutex());
  const auto found = records().find(handle);
  if (found == records().end() || found->second.kind != kind)
    crash(call, kind, handle ? "does not exist (any more)" : "is null");
  if (found->second.generation != found->second.device->generation)
    crash(call, kind, "belongs to a context that is gone");
  return *found->second.device;
}

Result check_handle(const void* handle, HandleKind kind, const char* call) {
  return &owner_of(handle, kind, call) == current() ? kSuccess : kInvalidHandle;
}

}  // namespace fake
