// Stable sort of rows. Short rows: sorts tiles in shared memory, then merges pairs of runs, an
// entry per thread. Long rows: radix sort, lowest digit first; counts the digits of each chunk and
// scans the counts for the offsets of its entries.
#include <cub/block/block_radix_rank.cuh>
#include <cub/block/block_scan.cuh>
#include <type_traits>

#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

/// A key and its original position, ordered by both: entries are unique, so any sort is stable.
/// Keys of up to 32 bits are packed into one word with their positions.
using PackedEntry = uint64_t;
struct WideEntry {
  uint64_t key, position;
};

__device__ bool operator<(const WideEntry& a, const WideEntry& b) {
  return a.key != b.key ? a.key < b.key : a.position < b.position;
}

template <class T>
using Entry = std::conditional_t<sizeof(Wide<T>) == 8, WideEntry, PackedEntry>;

__device__ PackedEntry entry_of(uint32_t key, uint64_t position) {
  return uint64_t{key} << 32 | position;
}
__device__ WideEntry entry_of(uint64_t key, uint64_t position) { return {key, position}; }
__device__ int64_t position_of(PackedEntry entry) { return static_cast<uint32_t>(entry); }
__device__ int64_t position_of(const WideEntry& entry) {
  return static_cast<int64_t>(entry.position);
}

/// The digit that starts at `bit` of the key.
__device__ uint32_t digit_of(PackedEntry entry, int bit) {
  return static_cast<uint32_t>(entry >> (32 + bit)) % kDigits;
}
__device__ uint32_t digit_of(const WideEntry& entry, int bit) {
  return static_cast<uint32_t>(entry.key >> bit) % kDigits;
}

/// Sorts after all others.
template <class Entry>
__device__ Entry last_entry();
template <>
__device__ PackedEntry last_entry() {
  return ~PackedEntry{0};
}
template <>
__device__ WideEntry last_entry() {
  return {~uint64_t{0}, ~uint64_t{0}};
}

__device__ uint32_t bits_of(float x) { return __float_as_uint(x); }
__device__ uint64_t bits_of(double x) { return static_cast<uint64_t>(__double_as_longlong(x)); }

/// An unsigned key with the order of x: -0 equals 0, and nan is above all others.
template <class T>
__device__ auto sort_key(T x) {
  using W = Wide<T>;
  using Key = std::conditional_t<sizeof(W) == 8, uint64_t, uint32_t>;
  if constexpr (std::is_floating_point_v<W>) {
    constexpr Key top = Key{1} << (8 * sizeof(W) - 1);
    const W value = widen(x);
    if (is_nan(value)) return ~Key{0};
    const Key bits = bits_of(value == 0 ? W(0) : value);
    return bits & top ? ~bits : bits | top;
  } else {
    constexpr Key top = std::is_signed_v<W> ? Key{1} << (8 * sizeof(W) - 1) : 0;
    return static_cast<Key>(static_cast<std::make_unsigned_t<W>>(x)) ^ top;
  }
}

/// The entry of element `from` and its position in the row.
template <class T>
__device__ Entry<T> entry_at(const SortArguments& g, int64_t from) {
  const auto key = sort_key(static_cast<const T*>(g.x)[from]);
  return entry_of(g.descending ? static_cast<decltype(key)>(~key) : key,
                  static_cast<uint64_t>(from % g.length));
}

/// A block sorts tiles of g.tile entries, kSortTile in all, by a bitonic network.
template <class T>
__device__ void sort_tiles(const SortArguments& g) {
  __shared__ Entry<T> entries[kSortTile];
  const int64_t tiles_per_row = (g.length + g.tile - 1) / g.tile;
  const int64_t tiles = g.rows * tiles_per_row, at_once = kSortTile / g.tile;
  for (int64_t first = blockIdx.x * at_once; first < tiles; first += gridDim.x * at_once) {
    /// The index of the element in slot `slot` of the block, or -1.
    const auto element = [&](int slot) -> int64_t {
      const int64_t tile = first + slot / g.tile;
      const int64_t index = tile % tiles_per_row * g.tile + slot % g.tile;
      return tile < tiles && index < g.length ? tile / tiles_per_row * g.length + index : -1;
    };
    for (int slot = threadIdx.x; slot < kSortTile; slot += blockDim.x) {
      const int64_t from = element(slot);
      entries[slot] = from >= 0 ? entry_at<T>(g, from) : last_entry<Entry<T>>();
    }
    for (int size = 2; size <= g.tile; size *= 2)
      for (int distance = size / 2; distance > 0; distance /= 2) {
        __syncthreads();
        for (int pair = threadIdx.x; pair < kSortTile / 2; pair += blockDim.x) {
          const int low = pair / distance * 2 * distance + pair % distance;
          const int high = low + distance;
          // Runs of `size` alternately ascend and descend; the last ones, full tiles, ascend.
          const bool rising = size == g.tile || (low & size) == 0;
          const Entry<T> a = entries[low], b = entries[high];
          if (rising ? b < a : a < b) {
            entries[low] = b;
            entries[high] = a;
          }
        }
      }
    __syncthreads();
    for (int slot = threadIdx.x; slot < kSortTile; slot += blockDim.x) {
      const int64_t to = element(slot);
      if (to >= 0) static_cast<Entry<T>*>(g.sorted)[to] = entries[slot];
    }
    __syncthreads();
  }
}

/// Merges pairs of runs of g.run entries: an entry's index is the number of entries before it in
/// both runs.
template <class Entry>
__device__ void merge_runs(const SortArguments& g) {
  const auto* from = static_cast<const Entry*>(g.sorted);
  auto* to = static_cast<Entry*>(g.merged);
  for (int64_t i = thread_number(); i < g.rows * g.length; i += thread_count()) {
    const int64_t row = i / g.length * g.length, index = i - row;
    const int64_t pair = index / (2 * g.run) * 2 * g.run;
    const bool second = index - pair >= g.run;
    const int64_t begin = second ? pair : pair + g.run;
    const int64_t end = begin + g.run < g.length ? begin + g.run : g.length;
    const Entry entry = from[i];
    int64_t low = begin, high = end;  // [begin, low) sort before the entry, [high, end) do not
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (from[row + middle] < entry)
        low = middle + 1;
      else
        high = middle;
    }
    const int64_t others = begin < end ? low - begin : 0;
    to[row + pair + (index - pair) % g.run + others] = entry;
  }
}

template <class T>
__device__ void collect_entries(const SortArguments& g) {
  for (int64_t i = thread_number(); i < g.rows * g.length; i += thread_count())
    static_cast<Entry<T>*>(g.sorted)[i] = entry_at<T>(g, i);
}

/// The entries that a block processes at a time.
struct Chunk {
  int64_t row, begin, end;  ///< the row's first entry; the chunk's range in the row

  __device__ Chunk(const SortArguments& g, int64_t number)
      : row(number / g.chunks * g.length), begin(number % g.chunks * g.chunk) {
    end = begin + g.chunk < g.length ? begin + g.chunk : g.length;
  }
};

/// Counts the digits of each chunk.
template <class Entry>
__device__ void count_digits(const SortArguments& g) {
  __shared__ uint32_t counts[kDigits];
  const int digit = static_cast<int>(threadIdx.x);
  for (int64_t number = blockIdx.x; number < g.rows * g.chunks; number += gridDim.x) {
    const Chunk chunk(g, number);
    counts[digit] = 0;
    __syncthreads();
    const auto* entries = static_cast<const Entry*>(g.sorted) + chunk.row;
    for (int64_t i = chunk.begin + threadIdx.x; i < chunk.end; i += kDigitThreads)
      atomicAdd(&counts[digit_of(entries[i], g.bit)], 1u);
    __syncthreads();
    g.offsets[number * kDigits + digit] = counts[digit];
    __syncthreads();
  }
}

/// Computes the offset in the row of each chunk's first entry with each digit. A block per row.
__device__ void place_digits(const SortArguments& g) {
  using Scan = cub::BlockScan<uint32_t, kDigitThreads>;
  __shared__ typename Scan::TempStorage scan;
  for (int64_t row = blockIdx.x; row < g.rows; row += gridDim.x) {
    uint32_t* offsets = g.offsets + row * g.chunks * kDigits + threadIdx.x;
    uint32_t count = 0, index = 0;
#pragma unroll 8
    for (int chunk = 0; chunk < g.chunks; ++chunk) count += offsets[int64_t{chunk} * kDigits];
    Scan(scan).ExclusiveSum(count, index);
#pragma unroll 8
    for (int chunk = 0; chunk < g.chunks; ++chunk) {
      const uint32_t own = offsets[int64_t{chunk} * kDigits];
      offsets[int64_t{chunk} * kDigits] = index;
      index += own;
    }
    __syncthreads();
  }
}

/// Digit extractor for keys that are digits already.
struct WholeKey {
  __device__ static uint32_t Digit(uint32_t key) { return key; }
};

/// Moves each entry to its offset. Tiles are ordered in shared memory first, so that writes
/// coalesce.
template <class Entry>
__device__ void move_by_digit(const SortArguments& g) {
  constexpr int kOwn = kDigitTile / kDigitThreads, kWarp = 32;
  using Ranks = cub::BlockRadixRankMatch<kDigitThreads, kDigitBits, false>;
  __shared__ typename Ranks::TempStorage ranks_memory;
  __shared__ Entry ordered[kDigitTile];
  __shared__ uint32_t shifts[kDigits];      // from the index in `ordered` to that in the row
  __shared__ uint32_t starts[kDigits + 1];  // of each digit in `ordered`
  const int thread = static_cast<int>(threadIdx.x);
  const int first = thread / kWarp * kWarp * kOwn + thread % kWarp;  // of the tile
  if (thread == 0) starts[kDigits] = kDigitTile;
  for (int64_t number = blockIdx.x; number < g.rows * g.chunks; number += gridDim.x) {
    const Chunk chunk(g, number);
    const auto* from = static_cast<const Entry*>(g.sorted) + chunk.row;
    auto* to = static_cast<Entry*>(g.merged) + chunk.row;
    uint32_t next = g.offsets[number * kDigits + thread];  // of the thread's digit
    for (int64_t begin = chunk.begin; begin < chunk.end; begin += kDigitTile) {
      const int64_t left = chunk.end - begin;
      const int count = left < kDigitTile ? static_cast<int>(left) : kDigitTile;
      Entry entries[kOwn];
      uint32_t digits[kOwn];
      int ranks[kOwn], start[1];
#pragma unroll
      for (int i = 0; i < kOwn; ++i) {
        // Missing entries sort after all others.
        const int slot = first + i * kWarp;
        entries[i] = slot < count ? from[begin + slot] : last_entry<Entry>();
        digits[i] = digit_of(entries[i], g.bit);
      }
      Ranks(ranks_memory).RankKeys(digits, ranks, WholeKey(), start);
      starts[thread] = static_cast<uint32_t>(start[0]);
      shifts[thread] = next - static_cast<uint32_t>(start[0]);
#pragma unroll
      for (int i = 0; i < kOwn; ++i) ordered[ranks[i]] = entries[i];
      __syncthreads();
      next += starts[thread + 1] - starts[thread];
      for (int slot = thread; slot < count; slot += kDigitThreads) {
        const Entry entry = ordered[slot];
        to[shifts[digit_of(entry, g.bit)] + static_cast<uint32_t>(slot)] = entry;
      }
      __syncthreads();
    }
  }
}

/// Writes the first g.kept of each row.
template <class T>
__device__ void write_sorted(const SortArguments& g) {
  const auto* sorted = static_cast<const Entry<T>*>(g.sorted);
  for (int64_t i = thread_number(); i < g.rows * g.kept; i += thread_count()) {
    const int64_t row = i / g.kept * g.length;
    const int64_t position = position_of(sorted[row + i % g.kept]);
    static_cast<T*>(g.values)[i] = static_cast<const T*>(g.x)[row + position];
    g.positions[i] = position + 1;
  }
}

}  // namespace
}  // namespace tide::cuda

using namespace tide::cuda;

#define TIDE_SORT(name, T)                                                                    \
  extern "C" __global__ void __launch_bounds__(256) sort_tiles_##name(SortArguments g) {      \
    sort_tiles<T>(g);                                                                         \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(256) collect_entries_##name(SortArguments g) { \
    collect_entries<T>(g);                                                                    \
  }                                                                                           \
  extern "C" __global__ void __launch_bounds__(256) write_sorted_##name(SortArguments g) {    \
    write_sorted<T>(g);                                                                       \
  }
TIDE_FLOATING_TYPES(TIDE_SORT)
TIDE_INTEGER_TYPES(TIDE_SORT)
TIDE_SORT(bool, uint8_t)

extern "C" __global__ void __launch_bounds__(256) merge_runs_packed(SortArguments g) {
  merge_runs<PackedEntry>(g);
}
extern "C" __global__ void __launch_bounds__(256) merge_runs_wide(SortArguments g) {
  merge_runs<WideEntry>(g);
}

#define TIDE_DIGITS(name, Entry)                              \
  extern "C" __global__ void __launch_bounds__(kDigitThreads) \
      count_digits_##name(SortArguments g) {                  \
    count_digits<Entry>(g);                                   \
  }                                                           \
  extern "C" __global__ void __launch_bounds__(kDigitThreads) \
      move_by_digit_##name(SortArguments g) {                 \
    move_by_digit<Entry>(g);                                  \
  }
TIDE_DIGITS(packed, PackedEntry)
TIDE_DIGITS(wide, WideEntry)

extern "C" __global__ void __launch_bounds__(kDigitThreads) place_digits(SortArguments g) {
  tide::cuda::place_digits(g);
}
