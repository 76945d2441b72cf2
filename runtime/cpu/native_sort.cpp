// Stable sorting along the last dimension.
#include <algorithm>
#include <bit>

#include "runtime/cpu/native.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/visit_type.h"

namespace tide {
namespace {

/// Rows up to this length are sorted by comparing, longer ones digit by digit.
constexpr int64_t kShortRow = 512;
constexpr int kDigitBits = 11;
constexpr int kDigits = 1 << kDigitBits;

/// The unsigned integer with as many bits as T.
template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

/// A number that is ordered as x is: -0 equals 0, and a nan is above all others.
template <class T>
Bits<Wide<T>> sort_key(T x) {
  using W = Wide<T>;
  using B = Bits<W>;
  constexpr B top = static_cast<B>(B(1) << (8 * sizeof(W) - 1));
  if constexpr (std::is_floating_point_v<W>) {
    const W value = x;
    if (is_nan(value)) return static_cast<B>(~B(0));
    const B bits = std::bit_cast<B>(value == 0 ? W(0) : value);
    return bits & top ? ~bits : bits | top;
  } else if constexpr (std::is_signed_v<W>) {
    return static_cast<B>(static_cast<B>(x) ^ top);
  } else {
    return static_cast<B>(x);
  }
}

struct Entry {
  uint64_t key;
  int64_t position;
};

/// Sorts by the lowest `bits` bits of the keys, least significant digit first, which keeps the
/// order of equal keys. `spare` has room for as many entries. Returns where the result lies.
Entry* sort_by_digits(Entry* entries, Entry* spare, int64_t count, int bits) {
  for (int shift = 0; shift < bits; shift += kDigitBits) {
    int64_t starts[kDigits + 1] = {};
    const auto digit = [shift](const Entry& entry) { return entry.key >> shift & (kDigits - 1); };
    for (int64_t i = 0; i < count; ++i) ++starts[digit(entries[i]) + 1];
    // A digit that all keys share changes nothing.
    if (starts[digit(entries[0]) + 1] == count) continue;
    for (int d = 0; d < kDigits; ++d) starts[d + 1] += starts[d];
    for (int64_t i = 0; i < count; ++i) spare[starts[digit(entries[i])]++] = entries[i];
    std::swap(entries, spare);
  }
  return entries;
}

template <class T>
void sort_row(const T* x, T* values, int64_t* positions, int64_t length, bool descending) {
  static thread_local Scratch scratch;
  constexpr int bits = 8 * sizeof(Wide<T>);
  Entry* entries = scratch.get<Entry>(2 * length);
  const uint64_t flip = descending ? ~uint64_t(0) >> (64 - bits) : 0;
  for (int64_t i = 0; i < length; ++i) entries[i] = {sort_key(x[i]) ^ flip, i};
  if (length <= kShortRow) {
    std::sort(entries, entries + length, [](const Entry& a, const Entry& b) {
      return a.key != b.key ? a.key < b.key : a.position < b.position;
    });
  } else {
    entries = sort_by_digits(entries, entries + length, length, bits);
  }
  for (int64_t i = 0; i < length; ++i) {
    values[i] = x[entries[i].position];
    positions[i] = entries[i].position + 1;
  }
}

}  // namespace

void native_sort(NativeCall& call) {
  const Shape& shape = call.inputs[0].layout.shape;
  const int64_t length = shape.rank() ? shape[shape.rank() - 1] : 1;
  if (shape.numel() == 0) return;
  const bool descending = call.attributes[0] != 0;
  visit_type(call.inputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto* x = static_cast<const T*>(call.inputs[0].data);
    auto* values = static_cast<T*>(call.outputs[0].data);
    auto* positions = static_cast<int64_t*>(call.outputs[1].data);
    call.parallel->for_range(shape.numel() / length, std::max<int64_t>(1, 1024 / length),
                             [&](int64_t begin, int64_t end) {
                               for (int64_t row = begin; row < end; ++row)
                                 sort_row(x + row * length, values + row * length,
                                          positions + row * length, length, descending);
                             });
  });
}

}  // namespace tide
