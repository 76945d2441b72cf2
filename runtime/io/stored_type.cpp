// Reads elements, and widens types that tide lacks.
#include "runtime/io/stored_type.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "runtime/io/host_array.h"

namespace tide {
namespace {

void swap_bytes(std::span<std::byte> bytes, size_t size) {
  for (size_t i = 0; i + size <= bytes.size(); i += size)
    std::reverse(bytes.begin() + i, bytes.begin() + i + size);
}

/// Widens unsigned integers at the end of `elements` to fill it: each is read before its position
/// is overwritten.
template <class From, class To>
void widen(std::span<std::byte> elements, const std::string& place) {
  const size_t count = elements.size() / sizeof(To);
  const std::byte* const stored = elements.data() + elements.size() - count * sizeof(From);
  for (size_t i = 0; i < count; ++i) {
    From number;
    std::memcpy(&number, stored + i * sizeof number, sizeof number);
    const auto wide = static_cast<To>(number);
    if (wide < 0)
      throw_file_error(place, "holds " + std::to_string(number) + ", which int64 cannot hold");
    std::memcpy(elements.data() + i * sizeof wide, &wide, sizeof wide);
  }
}

}  // namespace

bool checked_bytes(const Shape& shape, const StoredType& type, uint64_t* bytes) {
  if (!checked_bytes(shape, type.type, bytes)) return false;
  *bytes = *bytes / size_of(type.type) * type.bytes;
  return true;
}

void read_elements(ByteSource& source, const StoredType& type, bool swapped,
                   std::span<std::byte> elements, const std::string& place) {
  const std::span stored = elements.last(elements.size() / size_of(type.type) * type.bytes);
  source.read(stored);
  if (swapped) swap_bytes(stored, type.bytes);
  if (type.type == DType::boolean) normalize_booleans(elements);
  if (!type.widened) return;
  if (type.bytes == 2) widen<uint16_t, int32_t>(elements, place);
  if (type.bytes == 4) widen<uint32_t, int64_t>(elements, place);
  if (type.bytes == 8) widen<uint64_t, int64_t>(elements, place);
}

void note_widened(const std::string& file, const StoredType& type) {
  std::fprintf(stderr, "tide: %s: elements of type %s are read as %s\n", file.c_str(), type.widened,
               std::string(name_of(type.type)).c_str());
}

}  // namespace tide
