// Sizes of arrays that files speak of.
#include "runtime/io/host_array.h"

namespace tide {

bool checked_bytes(const Shape& shape, DType type, uint64_t* bytes) {
  // A size of 0 does not excuse the others: numel would overflow on the way to it.
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
