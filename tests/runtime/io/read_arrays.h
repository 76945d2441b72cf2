// What a safetensors file holds, as arrays.
#pragma once

#include "runtime/io/safetensors.h"

namespace tide::test {

inline NamedArrays read_arrays(const std::string& path, FileMetadata* metadata = nullptr) {
  NamedArrays arrays;
  FileMetadata found = read_safetensors(path, [&](const StoredTensor& stored) {
    HostArray array(stored.type, stored.shape);
    stored.read({array.data.get(), array.bytes()});
    arrays.emplace_back(stored.name, std::move(array));
  });
  if (metadata) *metadata = std::move(found);
  return arrays;
}

}  // namespace tide::test
