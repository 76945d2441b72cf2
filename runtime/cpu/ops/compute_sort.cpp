// Stable sorting along the last dimension, and the first elements in that order.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/wide_vectors.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// Rows up to this length are sorted by comparison, longer ones by radix sort.
constexpr int64_t kShortRow = 512;
/// Elements of a row per part of a selection.
constexpr int64_t kPart = 1 << 18;
/// Elements of a row that are worth a thread, and the number of bits of the longest digits.
constexpr int64_t kLongRow = 1 << 14;
constexpr int kDigitBits = 11;
constexpr int kMostBucketBits = 12;
/// Rows from this length on are worth the counts that the longest digits need.
constexpr int64_t kManyCounts = 1024;

/// The unsigned integer type with the same number of bits as T.
template <class T>
using Bits =
    std::conditional_t<sizeof(T) == 1, uint8_t,
                       std::conditional_t<sizeof(T) == 2, uint16_t,
                                          std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>>;

/// A key in the order of x: -0 equals 0, and nan is above all others.
template <class T>
Bits<Wide<T>> sort_key(T x) {
  using W = Wide<T>;
  using B = Bits<W>;
  constexpr B top = static_cast<B>(B(1) << (8 * sizeof(W) - 1));
  if constexpr (std::is_floating_point_v<W>) {
    const W value = x;
    if (is_nan(value)) return static_cast<B>(~B(0));
    const B bits = std::bit_cast<B>(value == 0 ? W(0) : value);
    const B sign = B(0) - (bits >> (8 * sizeof(W) - 1));  // no branch: it would be unpredictable
    return bits ^ (sign | top);
  } else if constexpr (std::is_signed_v<W>) {
    return static_cast<B>(static_cast<B>(x) ^ top);
  } else {
    return static_cast<B>(x);
  }
}

/// Whether several values have this key: 0 and -0, or the nans.
template <class T>
bool is_shared(Bits<Wide<T>> key) {
  if constexpr (!std::is_floating_point_v<Wide<T>>) return false;
  return key == sort_key(T(0)) || key == static_cast<Bits<Wide<T>>>(~Bits<Wide<T>>(0));
}

/// The value of a key that is not shared.
template <class T>
T value_of(Bits<Wide<T>> key) {
  using W = Wide<T>;
  using B = Bits<W>;
  constexpr B top = static_cast<B>(B(1) << (8 * sizeof(W) - 1));
  if constexpr (std::is_floating_point_v<W>)
    return static_cast<T>(
        std::bit_cast<W>(key & top ? static_cast<B>(key ^ top) : static_cast<B>(~key)));
  else if constexpr (std::is_signed_v<W>)
    return static_cast<T>(static_cast<W>(key ^ top));
  else
    return static_cast<T>(key);
}

/// A key and its position, as integers of type Word.
template <class Word>
struct KeyAt {
  Word key, position;
};
using Entry = KeyAt<uint64_t>;

/// The sort order: equal keys keep their original order.
template <class Word>
bool before(const KeyAt<Word>& a, const KeyAt<Word>& b) {
  return a.key != b.key ? a.key < b.key : a.position < b.position;
}

/// The arrays of a call, whose rows are sorted independently.
template <class T>
struct Rows {
  const T* x;
  T* values;
  int64_t* positions;
  int64_t count, length, kept;  ///< of each row, the first `kept` are returned
  uint64_t flip;                ///< inverts keys for descending order

  uint64_t key(int64_t row, int64_t i) const { return sort_key(x[row * length + i]) ^ flip; }
  Entry entry(int64_t row, int64_t i) const { return {key(row, i), static_cast<uint64_t>(i)}; }
  void write(int64_t row, const Entry* entries) const {
    for (int64_t i = 0; i < kept; ++i) {
      const auto position = static_cast<int64_t>(entries[i].position);
      values[row * kept + i] = x[row * length + position];
      positions[row * kept + i] = position + 1;
    }
  }
};

/// The calling thread's memory for the entries of one row.
Workspace& entry_workspace() {
  static thread_local Workspace workspace;
  return workspace;
}

/// The lowest and the highest key of a row.
struct KeyRange {
  uint64_t low = ~uint64_t(0), high = 0;

  void take(uint64_t key) {
    low = std::min(low, key);
    high = std::max(high, key);
  }
};

/// Calls body(part, begin, end) for equal parts of [0, length), in parallel.
template <class Body>
void for_parts(Parallel& parallel, int64_t length, int64_t parts, const Body& body) {
  parallel.for_range(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part)
      body(part, length * part / parts, length * (part + 1) / parts);
  });
}

/// Moves entries to the positions given by the digit of their keys above bit `shift`, in order.
/// `counts` holds for each part and digit the number of entries, and then the position of the next
/// one; at the end, the last part's are where the entries of each digit end.
template <class Word>
void move_by_digit(Parallel& parallel, const KeyAt<Word>* from, KeyAt<Word>* to, int64_t length,
                   int64_t parts, int shift, int64_t digits, int64_t* counts) {
  const auto digit = [=](KeyAt<Word> entry) { return entry.key >> shift & (digits - 1); };
  for_parts(parallel, length, parts, [&](int64_t part, int64_t begin, int64_t end) {
    int64_t* digit_counts = counts + part * digits;
    std::fill_n(digit_counts, digits, 0);
    for (int64_t i = begin; i < end; ++i) ++digit_counts[digit(from[i])];
  });
  if (parts == 1)  // saves a tenth of the time of a row of 2000
    std::exclusive_scan(counts, counts + digits, counts, int64_t(0));
  else
    for (int64_t d = 0, start = 0; d < digits; ++d)
      for (int64_t i = d; i < parts * digits; i += digits) start += std::exchange(counts[i], start);
  for_parts(parallel, length, parts, [&](int64_t part, int64_t begin, int64_t end) {
    int64_t* next = counts + part * digits;
    for (int64_t i = begin; i < end; ++i) to[next[digit(from[i])]++] = from[i];
  });
}

/// Sorts by the lowest bits of keys digit by digit, the least significant first, which keeps the
/// order of equal keys. Each thread counts the digits of its part of the row and then moves its
/// part, after the earlier parts' entries of each digit: the result does not depend on the number
/// of parts.
template <class Word>
class DigitSort {
 public:
  DigitSort(Parallel& parallel, int64_t length, int64_t parts, int bits)
      : parallel_(parallel), length_(length), parts_(parts) {
    const int most = length < kManyCounts ? kDigitBits - 3 : kDigitBits;
    passes_ = (bits + most - 1) / most;
    digit_bits_ = (bits + passes_ - 1) / passes_;
  }

  /// `spare` has the same size. Returns whichever of the two holds the result.
  KeyAt<Word>* run(KeyAt<Word>* entries, KeyAt<Word>* spare) {
    static thread_local Workspace workspace;
    auto* counts = workspace.get<int64_t>(parts_ << digit_bits_);
    for (int pass = 0; pass < passes_; ++pass) {
      move_by_digit(parallel_, entries, spare, length_, parts_, pass * digit_bits_,
                    int64_t(1) << digit_bits_, counts);
      std::swap(entries, spare);
    }
    return entries;
  }

 private:
  Parallel& parallel_;
  int64_t length_, parts_;
  int passes_, digit_bits_;
};

/// Sorts keys by a first digit into buckets, and each bucket in cache, which takes fewer passes
/// over memory. Only for keys that fill their range evenly; run() detects the others.
template <class Word>
class BucketSort {
  using Entry = KeyAt<Word>;

 public:
  /// The keys differ in `bits` low bits.
  BucketSort(Parallel& parallel, int64_t length, int64_t parts, int bits)
      : parallel_(parallel), length_(length), parts_(parts) {
    const int requested = std::bit_width(static_cast<uint64_t>(length)) - kInBucketBits;
    bucket_bits_ = std::min({bits, kMostBucketBits, std::max(1, requested)});
    shift_ = bits - bucket_bits_;
  }

  /// False if too many keys have the same first digit; `entries` are then unchanged, else sorted.
  /// `spare` has the same size.
  bool run(Entry* entries, Entry* spare) {
    static thread_local Workspace workspace;
    const int64_t buckets = int64_t(1) << bucket_bits_;
    auto* counts = workspace.get<int64_t>(parts_ * buckets);
    move_by_digit(parallel_, entries, spare, length_, parts_, shift_, buckets, counts);
    const int64_t* ends = counts + (parts_ - 1) * buckets;
    for (int64_t b = 0; b < buckets; ++b)
      if (ends[b] - (b ? ends[b - 1] : 0) > kUneven * (length_ / buckets + 1)) return false;
    parallel_.for_range(buckets, std::max<int64_t>(1, kLongRow * buckets / length_),
                        [&](int64_t first, int64_t last) {
                          for (int64_t b = first; b < last; ++b) {
                            const int64_t begin = b ? ends[b - 1] : 0;
                            sort_bucket(spare + begin, entries + begin, ends[b] - begin);
                          }
                        });
    return true;
  }

 private:
  static constexpr int64_t kUneven = 4;
  /// Binary logarithm of a bucket's average size: the first-level cache holds it.
  static constexpr int kInBucketBits = sizeof(Word) == 4 ? 10 : 8;

  /// Sorts by two more digits, after which hardly any neighbours are in the wrong order. The result
  /// is in `sorted`.
  void sort_bucket(const Entry* entries, Entry* sorted, int64_t count) const {
    static thread_local Workspace workspace;
    Entry* partly_sorted = workspace.get<Entry>(std::max<int64_t>(1, count));
    move_in_cache(entries, partly_sorted, count, std::max(0, shift_ - 16));
    move_in_cache(partly_sorted, sorted, count, std::max(0, shift_ - 8));
    int64_t moves = 8 * count;
    for (int64_t i = 1; i < count; ++i) {
      const Entry entry = sorted[i];
      int64_t j = i;
      for (; j > 0 && before(entry, sorted[j - 1]); --j, --moves) sorted[j] = sorted[j - 1];
      sorted[j] = entry;
      if (moves < 0) return std::sort(sorted, sorted + count, before<Word>);
    }
  }

  static void move_in_cache(const Entry* from, Entry* to, int64_t count, int shift) {
    uint32_t offsets[257] = {};
    for (int64_t i = 0; i < count; ++i) ++offsets[(from[i].key >> shift & 255) + 1];
    std::partial_sum(offsets, offsets + 257, offsets);
    for (int64_t i = 0; i < count; ++i) to[offsets[from[i].key >> shift & 255]++] = from[i];
  }

  Parallel& parallel_;
  int64_t length_, parts_;
  int bucket_bits_, shift_;
};

/// A long row, sorted by `parts` threads.
template <class T>
class LongRow {
 public:
  LongRow(Parallel& parallel, const Rows<T>& rows, int64_t row)
      : parallel_(parallel),
        rows_(rows),
        row_(row),
        parts_(std::clamp<int64_t>(rows.length / kLongRow, 1, parallel.threads())) {}

  void sort() {
    const KeyRange range = key_range();
    constexpr uint64_t kNarrow = std::numeric_limits<uint32_t>::max();
    const bool narrow = range.high - range.low <= kNarrow;
    if (narrow && static_cast<uint64_t>(rows_.length) <= kNarrow)
      sort_as<uint32_t>(range);
    else
      sort_as<uint64_t>(range);
  }

 private:
  /// The keys of floating-point values are assumed to fill their range.
  KeyRange key_range() {
    if (std::is_floating_point_v<Wide<T>>) return {0, ~uint64_t(0) >> (64 - 8 * sizeof(Wide<T>))};
    KeyRange range;
    std::mutex mutex;
    for_parts(parallel_, rows_.length, parts_, [&](int64_t, int64_t begin, int64_t end) {
      KeyRange part_range;
      for (int64_t i = begin; i < end; ++i) part_range.take(rows_.key(row_, i));
      const std::lock_guard lock(mutex);
      range.take(part_range.low);
      range.take(part_range.high);
    });
    return range;
  }

  template <class Word>
  void sort_as(KeyRange range) {
    auto* entries = entry_workspace().get<KeyAt<Word>>(2 * rows_.length);
    for_parts(parallel_, rows_.length, parts_, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        entries[i] = {static_cast<Word>(rows_.key(row_, i) - range.low), static_cast<Word>(i)};
    });
    const int bits = std::max<int>(1, std::bit_width(range.high - range.low));
    auto* sorted = entries;
    bool done = false;
    // The keys of floating-point values cluster at a few exponents.
    if (bits > 2 * kDigitBits && !std::is_floating_point_v<Wide<T>>)
      done = BucketSort<Word>(parallel_, rows_.length, parts_, bits)
                 .run(entries, entries + rows_.length);
    if (!done)
      sorted = DigitSort<Word>(parallel_, rows_.length, parts_, bits)
                   .run(entries, entries + rows_.length);
    for_parts(parallel_, rows_.kept, parts_, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        write(i, sorted[i].key + range.low, static_cast<int64_t>(sorted[i].position));
    });
  }

  /// Writes element i of the result. Nearly all values are computed from their keys, because
  /// reading them from x would be random access.
  void write(int64_t i, uint64_t key, int64_t position) const {
    const auto value_key = static_cast<Bits<Wide<T>>>(key ^ rows_.flip);
    const int64_t at = row_ * rows_.kept + i;
    rows_.values[at] =
        is_shared<T>(value_key) ? rows_.x[row_ * rows_.length + position] : value_of<T>(value_key);
    rows_.positions[at] = position + 1;
  }

  Parallel& parallel_;
  const Rows<T>& rows_;
  int64_t row_, parts_;
};

template <class T>
void sort_row(Parallel& parallel, const Rows<T>& rows, int64_t row) {
  const int64_t length = rows.length;
  if (length > kShortRow) return LongRow(parallel, rows, row).sort();
  Entry* entries = entry_workspace().get<Entry>(length);
  for (int64_t i = 0; i < length; ++i) entries[i] = rows.entry(row, i);
  std::sort(entries, entries + length, before<uint64_t>);
  rows.write(row, entries);
}

/// Keeps the first `kept` of the entries added, in memory for twice that number: entries that do
/// not precede the last one kept are skipped, which is nearly all of a long row.
class Selection {
 public:
  Selection(Entry* workspace, int64_t kept) : entries_(workspace), kept_(kept) {}

  void add(const Entry& entry) {
    if (full_ && entry.key >= limit_) return;  // of equal keys, the earlier ones are kept
    entries_[size_++] = entry;
    if (size_ == 2 * kept_) discard_excess();
  }
  /// Whether entries are skipped, and the least key of those.
  bool is_full() const { return full_; }
  uint64_t limit() const { return limit_; }
  /// Sorts the entries kept; returns their number.
  int64_t finish() {
    if (size_ > kept_) discard_excess();
    std::sort(entries_, entries_ + size_, before<uint64_t>);
    return size_;
  }

 private:
  void discard_excess() {
    std::nth_element(entries_, entries_ + kept_ - 1, entries_ + size_, before<uint64_t>);
    limit_ = entries_[kept_ - 1].key;
    size_ = kept_;
    full_ = true;
  }

  Entry* entries_;
  int64_t kept_, size_ = 0;
  uint64_t limit_ = 0;
  bool full_ = false;
};

/// Elements that are compared with the limit of a selection at a time.
constexpr int kCompared = 64;

/// flags[i] = whether the key of x[i] is below the limit, for kCompared elements.
template <class T>
void mark_below(const T* __restrict x, uint64_t flip, uint64_t limit, uint8_t* __restrict flags) {
  using B = Bits<Wide<T>>;
  const auto flip_bits = static_cast<B>(flip), limit_key = static_cast<B>(limit);
  for (int i = 0; i < kCompared; ++i)
    flags[i] = static_cast<B>(sort_key(x[i]) ^ flip_bits) < limit_key;
}

/// Adds the elements first..last-1 of a row to a selection.
template <class T>
void add_elements(const Rows<T>& rows, int64_t row, int64_t first, int64_t last,
                  Selection& selection) {
  static const auto mark = fastest<mark_below<T>>();
  int64_t i = first;
  for (; i + kCompared <= last; i += kCompared) {
    if (!selection.is_full()) {
      for (int k = 0; k < kCompared; ++k) selection.add(rows.entry(row, i + k));
      continue;
    }
    alignas(8) uint8_t flags[kCompared];
    mark(rows.x + row * rows.length + i, rows.flip, selection.limit(), flags);
    for (int k = 0; k < kCompared; k += 8) {
      uint64_t eight;
      std::memcpy(&eight, flags + k, sizeof eight);
      for (; eight; eight &= eight - 1)
        selection.add(rows.entry(row, i + k + std::countr_zero(eight) / 8));
    }
  }
  for (; i < last; ++i) selection.add(rows.entry(row, i));
}

/// Selects the first elements of each row without sorting it: first of each part of the row, then
/// of these.
template <class T>
void select(Parallel& parallel, const Rows<T>& rows) {
  static thread_local Workspace memory;
  const int64_t part = std::max<int64_t>(kPart, 4 * rows.kept);
  const int64_t parts = (rows.length + part - 1) / part, total = rows.count * parts;
  Entry* entries = memory.get<Entry>(2 * rows.kept * total);
  parallel.for_range(total, std::max<int64_t>(1, kPart / rows.length),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t item = begin; item < end; ++item) {
                         const int64_t row = item / parts, first = item % parts * part;
                         const int64_t last = std::min(rows.length, first + part);
                         Selection selection(entries + 2 * rows.kept * item, rows.kept);
                         add_elements(rows, row, first, last, selection);
                         const int64_t count = selection.finish();
                         // Pads each part to the same number of entries: these come after all
                         // others.
                         Entry* part_entries = entries + 2 * rows.kept * item;
                         std::fill(part_entries + count, part_entries + rows.kept,
                                   Entry{~uint64_t(0), static_cast<uint64_t>(rows.length)});
                       }
                     });
  parallel.for_range(rows.count, 64, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      Entry* row_entries = entries + 2 * rows.kept * parts * row;
      for (int64_t p = 1; p < parts; ++p)
        std::copy_n(row_entries + 2 * rows.kept * p, rows.kept, row_entries + rows.kept * p);
      std::partial_sort(row_entries, row_entries + rows.kept, row_entries + rows.kept * parts,
                        before<uint64_t>);
      rows.write(row, row_entries);
    }
  });
}

}  // namespace

void compute_sort(ComputeCall& call) {
  const Shape& shape = call.inputs[0].layout.shape;
  const int64_t length = shape.rank() ? shape[shape.rank() - 1] : 1;
  if (call.outputs[0].layout.shape.numel() == 0) return;
  const bool descending = unpack<SortAttributes>(call.attributes).descending;
  visit_type(call.inputs[0].type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const int64_t count = shape.numel() / length;
    const Rows<T> rows{static_cast<const T*>(call.inputs[0].data),
                       static_cast<T*>(call.outputs[0].data),
                       static_cast<int64_t*>(call.outputs[1].data),
                       count,
                       length,
                       call.outputs[0].layout.shape.numel() / count,
                       descending ? ~uint64_t(0) >> (64 - 8 * sizeof(Wide<T>)) : 0};
    if (rows.kept <= length / 8) return select(*call.parallel, rows);
    const auto sort_rows = [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) sort_row(*call.parallel, rows, row);
    };
    // Rows are split among threads, or a few long ones are sorted one after the other.
    if (length >= kLongRow && count < call.parallel->threads()) return sort_rows(0, count);
    call.parallel->for_range(count, std::max<int64_t>(1, 1024 / length), sort_rows);
  });
}

}  // namespace tide
