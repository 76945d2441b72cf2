// The innermost loops of a scatter, for each element type. compute_scatter.cpp has what all types
// share.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "runtime/cpu/ops/range_check.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/types/shape.h"

namespace tide {

/// How a value is combined with its target. Minima and maxima are nan if either value is.
enum class Put { write, add, max, min };

/// The layouts of the array, the index and the source of a scatter, in this order: strides in
/// elements before, along and after the dimension.
struct ScatterArrays {
  std::array<std::array<int64_t, kMaxDims>, 3> outer, inner;
  std::array<int64_t, 3> along;
  /// The stride of all dimensions after it, if they can be walked as one.
  std::array<std::optional<int64_t>, 3> joined;
  Shape outer_shape, inner_shape;
  int64_t size = 0;         ///< of the array along the dimension
  int64_t length = 0;       ///< of the index along it
  int64_t inner_count = 0;  ///< fibers of a block
  bool far = false;         ///< the targets of a fiber exceed the first-level cache
};

/// A part of a block: fibers first to last, or points first to last of its only fiber.
struct ScatterPart {
  void* to;
  const int64_t* positions;
  const void* values;
  int64_t block, first, last;
};

/// Values for one row of the array, by their indices in the source.
struct ScatterRow {
  void* to;
  const void* values;
  const int64_t* begin;
  const int64_t* end;
  int64_t count;      ///< neighbouring elements
  bool another_next;  ///< the list of another row follows
};

/// A value and its target, counted from the first target of its bucket.
template <class T>
struct ScatterEntry {
  uint32_t offset;
  T value;
};

using ScatterLoop = void (*)(const ScatterArrays& arrays, RangeCheck& check,
                             const ScatterPart& part);

/// The loops for one type of values and of targets.
struct ScatterLoops {
  int64_t value_size, target_size;  ///< bytes
  ScatterLoop fiber, rows, dense, strided;
  void (*row_of_targets)(const ScatterArrays& arrays, const ScatterRow& row);
  void (*neighbours)(void* to, const void* from, int64_t count);
  /// Puts values, each in a ScatterEntry, into a bucket of targets.
  void (*entries)(void* to, const void* entries, int64_t first, int64_t last, int64_t stride);
};

/// The loops that add; halves are summed in float. For all types.
const ScatterLoops& scatter_add_loops(DType type);
/// The loops that keep the largest, or the smallest. For all types.
const ScatterLoops& scatter_minmax_loops(DType type, bool largest);

constexpr int64_t kCacheLine = 64;
/// Prefetch distance in positions: the targets are anywhere in memory.
constexpr int64_t kScatterAhead = 16;
/// How much of a row is prefetched; the processor's own prefetching continues from there.
constexpr uintptr_t kPrefetchedBytes = 256;

/// The values are of type T, the targets of type To.
template <class T, class To, Put kPut>
class TypedScatter {
 public:
  static constexpr ScatterLoops loops() {
    return {sizeof(T), sizeof(To),     fiber,      rows,   dense,
            strided,   row_of_targets, neighbours, entries};
  }

 private:
  static void put(To& cell, T value) {
    const To wide = static_cast<To>(value);
    if constexpr (kPut == Put::write) cell = wide;
    if constexpr (kPut == Put::add) cell = static_cast<To>(cell + wide);
    if constexpr (kPut == Put::max) cell = wide > cell || is_nan(Wide<To>(wide)) ? wide : cell;
    if constexpr (kPut == Put::min) cell = wide < cell || is_nan(Wide<To>(wide)) ? wide : cell;
  }

  static To* target_of(const ScatterPart& part) { return static_cast<To*>(part.to); }
  static const T* values_of(const ScatterPart& part) { return static_cast<const T*>(part.values); }

  /// Prefetches for the position `kScatterAhead` steps after j, whatever its value: the first of
  /// `count` neighbouring targets and their values.
  static void prefetch(const ScatterArrays& arrays, const To* target, const int64_t* positions,
                       const T* values, int64_t j, int64_t count = 1) {
    if (!arrays.far || j + kScatterAhead >= arrays.length) return;
    const int64_t next = j + kScatterAhead;
    const auto offset = static_cast<uintptr_t>(positions[next * arrays.along[1]]) - 1;
    const uintptr_t distance = offset * static_cast<uintptr_t>(arrays.along[0]) * sizeof(To);
    const auto to = reinterpret_cast<uintptr_t>(target) + distance;
    const auto from = reinterpret_cast<uintptr_t>(values + next * arrays.along[2]);
    const auto bytes =
        std::min<uintptr_t>(kPrefetchedBytes, static_cast<uintptr_t>(count) * sizeof(To));
    for (uintptr_t byte = 0; byte < bytes; byte += kCacheLine) {
      __builtin_prefetch(reinterpret_cast<const void*>(to + byte), 1);
      __builtin_prefetch(reinterpret_cast<const void*>(from + byte));
    }
  }

  /// Prefetches the start of values elsewhere in memory; the processor's own prefetching continues
  /// from there.
  static void prefetch_values(const T* values, int64_t count) {
    const auto bytes =
        std::min<uintptr_t>(kPrefetchedBytes, static_cast<uintptr_t>(count) * sizeof(T));
    for (uintptr_t byte = 0; byte < bytes; byte += kCacheLine)
      __builtin_prefetch(reinterpret_cast<const std::byte*>(values) + byte);
  }

  /// Puts values into neighbouring fibers of a row: one value each, or one that they share.
  static void put_row(To* __restrict to, const T* __restrict from, int64_t count, bool shared) {
    if (!shared)
      for (int64_t i = 0; i < count; ++i) put(to[i], from[i]);
    else
      for (int64_t i = 0; i < count; ++i) put(to[i], *from);
  }

  static void neighbours(void* to, const void* from, int64_t count) {
    put_row(static_cast<To*>(to), static_cast<const T*>(from), count, false);
  }

  /// The points first to last of a fiber.
  static void fiber(const ScatterArrays& arrays, RangeCheck& check, const ScatterPart& part) {
    if (!arrays.far && arrays.along[0] == 1 && arrays.along[1] == 1)
      return near_fiber(arrays, check, part);
    To* const target = target_of(part);
    const T* const values = values_of(part);
    const int64_t* const positions = part.positions;
    const auto [to_stride, position_stride, value_stride] = arrays.along;
    const int64_t before = part.block * arrays.length;
    for (int64_t j = part.first; j < part.last; ++j) {
      prefetch(arrays, target, positions, values, j);
      const int64_t position = positions[j * position_stride];
      if (check.allows(position, before + j))
        put(target[(position - 1) * to_stride], values[j * value_stride]);
    }
  }

  /// A contiguous fiber with a contiguous index, small enough for the first-level cache.
  static void near_fiber(const ScatterArrays& arrays, RangeCheck& check, const ScatterPart& part) {
    To* const target = target_of(part);
    const T* const values = values_of(part);
    const int64_t* const positions = part.positions;
    const auto size = static_cast<uint64_t>(arrays.size);
    const int64_t stride = arrays.along[2];
    const int64_t before = part.block * arrays.length, end = part.last;
    int64_t j = part.first;
    // Eight values are read before the first is put, because a read after a write waits for the
    // write's address.
    for (; j + 8 <= end; j += 8) {
      uint64_t offsets[8];
      T taken[8];
      bool outside = false;
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        offsets[i] = static_cast<uint64_t>(positions[j + i]) - 1;
        outside |= offsets[i] >= size;
        taken[i] = values[(j + i) * stride];
      }
      if (outside) [[unlikely]]
        break;
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) put(target[offsets[i]], taken[i]);
    }
    for (; j < end; ++j) {
      const uint64_t offset = static_cast<uint64_t>(positions[j]) - 1;
      if (offset < size) [[likely]]
        put(target[offset], values[j * stride]);
      else
        check.allows(positions[j], before + j);
    }
  }

  /// All fibers of a row share their position, and are contiguous in the source or share their
  /// value.
  static void rows(const ScatterArrays& arrays, RangeCheck& check, const ScatterPart& part) {
    To* const target = target_of(part) + part.first;
    const bool shared = arrays.joined[2] != 1;
    const int64_t count = part.last - part.first;
    for (int64_t j = 0; j < arrays.length; ++j) {
      prefetch(arrays, target, part.positions, values_of(part) + part.first, j, count);
      const int64_t position = part.positions[j * arrays.along[1]];
      const int64_t offset = (part.block * arrays.length + j) * arrays.inner_count + part.first;
      if (!check.allows(position, offset)) continue;
      const T* from = values_of(part) + j * arrays.along[2];
      put_row(target + (position - 1) * arrays.along[0], shared ? from : from + part.first, count,
              shared);
    }
  }

  static void row_of_targets(const ScatterArrays& arrays, const ScatterRow& row) {
    const bool shared = arrays.joined[2] != 1;
    const T* const values = static_cast<const T*>(row.values);
    for (const int64_t* entry = row.begin; entry < row.end; ++entry) {
      if (row.another_next || entry + 1 < row.end)
        prefetch_values(values + entry[1] * arrays.along[2], shared ? 1 : row.count);
      put_row(static_cast<To*>(row.to), values + *entry * arrays.along[2], row.count, shared);
    }
  }

  /// Fibers are contiguous in all three arrays.
  static void dense(const ScatterArrays& arrays, RangeCheck& check, const ScatterPart& part) {
    To* const target = target_of(part);
    const auto [to_stride, position_stride, value_stride] = arrays.along;
    const int64_t first = part.first, last = part.last;
    for (int64_t j = 0; j < arrays.length; ++j) {
      const int64_t* row = part.positions + j * position_stride;
      const T* from = values_of(part) + j * value_stride;
      const int64_t before = (part.block * arrays.length + j) * arrays.inner_count;
      for (int64_t i = first; i < last; ++i)
        if (check.allows(row[i], before + i)) put(target[(row[i] - 1) * to_stride + i], from[i]);
    }
  }

  static void strided(const ScatterArrays& arrays, RangeCheck& check, const ScatterPart& part) {
    const auto& inner = arrays.inner;
    const auto [to_stride, position_stride, value_stride] = arrays.along;
    for (int64_t j = 0; j < arrays.length; ++j) {
      StridedWalk<3> walk(arrays.inner_shape, {inner[0].data(), inner[1].data(), inner[2].data()},
                          part.first);
      const int64_t before = (part.block * arrays.length + j) * arrays.inner_count;
      for (int64_t i = part.first; i < part.last; ++i, walk.next()) {
        const int64_t position = part.positions[j * position_stride + walk.offset(1)];
        if (check.allows(position, before + i))
          put(target_of(part)[walk.offset(0) + (position - 1) * to_stride],
              values_of(part)[j * value_stride + walk.offset(2)]);
      }
    }
  }

  static void entries(void* to, const void* entries, int64_t first, int64_t last, int64_t stride) {
    To* const target = static_cast<To*>(to);
    const auto* const all = static_cast<const ScatterEntry<T>*>(entries);
    for (int64_t i = first; i < last; ++i) put(target[all[i].offset * stride], all[i].value);
  }
};

}  // namespace tide
