// Arrays of files from and to strings of bytes.
#pragma once

#include <cstddef>
#include <string>

#include "runtime/io/host_array.h"
#include "runtime/types/dtype.h"
#include "runtime/types/shape.h"

namespace tide::test {

/// `bytes` outlives it.
inline ArrayToWrite to_write(const std::string& name, DType type, const Shape& shape,
                             const std::string& bytes) {
  return {name, type, shape, reinterpret_cast<const std::byte*>(bytes.data())};
}

inline std::string text_of(const HostArray& array) {
  return {reinterpret_cast<const char*>(array.data.get()), array.bytes()};
}

}  // namespace tide::test
