// Arrays as stored in files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/types/dtype.h"
#include "runtime/types/shape.h"

namespace tide {

/// Frees an array's elements, which count against the memory budget (os/memory_budget.h).
struct ReturnElements {
  size_t bytes = 0;
  void operator()(std::byte* elements) const;
};

/// A row-major array in host memory. Moves, does not copy.
struct HostArray {
  DType type = DType::f32;
  Shape shape;
  std::unique_ptr<std::byte[], ReturnElements> data;

  HostArray() = default;
  /// Elements are uninitialized. Throws MemoryError.
  HostArray(DType type, const Shape& shape);

  size_t bytes() const { return static_cast<size_t>(shape.numel()) * size_of(type); }
  /// The bytes of its elements.
  std::string_view text() const { return {reinterpret_cast<const char*>(data.get()), bytes()}; }
};

/// Arrays with their names, in the order of the file.
using NamedArrays = std::vector<std::pair<std::string, HostArray>>;

/// An array to be written; does not own its elements.
struct ArrayToWrite {
  std::string name;
  DType type;
  Shape shape;
  const std::byte* data;

  size_t bytes() const { return static_cast<size_t>(shape.numel()) * size_of(type); }
};

/// Replaces each nonzero byte by 1, as kernels require of booleans.
void normalize_booleans(std::span<std::byte> elements);

/// shape.numel() * size_of(type), or false if that does not fit into 62 bits.
bool checked_bytes(const Shape& shape, DType type, uint64_t* bytes);

}  // namespace tide
