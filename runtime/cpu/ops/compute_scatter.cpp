// Writes at positions that are stored in tensors: how the work is split, for all types.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/ops/scatter_loops.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/workspace.h"

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

/// The stride with which the dimensions first..last (exclusive) of `shape` can be walked as one;
/// nothing if they cannot. Dimensions of size 1 do not count.
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

/// Targets up to this size are in the first-level cache soon enough.
constexpr int64_t kNearBytes = 32 << 10;

/// to[i] = from[i], converted.
template <class From, class To>
void convert_all(Parallel& parallel, const From* from, To* to, int64_t count) {
  parallel.for_range(count, 2 * kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

/// Puts a source into an array, which first receives the elements of `base` unless it is the same
/// memory. The values and the array may differ in type: halves are summed in float, because many
/// addends may share a target.
///
/// Points that differ only along dim (a fiber) may share a target, so one part processes them all,
/// in order.
class Scatter {
 public:
  Scatter(ComputeCall& call, const ScatterLoops& loops, const void* base, void* to,
          const Layout& to_layout)
      : call_(call),
        loops_(loops),
        index_(call.inputs[1].layout),
        to_layout_(to_layout),
        base_(static_cast<const std::byte*>(base)),
        to_(static_cast<std::byte*>(to)),
        positions_(static_cast<const int64_t*>(call.inputs[1].data)),
        values_(static_cast<const std::byte*>(call.inputs[2].data)),
        dim_(unpack<DimAttributes>(call.attributes).dim),
        check_(call, to_layout.shape[dim_]) {
    const Layout* layouts[] = {&to_layout_, &index_, &call.inputs[2].layout};
    for (int i = 0; i < 3; ++i) {
      arrays_.outer[i] = strides_between(*layouts[i], 0, dim_);
      arrays_.inner[i] = strides_between(*layouts[i], dim_ + 1, index_.rank());
      arrays_.along[i] = layouts[i]->strides[dim_];
      arrays_.joined[i] = joined_stride(*layouts[i], index_.shape, dim_ + 1, index_.rank());
    }
    arrays_.outer_shape = shape_between(index_.shape, 0, dim_);
    arrays_.inner_shape = shape_between(index_.shape, dim_ + 1, index_.rank());
    arrays_.size = to_layout_.shape[dim_];
    arrays_.length = index_.shape[dim_];
    arrays_.inner_count = arrays_.inner_shape.numel();
    arrays_.far = arrays_.size * arrays_.along[0] * loops_.target_size > kNearBytes;
  }

  /// `adds_integers`: the order of values with the same target does not matter.
  void run(bool adds_integers) {
    const auto& joined = arrays_.joined;
    const int64_t length = arrays_.length, inner_count = arrays_.inner_count;
    if (index_.shape.numel() == 0) {
      if (base_ != to_) copy_base();
      return;
    }
    const int64_t blocks = arrays_.outer_shape.numel();
    const bool one_fiber = blocks * inner_count == 1 && length >= kGrain;
    const bool by_bins = one_fiber && adds_integers && bins_pay();
    const bool by_buckets = one_fiber && !by_bins && buckets_pay();
    const int64_t group_size = fibers_together(),
                  groups = (inner_count + group_size - 1) / group_size;
    // Fibers that fill the array copy their part of the base while it is in cache.
    const bool whole_fibers =
        base_ != to_ && !by_bins && !by_buckets && fibers_fill_array(group_size);
    const bool rows = joined[0] == 1 && joined[1] == 0 && joined[2].value_or(2) <= 1;
    if (base_ != to_ && !whole_fibers) copy_base();
    if (by_bins) return run_by_bins();
    if (by_buckets) return run_by_buckets();
    if (rows && targets_pay(group_size)) return run_by_targets(group_size, whole_fibers);
    const bool dense = joined[0] == 1 && joined[1] == 1 && joined[2] == 1;
    const ScatterLoop loop = inner_count == 1 ? loops_.fiber
                             : rows           ? loops_.rows
                             : dense          ? loops_.dense
                                              : loops_.strided;
    const auto body = [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t block = i / groups, first = i % groups * group_size;
        const int64_t last = std::min(inner_count, first + group_size);
        const StridedWalk<3> start(
            arrays_.outer_shape,
            {arrays_.outer[0].data(), arrays_.outer[1].data(), arrays_.outer[2].data()}, block);
        const int64_t offset = start.offset(0) * loops_.target_size;
        if (whole_fibers) copy_fibers(base_ + offset, to_ + offset, first, last);
        ScatterPart part{to_ + offset,
                         positions_ + start.offset(1),
                         values_ + start.offset(2) * loops_.value_size,
                         block,
                         first,
                         last};
        if (inner_count == 1) part.first = 0, part.last = length;
        loop(arrays_, check_, part);
      }
    };
    const int64_t work = std::max<int64_t>(1, length * group_size);
    call_.parallel->for_range(blocks * groups, std::max<int64_t>(1, kGrain / work), body);
  }

 private:
  void copy_base() const {
    call_.parallel->for_range(
        to_layout_.shape.numel(), 2 * kGrain, [this](int64_t begin, int64_t end) {
          std::memcpy(to_ + begin * loops_.target_size, base_ + begin * loops_.target_size,
                      static_cast<size_t>((end - begin) * loops_.target_size));
        });
  }

  /// Whether each fiber of the array is one of the index, and the fibers of a group form pieces
  /// that are worth a separate copy.
  bool fibers_fill_array(int64_t group_size) const {
    constexpr int64_t kPieceBytes = 512;
    for (int d = 0; d < index_.shape.rank(); ++d)
      if (d != dim_ && index_.shape[d] != to_layout_.shape[d]) return false;
    return group_size == arrays_.inner_count || group_size * loops_.target_size >= kPieceBytes;
  }

  /// Copies the neighbouring fibers first to last of a block.
  void copy_fibers(const std::byte* from, std::byte* to, int64_t first, int64_t last) const {
    const int64_t row = arrays_.inner_count * loops_.target_size;
    if (last - first == arrays_.inner_count) {
      std::memcpy(to, from, static_cast<size_t>(arrays_.size * row));
      return;
    }
    const auto bytes = static_cast<size_t>((last - first) * loops_.target_size);
    for (int64_t i = 0; i < arrays_.size; ++i) {
      const int64_t offset = i * row + first * loops_.target_size;
      std::memcpy(to + offset, from + offset, bytes);
    }
  }

  /// Neighbouring fibers in a part: full cache lines, because each part goes through all positions,
  /// and many of them if there are enough for all threads.
  int64_t fibers_together() const {
    const int64_t line = kCacheLine / loops_.value_size, most = 64 * line;
    const int64_t fair = (arrays_.inner_count / call_.parallel->threads() + line - 1) / line * line;
    return std::min(arrays_.inner_count, std::clamp(fair, line, most));
  }

  /// Whether separate bins for each thread pay off.
  bool bins_pay() const {
    const int64_t threads = call_.parallel->threads();
    return threads > 1 && arrays_.size * threads <= arrays_.length / 8;
  }

  /// Processes the only fiber, with separate bins for each thread.
  void run_by_bins() {
    static thread_local Workspace memory;
    const int64_t parts = call_.parallel->threads(), length = arrays_.length;
    const int64_t bytes = arrays_.size * loops_.target_size;
    std::byte* const bins = memory.get<std::byte>(static_cast<size_t>(parts * bytes));
    call_.parallel->for_range(parts, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        std::memset(bins + part * bytes, 0, static_cast<size_t>(bytes));
        loops_.fiber(arrays_, check_,
                     {bins + part * bytes, positions_, values_, 0, length * part / parts,
                      length * (part + 1) / parts});
      }
    });
    for (int64_t part = 0; part < parts; ++part)
      loops_.neighbours(to_, bins + part * bytes, arrays_.size);
  }

  /// Whether sorting into buckets pays off, which is some five times the work of one thread that
  /// just writes: if the targets exceed an L2 cache, or with enough threads.
  bool buckets_pay() const {
    constexpr int64_t kCachedBytes = int64_t{2} << 20;
    constexpr int kEnoughThreads = 5;
    return arrays_.size * loops_.target_size > kCachedBytes ||
           call_.parallel->threads() > kEnoughThreads;
  }

  /// Binary logarithm of a bucket's targets: half an L2 cache of them, or more if there would be
  /// too many buckets to write to at the same time, or fewer to have some buckets per thread.
  int bucket_bits() const {
    constexpr int64_t kBucketBytes = int64_t{1} << 19, kMostBuckets = 512;
    int bits = std::countr_zero(static_cast<uint64_t>(kBucketBytes / loops_.target_size));
    while (arrays_.size >> bits >= kMostBuckets) ++bits;
    while (bits > 0 && arrays_.size >> bits < 4 * call_.parallel->threads()) --bits;
    return bits;
  }

  /// Processes the only fiber. Targets are anywhere in memory, so the values are first sorted into
  /// buckets of targets that fit in a cache, keeping their order (radix clustering: Manegold,
  /// Boncz, Kersten, "Optimizing main-memory join on modern hardware", 2002).
  void run_by_buckets() {
    switch (loops_.value_size) {
      case 1:
        return run_by_buckets_of<uint8_t>();
      case 2:
        return run_by_buckets_of<uint16_t>();
      case 4:
        return run_by_buckets_of<uint32_t>();
      default:
        return run_by_buckets_of<uint64_t>();
    }
  }

  /// `T`: an unsigned type of the size of the values, which are only moved here.
  template <class T>
  void run_by_buckets_of() {
    using Entry = ScatterEntry<T>;
    constexpr int64_t kTogether = (int64_t{16} << 20) / sizeof(Entry);
    static thread_local Workspace entry_memory, count_memory;
    const int64_t length = arrays_.length, parts = call_.parallel->threads();
    const int bits = bucket_bits();
    const int64_t buckets = (arrays_.size >> bits) + 1;
    Entry* const entries = entry_memory.get<Entry>(std::min(length, kTogether));
    int64_t* const counts = count_memory.get<int64_t>(parts * buckets);
    for (int64_t first = 0; first < length; first += kTogether) {
      const int64_t together = std::min(length - first, kTogether);
      // Calls visit(j, target, the count of its bucket) for all points of each part.
      const auto for_points = [&](const auto& visit) {
        call_.parallel->for_range(parts, 1, [&](int64_t begin, int64_t end) {
          // Captured by value: the compiler has to assume that the counts alias anything else.
          const auto visit_part = [visit, bits, size = arrays_.size, positions = positions_,
                                   stride = arrays_.along[1],
                                   &check = check_](int64_t j, int64_t last, int64_t* part_counts) {
            for (; j < last; ++j) {
              const auto target = static_cast<uint64_t>(positions[j * stride]) - 1;
              if (target < static_cast<uint64_t>(size)) [[likely]]
                visit(j, target, part_counts[target >> bits]);
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
      // From now on a count is the index of the part's next entry in the bucket.
      int64_t sum = 0;
      for (int64_t bucket = 0; bucket < buckets; ++bucket)
        for (int64_t part = 0; part < parts; ++part)
          sum += std::exchange(counts[part * buckets + bucket], sum);
      for_points([entries, values = reinterpret_cast<const T*>(values_), stride = arrays_.along[2],
                  mask = (uint64_t{1} << bits) - 1](int64_t j, uint64_t target, int64_t& next) {
        entries[next++] = {static_cast<uint32_t>(target & mask), values[j * stride]};
      });
      const int64_t* const ends = counts + (parts - 1) * buckets;
      call_.parallel->for_range(buckets, 1, [&](int64_t begin, int64_t end) {
        for (int64_t bucket = begin; bucket < end; ++bucket) {
          const int64_t stride = arrays_.along[0];
          loops_.entries(to_ + (bucket << bits) * stride * loops_.target_size, entries,
                         bucket ? ends[bucket - 1] : 0, ends[bucket], stride);
        }
      });
    }
  }

  /// Whether a list of values for each row of the array pays off, in pieces of `group_size` fibers:
  /// all blocks share the lists, and a piece takes longer than its entry.
  bool targets_pay(int64_t group_size) const {
    constexpr int64_t kPieceBytes = 256;
    for (int d = 0; d < dim_; ++d)
      if (arrays_.outer[1][d] != 0 && arrays_.outer_shape[d] > 1) return false;
    return group_size * loops_.target_size >= kPieceBytes;
  }

  /// Processes the array row by row, each with all of its values, in order, so that it goes through
  /// the cache once. `copies`: rows first copy their elements of the base.
  void run_by_targets(int64_t group_size, bool copies) {
    static thread_local Workspace entry_memory, end_memory;
    const int64_t size = arrays_.size, length = arrays_.length, inner_count = arrays_.inner_count;
    int64_t* const entries = entry_memory.get<int64_t>(length);
    int64_t* const ends = end_memory.get<int64_t>(size + 1);
    std::fill_n(ends, size + 1, 0);
    for (int64_t j = 0; j < length; ++j) {
      const int64_t position = positions_[j * arrays_.along[1]];
      if (check_.allows(position, j * inner_count)) ++ends[position];
    }
    // From now on the end of the previous row, which is the index of the row's next entry.
    for (int64_t i = 0; i < size; ++i) ends[i + 1] += ends[i];
    for (int64_t j = 0; j < length; ++j) {
      const int64_t position = positions_[j * arrays_.along[1]];
      if (position >= 1 && position <= size) entries[ends[position - 1]++] = j;
    }
    const int64_t groups = (inner_count + group_size - 1) / group_size;
    const int64_t work = group_size * (1 + length / std::max<int64_t>(1, size));
    call_.parallel->for_range(
        arrays_.outer_shape.numel() * groups * size, std::max<int64_t>(1, kGrain / work),
        [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end;) {
            const int64_t first = i / size % groups * group_size;
            const int64_t count = std::min(inner_count - first, group_size);
            const StridedWalk<2> start(arrays_.outer_shape,
                                       {arrays_.outer[0].data(), arrays_.outer[2].data()},
                                       i / size / groups);
            const int64_t from = start.offset(1) + (arrays_.joined[2] == 1 ? first : 0);
            const std::byte* const values = values_ + from * loops_.value_size;
            int64_t row = i % size;
            for (const int64_t last = std::min(size, row + end - i); row < last; ++row, ++i) {
              const int64_t offset =
                  (start.offset(0) + row * arrays_.along[0] + first) * loops_.target_size;
              if (copies)
                std::memcpy(to_ + offset, base_ + offset,
                            static_cast<size_t>(count * loops_.target_size));
              const int64_t* const list = entries + (row ? ends[row - 1] : 0);
              const int64_t* const list_end = entries + ends[row];
              if (list == list_end) continue;
              loops_.row_of_targets(arrays_, {to_ + offset, values, list, list_end, count,
                                              ends[row] < ends[size - 1]});
            }
          }
        });
  }

  ComputeCall& call_;
  const ScatterLoops& loops_;
  const Layout &index_, &to_layout_;
  const std::byte* base_;
  std::byte* to_;
  const int64_t* positions_;
  const std::byte* values_;
  int dim_;
  RangeCheck check_;
  ScatterArrays arrays_;
};

template <class T>
constexpr ScatterLoops kWriteLoops = TypedScatter<T, T, Put::write>::loops();

/// Halves are summed in float, in separate memory.
template <class Half>
void add_halves(ComputeCall& call, const Layout& layout) {
  static thread_local Workspace workspace;
  const int64_t count = layout.shape.numel();
  float* sums = workspace.get<float>(std::max<int64_t>(count, 1));
  convert_all(*call.parallel, static_cast<const Half*>(call.inputs[0].data), sums, count);
  Scatter(call, scatter_add_loops(call.inputs[0].type), sums, sums, layout).run(false);
  convert_all(*call.parallel, sums, static_cast<Half*>(call.outputs[0].data), count);
}

}  // namespace

void compute_scatter(ComputeCall& call) {
  const ArrayView& base = call.inputs[0];
  const Layout layout(base.layout.shape);
  const bool adds = unpack<ScatterAttributes>(call.attributes).add;
  if (adds && base.type == DType::f16) return add_halves<Float16>(call, layout);
  if (adds && base.type == DType::bf16) return add_halves<BFloat16>(call, layout);
  const ScatterLoops* loops = adds ? &scatter_add_loops(base.type) : nullptr;
  if (!adds)
    visit_size(base.type, [&](auto tag) { loops = &kWriteLoops<typename decltype(tag)::Type>; });
  Scatter(call, *loops, base.data, call.outputs[0].data, layout)
      .run(adds && !is_floating(base.type));
}

void compute_scatter_minmax(ComputeCall& call) {
  const ArrayView& base = call.inputs[0];
  const Layout layout(base.layout.shape);
  const bool largest = unpack<MinmaxAttributes>(call.attributes).largest;
  Scatter(call, scatter_minmax_loops(base.type, largest), base.data, call.outputs[0].data, layout)
      .run(false);
}

}  // namespace tide
