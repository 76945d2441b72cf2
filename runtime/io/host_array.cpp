// Array elements, and checked sizes from files.
#include "runtime/io/host_array.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "runtime/os/huge_pages.h"
#include "runtime/os/memory_budget.h"

namespace tide {

void ReturnElements::operator()(std::byte* elements) const {
  std::free(elements);
  return_memory(bytes);
}

HostArray::HostArray(DType type, const Shape& shape) : type(type), shape(shape) {
  const size_t size = bytes();
  require_memory(size);
  // The system allocates pages when they are first written. Huge pages take fewer page faults.
  const size_t page = size < 2 * kHugePage ? alignof(std::max_align_t) : kHugePage;
  auto* const elements = static_cast<std::byte*>(allocate_pages(std::max(size, size_t{1}), page));
  if (!elements) return_memory(size);
  if (!elements) throw std::bad_alloc();
  data = {elements, ReturnElements{size}};
}

void normalize_booleans(std::span<std::byte> elements) {
  for (std::byte& element : elements) element = std::byte(element != std::byte(0));
}

bool checked_bytes(const Shape& shape, DType type, uint64_t* bytes) {
  // A size of 0 does not exempt the others: numel would overflow on the way to it.
  uint64_t total = size_of(type);
  bool empty = false;
  for (int64_t size : shape) {
    empty |= size == 0;
    if (size > 0 && total > (uint64_t(1) << 62) / static_cast<uint64_t>(size)) return false;
    if (size > 0) total *= static_cast<uint64_t>(size);
  }
  *bytes = empty ? 0 : total;
  return true;
}

}  // namespace tide
