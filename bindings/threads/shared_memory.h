// Memory that two processes see.
#pragma once

#include <cstddef>
#include <memory>

namespace tide::bindings {

/// Memory without a name, which a descriptor hands to another process.
class SharedMemory {
 public:
  /// New memory of so many bytes. Throws MemoryError.
  explicit SharedMemory(size_t size);
  /// Takes over the descriptor of one that came. Throws Error if it is none.
  static std::shared_ptr<SharedMemory> of_descriptor(int descriptor);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int descriptor() const { return descriptor_; }
  size_t size() const { return size_; }
  /// The bytes, which stay there as long as the pointer. Throws MemoryError.
  std::shared_ptr<std::byte[]> map() const;

 private:
  SharedMemory(int descriptor, size_t size) : descriptor_(descriptor), size_(size) {}

  const int descriptor_;
  const size_t size_;
};

}  // namespace tide::bindings
