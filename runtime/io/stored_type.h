// Element types in files, including those that tide lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "runtime/io/byte_file.h"
#include "runtime/types/dtype.h"
#include "runtime/types/shape.h"

namespace tide {

/// The type of an element in a file. Unsigned integers of 2, 4 and 8 bytes, which tide lacks,
/// become int32, int64 and int64, the last if they are below 2^63.
struct StoredType {
  DType type;                     ///< in memory
  size_t bytes;                   ///< of an element in the file
  const char* widened = nullptr;  ///< the name of a type that tide lacks

  constexpr StoredType(DType type) : type(type), bytes(size_of(type)) {}  // NOLINT: implicit
  constexpr StoredType(const char* name, size_t bytes)
      : type(bytes == 2 ? DType::i32 : DType::i64), bytes(bytes), widened(name) {}

  std::string name() const { return widened ? widened : std::string(name_of(type)); }
};

inline constexpr StoredType kUnsigned16{"uint16", 2}, kUnsigned32{"uint32", 4},
    kUnsigned64{"uint64", 8};

/// The bytes of the elements in the file, or false if their size in memory exceeds 62 bits.
bool checked_bytes(const Shape& shape, const StoredType& type, uint64_t* bytes);

/// Fills `elements` from the file; `swapped`: with swapped bytes. Booleans become 0 or 1. Throws an
/// error naming `place` for a value that is out of range.
void read_elements(ByteSource& source, const StoredType& type, bool swapped,
                   std::span<std::byte> elements, const std::string& place);

/// Reports on stderr that elements of a file have another type in memory.
void note_widened(const std::string& file, const StoredType& type);

}  // namespace tide
