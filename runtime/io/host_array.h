// Arrays as files hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/core/dtype.h"
#include "runtime/core/shape.h"

namespace tide {

/// A row-major array in host memory. Moves, does not copy.
struct HostArray {
  DType type = DType::f32;
  Shape shape;
  std::unique_ptr<std::byte[]> data;

  HostArray() = default;
  /// Elements have undefined values.
  HostArray(DType type, const Shape& shape)
      : type(type),
        shape(shape),
        data(std::make_unique_for_overwrite<std::byte[]>(shape.numel() * size_of(type))) {}

  size_t bytes() const { return static_cast<size_t>(shape.numel()) * size_of(type); }
};

/// Arrays with their names, in the order of the file.
using NamedArrays = std::vector<std::pair<std::string, HostArray>>;

/// An array to be written; the elements stay the caller's.
struct ArrayToWrite {
  std::string name;
  DType type;
  Shape shape;
  const std::byte* data;

  size_t bytes() const { return static_cast<size_t>(shape.numel()) * size_of(type); }
};

/// shape.numel() * size_of(type), or false if that does not fit into 62 bits.
bool checked_bytes(const Shape& shape, DType type, uint64_t* bytes);

}  // namespace tide
