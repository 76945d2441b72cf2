// Stable sorting of rows: tiles in shared memory, then runs merged in pairs, an entry per thread.
#include <type_traits>

#include "runtime/cuda/kernels/arguments.h"
#include "runtime/cuda/kernels/element.cuh"

namespace tide::cuda {
namespace {

/// A key and where it stood, in order of both: no two entries are equal, so any sorting is stable.
/// Keys of up to 32 bits and their positions share one word.
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

/// Behind all others.
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

/// A number that is ordered as x is: -0 equals 0, and a nan is above all others.
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

/// A block sorts tiles of g.tile entries, kSortTile in all, by a bitonic network.
template <class T>
__device__ void sort_tiles(const SortArguments& g) {
  __shared__ Entry<T> entries[kSortTile];
  const int64_t tiles_per_row = (g.length + g.tile - 1) / g.tile;
  const int64_t tiles = g.rows * tiles_per_row, at_once = kSortTile / g.tile;
  for (int64_t first = blockIdx.x * at_once; first < tiles; first += gridDim.x * at_once) {
    /// The element that entry `slot` of the block is, or -1.
    const auto element = [&](int slot) -> int64_t {
      const int64_t tile = first + slot / g.tile;
      const int64_t place = tile % tiles_per_row * g.tile + slot % g.tile;
      return tile < tiles && place < g.length ? tile / tiles_per_row * g.length + place : -1;
    };
    for (int slot = threadIdx.x; slot < kSortTile; slot += blockDim.x) {
      const int64_t from = element(slot);
      Entry<T> entry = last_entry<Entry<T>>();
      if (from >= 0) {
        const auto key = sort_key(static_cast<const T*>(g.x)[from]);
        entry = entry_of(g.descending ? static_cast<decltype(key)>(~key) : key,
                         static_cast<uint64_t>(from % g.length));
      }
      entries[slot] = entry;
    }
    for (int size = 2; size <= g.tile; size *= 2)
      for (int distance = size / 2; distance > 0; distance /= 2) {
        __syncthreads();
        for (int pair = threadIdx.x; pair < kSortTile / 2; pair += blockDim.x) {
          const int low = pair / distance * 2 * distance + pair % distance;
          const int high = low + distance;
          // Runs of `size` rise and fall by turns; the last ones, whole tiles, rise.
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

/// Merges pairs of runs of g.run entries: an entry's place is the number of those before it, of its
/// own run and of the other one.
template <class Entry>
__device__ void merge_runs(const SortArguments& g) {
  const auto* from = static_cast<const Entry*>(g.sorted);
  auto* to = static_cast<Entry*>(g.merged);
  for (int64_t i = thread_number(); i < g.rows * g.length; i += thread_count()) {
    const int64_t row = i / g.length * g.length, place = i - row;
    const int64_t pair = place / (2 * g.run) * 2 * g.run;
    const bool second = place - pair >= g.run;
    const int64_t begin = second ? pair : pair + g.run;
    const int64_t end = begin + g.run < g.length ? begin + g.run : g.length;
    const Entry entry = from[i];
    int64_t low = begin, high = end;  // all before low are before the entry, none from high on
    while (low < high) {
      const int64_t middle = low + (high - low) / 2;
      if (from[row + middle] < entry)
        low = middle + 1;
      else
        high = middle;
    }
    const int64_t others = begin < end ? low - begin : 0;
    to[row + pair + (place - pair) % g.run + others] = entry;
  }
}

/// The first g.kept of each row.
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

#define TIDE_SORT(name, T)                                                                 \
  extern "C" __global__ void __launch_bounds__(256) sort_tiles_##name(SortArguments g) {   \
    sort_tiles<T>(g);                                                                      \
  }                                                                                        \
  extern "C" __global__ void __launch_bounds__(256) write_sorted_##name(SortArguments g) { \
    write_sorted<T>(g);                                                                    \
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
