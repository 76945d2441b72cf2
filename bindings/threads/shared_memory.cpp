// Creates and maps memory shared by two processes.
#include "bindings/threads/shared_memory.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "runtime/types/error.h"
#include "runtime/types/size_text.h"

namespace tide::bindings {
namespace {

[[noreturn]] void fail(size_t size) {
  throw MemoryError("out of memory: " + size_text(size) + " to share with another process");
}

}  // namespace

SharedMemory::SharedMemory(size_t size)
    : descriptor_(memfd_create("tide", MFD_CLOEXEC)), size_(size) {
  if (descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(size)) == 0) return;
  if (descriptor_ >= 0) close(descriptor_);
  fail(size);
}

std::shared_ptr<SharedMemory> SharedMemory::of_descriptor(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0)
    throw Error("process: received an invalid shared-memory descriptor");
  return std::shared_ptr<SharedMemory>(
      new SharedMemory(descriptor, static_cast<size_t>(status.st_size)));
}

SharedMemory::~SharedMemory() { close(descriptor_); }

std::shared_ptr<std::byte[]> SharedMemory::map() const {
  void* const start =
      mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, descriptor_, 0);
  if (start == MAP_FAILED) fail(size_);
  return {static_cast<std::byte*>(start),
          [size = size_](std::byte* bytes) { munmap(bytes, size); }};
}

}  // namespace tide::bindings
