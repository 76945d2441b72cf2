// Finds the block of a tensor's value.
#include "runtime/tensor/block.h"

#include "runtime/tensor/body.h"

namespace tide {

std::optional<Block> block_of(const Tensor& x) {
  const Storage* storage = x.body().cell->value->storage.get();
  if (!storage) return std::nullopt;
  return Block{storage->data, storage->bytes, storage->holder->site()};
}

}  // namespace tide
