// A libcuda.so.1 for tests: the driver's entry points over host memory and a PTX interpreter.
//
// It guarantees only what the real driver guarantees: copies read pinned memory when the stream
// reaches them, new memory is not zeroed, kernels can access only their own device's memory, and a
// failed kernel makes its context unusable.
#include "tests/cuda/fake/driver.h"

#include <cstring>

#include "tests/cuda/fake/libraries.h"
#include "tests/cuda/fake/settings.h"

namespace fake {
namespace {

struct Entry {
  const char* name;
  void* address;
};

constexpr Result kEntryNotFound = 500;

}  // namespace
}  // namespace fake

TIDE_EXPORT int cuDriverGetVersion(int* version) {
  *version = fake::settings().version;
  return 0;
}

/// For tests: the number of graphs and executable graphs that exist.
TIDE_EXPORT int fake_live_graphs() { return fake::live_graphs(); }

/// Entry points of the interface version that tide requests, by names without version suffix.
TIDE_EXPORT int cuGetProcAddress_v2(const char* name, void** address, int version, uint64_t,
                                    int* status) {
#define TIDE_ENTRY(member, entry, parameters) {entry, reinterpret_cast<void*>(&fake::member)},
  static const fake::Entry entries[] = {TIDE_CUDA_DRIVER(TIDE_ENTRY)};
#undef TIDE_ENTRY
  *address = nullptr;
  if (status) *status = 1;
  if (version > fake::settings().version || fake::settings().missing == name)
    return fake::kEntryNotFound;
  for (const fake::Entry& entry : entries)
    if (std::strcmp(entry.name, name) == 0) *address = entry.address;
  if (!*address) return fake::kEntryNotFound;
  if (status) *status = 0;
  return 0;
}
