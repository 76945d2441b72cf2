// Memory shared by two processes.
#pragma once

#include <cstddef>
#include <memory>

namespace tide::bindings {

/// Anonymous memory that can be sent to another process as a descriptor.
class SharedMemory {
 public:
  /// Allocates `size` bytes. Throws MemoryError.
  explicit SharedMemory(size_t size);
  /// Takes ownership of a received descriptor. Throws Error if it is invalid.
  static std::shared_ptr<SharedMemory> of_descriptor(int descriptor);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int descriptor() const { return descriptor_; }
  size_t size() const { return size_; }
  /// Maps the bytes for the lifetime of the pointer. Throws MemoryError.
  std::shared_ptr<std::byte[]> map() const;

 private:
  SharedMemory(int descriptor, size_t size) : descriptor_(descriptor), size_(size) {}

  const int descriptor_;
  const size_t size_;
};

}  // namespace tide::bindings
