// Writing at positions that are stored in tensors.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <optional>
#include <utility>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/ops/range_check.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"

namespace tide {
namespace {

/// Elements worth a thread.
constexpr int64_t kGrain = 16384;

/// Strides of the dimensions first..last (exclusive).
std::array<int64_t, kMaxDims> strides_between(const Layout& layout, int first, int last) {
  std::array<int64_t, kMaxDims> strides{};
  for (int d = first; d < last; ++d) strides[d - first] = layout.strides[d];
  return strides;
}

Shape shape_between(const Shape& shape, int first, int last) {
  return Shape(std::span(shape.begin() + first, shape.begin() + last));
}

/// The stride with which the dimensions first..last (exclusive) of `shape` are walked as if they
/// were one; nothing if they cannot be. Dimensions of size 1 do not count.
std::optional<int64_t> joined_stride(const Layout& layout, const Shape& shape, int first,
                                     int last) {
  int64_t stride = 0, size = 1;
  for (int d = last - 1; d >= first; --d) {
    if (shape[d] == 1) continue;
    if (size == 1)
      stride = layout.strides[d];
    else if (layout.strides[d] != stride * size)
      return {};
    size *= shape[d];
  }
  return stride;
}

/// How far ahead the places that will be written are asked for: they lie anywhere in memory.
constexpr int64_t kAhead = 16;
constexpr int64_t kCacheLine = 64;
/// Targets of so many bytes are in the first cache soon enough.
constexpr int64_t kNearBytes = 32 << 10;
/// How much of a row is asked for: behind that the processor sees by itself where it goes on.
constexpr uintptr_t kAskedBytes = 256;

/// to[i] = from[i], converted.
template <class From, class To>
void copy_all(Parallel& parallel, const From* from, To* to, int64_t count) {
  parallel.for_range(count, 2 * kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

/// What becomes of an element where a value is put. Minima and maxima are nan if either is.
enum class Put { write, add, max, min };

/// Puts a source into an array, which first takes the elements of `base` unless it is
/// that. The source is of type T, the array of type To: where many addends meet in one place,
/// halves are summed in float.
///
/// Points that differ only along dim (a fiber) may meet, so one part takes them all, in order.
template <class T, class To, Put kPut>
class Scatter {
 public:
  Scatter(ComputeCall& call, const To* base, To* to, const Layout& to_layout)
      : call_(call),
        index_(call.inputs[1].layout),
        source_(call.inputs[2].layout),
        to_layout_(to_layout),
        base_(base),
        to_(to),
        positions_(static_cast<const int64_t*>(call.inputs[1].data)),
        values_(static_cast<const T*>(call.inputs[2].data)),
        dim_(unpack<DimAttributes>(call.attributes).dim),
        check_(call, to_layout.shape[dim_]) {
    const Layout* layouts[] = {&to_layout_, &index_, &source_};
    for (int i = 0; i < 3; ++i) {
      outer_[i] = strides_between(*layouts[i], 0, dim_);
      inner_[i] = strides_between(*layouts[i], dim_ + 1, index_.rank());
      along_[i] = layouts[i]->strides[dim_];
      joined_[i] = joined_stride(*layouts[i], index_.shape, dim_ + 1, index_.rank());
    }
    outer_shape_ = shape_between(index_.shape, 0, dim_);
    inner_shape_ = shape_between(index_.shape, dim_ + 1, index_.rank());
    length_ = index_.shape[dim_];
    inner_count_ = inner_shape_.numel();
    far_ = to_layout_.shape[dim_] * along_[0] * static_cast<int64_t>(sizeof(To)) > kNearBytes;
  }

  void run() {
    const int64_t blocks = outer_shape_.numel();
    const bool one_fiber = blocks * inner_count_ == 1 && length_ >= kGrain;
    const bool by_bins = one_fiber && bins_pay();
    const bool by_buckets = one_fiber && !by_bins && buckets_pay();
    const int64_t share = fibers_together(), shares = (inner_count_ + share - 1) / share;
    // Fibers that fill the array take their part of the base while it is in cache.
    const bool whole_fibers = base_ != to_ && !by_bins && !by_buckets && fibers_fill_array(share);
    const bool rows = joined_[0] == 1 && joined_[1] == 0 && joined_[2].value_or(2) <= 1;
    if (base_ != to_ && !whole_fibers)
      copy_all(*call_.parallel, base_, to_, to_layout_.shape.numel());
    if (by_bins) return run_by_bins();
    if (by_buckets) return run_by_buckets();
    if (rows && targets_pay(share)) return run_by_targets(share, whole_fibers);
    const bool dense = joined_[0] == 1 && joined_[1] == 1 && joined_[2] == 1;
    const auto body = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t block = i / shares, first = i % shares * share;
        const int64_t last = std::min(inner_count_, first + share);
        const StridedWalk<3> start(outer_shape_,
                                   {outer_[0].data(), outer_[1].data(), outer_[2].data()}, block);
        To* target = to_ + start.offset(0);
        const int64_t* positions = positions_ + start.offset(1);
        const T* values = values_ + start.offset(2);
        if (whole_fibers) copy_fibers(base_ + start.offset(0), target, first, last);
        if (inner_count_ == 1)
          run_fiber(target, positions, values, block, 0, length_);
        else if (rows)
          run_rows(target, positions, values, block, first, last);
        else if (dense)
          run_dense(target, positions, values, block, first, last);
        else
          run_strided(target, positions, values, block, first, last);
      }
    };
    const int64_t work = std::max<int64_t>(1, length_ * share);
    call_.parallel->for_range(blocks * shares, std::max<int64_t>(1, kGrain / work), body);
  }

 private:
  static void put(To& cell, T value) {
    const To wide = static_cast<To>(value);
    if constexpr (kPut == Put::write) cell = wide;
    if constexpr (kPut == Put::add) cell = static_cast<To>(cell + wide);
    if constexpr (kPut == Put::max) cell = wide > cell || is_nan(Wide<To>(wide)) ? wide : cell;
    if constexpr (kPut == Put::min) cell = wide < cell || is_nan(Wide<To>(wide)) ? wide : cell;
  }

  /// Whether each fiber of the array is one of the index, and the `share` of them that a part takes
  /// lies in pieces that are worth a copy of their own.
  bool fibers_fill_array(int64_t share) const {
    constexpr int64_t kPieceBytes = 512;
    for (int d = 0; d < index_.shape.rank(); ++d)
      if (d != dim_ && index_.shape[d] != to_layout_.shape[d]) return false;
    return share == inner_count_ || share * static_cast<int64_t>(sizeof(To)) >= kPieceBytes;
  }

  /// The neighbouring fibers first to last of a block.
  void copy_fibers(const To* from, To* to, int64_t first, int64_t last) const {
    const int64_t size = to_layout_.shape[dim_];
    if (last - first == inner_count_) {
      std::copy_n(from, size * inner_count_, to);
      return;
    }
    for (int64_t i = 0; i < size; ++i)
      std::copy(from + i * inner_count_ + first, from + i * inner_count_ + last,
                to + i * inner_count_ + first);
  }

  /// How many neighbouring fibers one part takes at least: whole cache lines, as all parts go
  /// through all positions, and many of them if there are enough for all threads.
  int64_t fibers_together() const {
    const int64_t line = kCacheLine / static_cast<int64_t>(sizeof(T)), most = 64 * line;
    const int64_t fair = (inner_count_ / call_.parallel->threads() + line - 1) / line * line;
    return std::min(inner_count_, std::clamp(fair, line, most));
  }

  /// Asks for what the position `kAhead` steps behind j, whatever it may hold, will need: the first
  /// of `count` neighbouring targets and their values.
  void ask(const To* target, const int64_t* positions, const T* values, int64_t j,
           int64_t count = 1) const {
    if (!far_ || j + kAhead >= length_) return;
    const auto place = static_cast<uintptr_t>(positions[(j + kAhead) * along_[1]]) - 1;
    const uintptr_t distance = place * static_cast<uintptr_t>(along_[0]) * sizeof(To);
    const auto to = reinterpret_cast<uintptr_t>(target) + distance;
    const auto from = reinterpret_cast<uintptr_t>(values + (j + kAhead) * along_[2]);
    const auto bytes = std::min<uintptr_t>(kAskedBytes, static_cast<uintptr_t>(count) * sizeof(To));
    for (uintptr_t byte = 0; byte < bytes; byte += kCacheLine) {
      __builtin_prefetch(reinterpret_cast<const void*>(to + byte), 1);
      __builtin_prefetch(reinterpret_cast<const void*>(from + byte));
    }
  }

  /// Whether each thread may add to bins of its own: sums of integers do not depend on an order.
  bool bins_pay() const {
    const int64_t threads = call_.parallel->threads(), size = to_layout_.shape[dim_];
    return kPut == Put::add && std::is_integral_v<To> && threads > 1 &&
           size * threads <= length_ / 8;
  }

  /// The only fiber there is, each thread with bins of its own.
  void run_by_bins() {
    static thread_local Scratch memory;
    const int64_t size = to_layout_.shape[dim_], parts = call_.parallel->threads();
    To* const bins = memory.get<To>(static_cast<size_t>(parts * size));
    call_.parallel->for_range(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        std::fill_n(bins + part * size, size, To(0));
        run_fiber(bins + part * size, positions_, values_, 0, length_ * part / parts,
                  length_ * (part + 1) / parts);
      }
    });
    for (int64_t part = 0; part < parts; ++part)
      for (int64_t i = 0; i < size; ++i) to_[i] = static_cast<To>(to_[i] + bins[part * size + i]);
  }

  /// What is to be put into a target, which is counted from the first of its bucket.
  struct Entry {
    uint32_t place;
    T value;
  };

  /// Whether sorting into buckets, some five times the work of one thread that just writes, is
  /// worth it: for targets that an L2 cache does not hold, or with threads enough.
  bool buckets_pay() const {
    constexpr int64_t kCachedBytes = int64_t{2} << 20;
    constexpr int kEnoughThreads = 5;
    return to_layout_.shape[dim_] * static_cast<int64_t>(sizeof(To)) > kCachedBytes ||
           call_.parallel->threads() > kEnoughThreads;
  }

  /// Targets of a bucket, as a power of two: as many as half of an L2 cache holds, or more where
  /// there would be too many buckets to write to at once, or less for some buckets per thread.
  static int bucket_bits(int64_t targets, int64_t threads) {
    constexpr int64_t kBucketBytes = int64_t{1} << 19, kMostBuckets = 512;
    int bits = std::countr_zero(static_cast<uint64_t>(kBucketBytes) / sizeof(To));
    while (targets >> bits >= kMostBuckets) ++bits;
    while (bits > 0 && targets >> bits < 4 * threads) --bits;
    return bits;
  }

  /// The only fiber there is. Targets lie anywhere in memory, so the values are first sorted into
  /// buckets of targets that a cache holds, in the order in which they come (radix clustering:
  /// Manegold, Boncz, Kersten, "Optimizing main-memory join on modern hardware", 2002).
  void run_by_buckets() {
    constexpr int64_t kTogether = (int64_t{16} << 20) / sizeof(Entry);
    static thread_local Scratch entry_memory, count_memory;
    const int64_t size = to_layout_.shape[dim_], parts = call_.parallel->threads();
    const int bits = bucket_bits(size, parts);
    const int64_t buckets = (size >> bits) + 1;
    Entry* const entries = entry_memory.get<Entry>(std::min(length_, kTogether));
    int64_t* const counts = count_memory.get<int64_t>(parts * buckets);
    for (int64_t first = 0; first < length_; first += kTogether) {
      const int64_t together = std::min(length_ - first, kTogether);
      // Calls visit(j, place, the count of its bucket) for all points of each part.
      const auto for_points = [&](const auto& visit) {
        call_.parallel->for_range(parts, 1, [&](int64_t begin, int64_t end) {
          // By value: what is counted could be anything, for all that the compiler knows.
          const auto visit_part = [visit, bits, size, positions = positions_, stride = along_[1],
                                   &check = check_](int64_t j, int64_t last, int64_t* own) {
            for (; j < last; ++j) {
              const auto place = static_cast<uint64_t>(positions[j * stride]) - 1;
              if (place < static_cast<uint64_t>(size)) [[likely]]
                visit(j, place, own[place >> bits]);
              else
                check.allows(positions[j * stride], j);
            }
          };
          for (int64_t part = begin; part < end; ++part)
            visit_part(first + together * part / parts, first + together * (part + 1) / parts,
                       counts + part * buckets);
        });
      };
      std::fill_n(counts, parts * buckets, 0);
      for_points([](int64_t, uint64_t, int64_t& count) { ++count; });
      // From now on a count is the place of the part's next entry in the bucket.
      int64_t sum = 0;
      for (int64_t bucket = 0; bucket < buckets; ++bucket)
        for (int64_t part = 0; part < parts; ++part)
          sum += std::exchange(counts[part * buckets + bucket], sum);
      for_points([entries, values = values_, stride = along_[2], mask = (uint64_t{1} << bits) - 1](
                     int64_t j, uint64_t place, int64_t& next) {
        entries[next++] = {static_cast<uint32_t>(place & mask), values[j * stride]};
      });
      const int64_t* const ends = counts + (parts - 1) * buckets;
      call_.parallel->for_range(buckets, 1, [&](int64_t begin, int64_t end) {
        for (int64_t bucket = begin; bucket < end; ++bucket) {
          const int64_t stride = along_[0], last = ends[bucket];
          To* const target = to_ + (bucket << bits) * stride;
          for (int64_t i = bucket ? ends[bucket - 1] : 0; i < last; ++i)
            put(target[entries[i].place * stride], entries[i].value);
        }
      });
    }
  }

  /// Whether rows of the array, in pieces of `share` fibers, are worth a list of what meets in
  /// each: all blocks have one list, and a piece takes longer than its entry.
  bool targets_pay(int64_t share) const {
    constexpr int64_t kPieceBytes = 256;
    for (int d = 0; d < dim_; ++d)
      if (outer_[1][d] != 0 && outer_shape_[d] > 1) return false;
    return share * static_cast<int64_t>(sizeof(To)) >= kPieceBytes;
  }

  /// Row by row of the array, each taking what is put there, in order: so it goes through the cache
  /// once. `copies`: it takes its elements of the base first.
  void run_by_targets(int64_t share, bool copies) {
    static thread_local Scratch entry_memory, end_memory;
    const int64_t size = to_layout_.shape[dim_];
    int64_t* const entries = entry_memory.get<int64_t>(length_);
    int64_t* const ends = end_memory.get<int64_t>(size + 1);
    std::fill_n(ends, size + 1, 0);
    for (int64_t j = 0; j < length_; ++j) {
      const int64_t position = positions_[j * along_[1]];
      if (check_.allows(position, j * inner_count_)) ++ends[position];
    }
    // From now on the end of the row before: the place of the row's next entry.
    for (int64_t i = 0; i < size; ++i) ends[i + 1] += ends[i];
    for (int64_t j = 0; j < length_; ++j) {
      const int64_t position = positions_[j * along_[1]];
      if (position >= 1 && position <= size) entries[ends[position - 1]++] = j;
    }
    const int64_t shares = (inner_count_ + share - 1) / share;
    const int64_t work = share * (1 + length_ / std::max<int64_t>(1, size));
    call_.parallel->for_range(
        outer_shape_.numel() * shares * size, std::max<int64_t>(1, kGrain / work),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t row = i % size, first = i / size % shares * share;
            const int64_t count = std::min(inner_count_ - first, share);
            const StridedWalk<2> start(outer_shape_, {outer_[0].data(), outer_[2].data()},
                                       i / size / shares);
            const int64_t offset = start.offset(0) + row * along_[0] + first;
            if (copies) std::copy_n(base_ + offset, count, to_ + offset);
            for (int64_t k = row ? ends[row - 1] : 0; k < ends[row]; ++k) {
              const T* from = values_ + start.offset(1) + entries[k] * along_[2];
              if (k + 1 < ends[size - 1])
                ask_ahead(from + (entries[k + 1] - entries[k]) * along_[2] +
                              (joined_[2] == 1 ? first : 0),
                          joined_[2] == 1 ? count : 1);
              put_row(to_ + offset, joined_[2] == 1 ? from + first : from, count);
            }
          }
        });
  }

  /// Asks for the begin of values that lie somewhere else: behind that the processor sees by itself
  /// where it goes on.
  static void ask_ahead(const T* values, int64_t count) {
    const auto bytes = std::min<uintptr_t>(kAskedBytes, static_cast<uintptr_t>(count) * sizeof(T));
    for (uintptr_t byte = 0; byte < bytes; byte += kCacheLine)
      __builtin_prefetch(reinterpret_cast<const std::byte*>(values) + byte);
  }

  /// Puts neighbouring fibers of a row, or one value that they share.
  void put_row(To* __restrict to, const T* __restrict from, int64_t count) const {
    if (joined_[2] == 1)
      for (int64_t i = 0; i < count; ++i) put(to[i], from[i]);
    else
      for (int64_t i = 0; i < count; ++i) put(to[i], *from);
  }

  /// The points begin to end of a fiber.
  void run_fiber(To* target, const int64_t* positions, const T* values, int64_t block,
                 int64_t begin, int64_t end) {
    if (!far_ && along_[0] == 1 && along_[1] == 1)
      return run_near_fiber(target, positions, values, block, begin, end);
    for (int64_t j = begin; j < end; ++j) {
      ask(target, positions, values, j);
      const int64_t position = positions[j * along_[1]];
      if (check_.allows(position, block * length_ + j))
        put(target[(position - 1) * along_[0]], values[j * along_[2]]);
    }
  }

  /// A fiber that a cache holds, and that lies dense like its index.
  void run_near_fiber(To* target, const int64_t* positions, const T* values, int64_t block,
                      int64_t begin, int64_t end) {
    const auto size = static_cast<uint64_t>(to_layout_.shape[dim_]);
    const int64_t stride = along_[2];
    const auto put_one = [&](int64_t j) {
      const uint64_t place = static_cast<uint64_t>(positions[j]) - 1;
      if (place < size) [[likely]]
        put(target[place], values[j * stride]);
      else
        check_.allows(positions[j], block * length_ + j);
    };
    int64_t j = begin;
    // Eight are read before the first is put: a read behind a write waits for its address.
    for (; j + 8 <= end; j += 8) {
      uint64_t places[8];
      T taken[8];
      bool outside = false;
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) {
        places[i] = static_cast<uint64_t>(positions[j + i]) - 1;
        outside |= places[i] >= size;
        taken[i] = values[(j + i) * stride];
      }
      if (outside) [[unlikely]] {
        for (int i = 0; i < 8; ++i) put_one(j + i);
        continue;
      }
#pragma GCC unroll 8
      for (int i = 0; i < 8; ++i) put(target[places[i]], taken[i]);
    }
    for (; j < end; ++j) put_one(j);
  }

  /// All fibers of a row share their position, and are neighbours in the source or share their
  /// value too.
  void run_rows(To* target, const int64_t* positions, const T* values, int64_t block, int64_t first,
                int64_t last) {
    for (int64_t j = 0; j < length_; ++j) {
      ask(target + first, positions, values + first, j, last - first);
      const int64_t position = positions[j * along_[1]];
      if (!check_.allows(position, (block * length_ + j) * inner_count_ + first)) continue;
      const T* from = values + j * along_[2];
      put_row(target + (position - 1) * along_[0] + first, joined_[2] == 1 ? from + first : from,
              last - first);
    }
  }

  /// Fibers are neighbours in all three arrays.
  void run_dense(To* target, const int64_t* positions, const T* values, int64_t block,
                 int64_t first, int64_t last) {
    for (int64_t j = 0; j < length_; ++j) {
      const int64_t* row = positions + j * along_[1];
      const T* from = values + j * along_[2];
      for (int64_t i = first; i < last; ++i)
        if (check_.allows(row[i], (block * length_ + j) * inner_count_ + i))
          put(target[(row[i] - 1) * along_[0] + i], from[i]);
    }
  }

  void run_strided(To* target, const int64_t* positions, const T* values, int64_t block,
                   int64_t first, int64_t last) {
    for (int64_t j = 0; j < length_; ++j) {
      StridedWalk<3> walk(inner_shape_, {inner_[0].data(), inner_[1].data(), inner_[2].data()},
                          first);
      for (int64_t i = first; i < last; ++i, walk.next()) {
        const int64_t position = positions[j * along_[1] + walk.offset(1)];
        if (check_.allows(position, (block * length_ + j) * inner_count_ + i))
          put(target[walk.offset(0) + (position - 1) * along_[0]],
              values[j * along_[2] + walk.offset(2)]);
      }
    }
  }

  ComputeCall& call_;
  const Layout &index_, &source_, &to_layout_;
  const To* base_;
  To* to_;
  const int64_t* positions_;
  const T* values_;
  int dim_;
  RangeCheck check_;
  // Of the array, the index and the source: strides before, along and behind dim.
  std::array<std::array<int64_t, kMaxDims>, 3> outer_, inner_;
  std::array<int64_t, 3> along_;
  std::array<std::optional<int64_t>, 3> joined_;
  Shape outer_shape_, inner_shape_;
  int64_t length_ = 0, inner_count_ = 0;
  bool far_;
};

template <class T, Put kPut, class To>
void scatter_into(ComputeCall& call, const To* base, To* to, const Layout& layout) {
  if (call.inputs[1].layout.shape.numel() > 0)
    Scatter<T, To, kPut>(call, base, to, layout).run();
  else if (base != to)
    copy_all(*call.parallel, base, to, layout.shape.numel());
}

}  // namespace

void compute_scatter(ComputeCall& call) {
  const ArrayView& base = call.inputs[0];
  const Layout layout(base.layout.shape);
  const int64_t count = layout.shape.numel();
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto* from = static_cast<const T*>(base.data);
    auto* to = static_cast<T*>(call.outputs[0].data);
    if constexpr (!std::is_same_v<T, Wide<T>>) {
      static thread_local Scratch scratch;
      float* sums = scratch.get<float>(std::max<int64_t>(count, 1));
      copy_all(*call.parallel, from, sums, count);
      scatter_into<T, Put::add>(call, sums, sums, layout);
      copy_all(*call.parallel, sums, to, count);
    } else {
      scatter_into<T, Put::add>(call, from, to, layout);
    }
  };
  if (unpack<ScatterAttributes>(call.attributes).add) return visit_type(base.type, run);
  visit_size(base.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    scatter_into<T, Put::write>(call, static_cast<const T*>(base.data),
                                static_cast<T*>(call.outputs[0].data), layout);
  });
}

void compute_scatter_minmax(ComputeCall& call) {
  const ArrayView& base = call.inputs[0];
  const Layout layout(base.layout.shape);
  visit_type(base.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto* from = static_cast<const T*>(base.data);
    auto* to = static_cast<T*>(call.outputs[0].data);
    if (unpack<MinmaxAttributes>(call.attributes).largest)
      scatter_into<T, Put::max>(call, from, to, layout);
    else
      scatter_into<T, Put::min>(call, from, to, layout);
  });
}

}  // namespace tide
