// Stable sorting along the last dimension, and the first few of that order.
#include <algorithm>
#include <bit>
#include <limits>
#include <mutex>
#include <numeric>
#include <utility>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/visit_type.h"

namespace tide {
namespace {

/// Rows up to this length are sorted by comparing, longer ones digit by digit.
constexpr int64_t kShortRow = 512;
/// Elements of a row that one part of a selection looks through.
constexpr int64_t kPart = 1 << 18;
/// Elements of a row that are worth a thread, and the longest digits.
constexpr int64_t kLongRow = 1 << 14;
constexpr int kDigitBits = 11;
constexpr int kMostBucketBits = 12;
/// Rows from this length on are worth as many counts as the longest digits need.
constexpr int64_t kManyCounts = 1024;

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
    const B sign = B(0) - (bits >> (8 * sizeof(W) - 1));  // no branch: nobody could foresee it
    return bits ^ (sign | top);
  } else if constexpr (std::is_signed_v<W>) {
    return static_cast<B>(static_cast<B>(x) ^ top);
  } else {
    return static_cast<B>(x);
  }
}

/// Whether several numbers have this key: 0 and -0, or the nans.
template <class T>
bool is_shared(Bits<Wide<T>> key) {
  if constexpr (!std::is_floating_point_v<Wide<T>>) return false;
  return key == sort_key(T(0)) || key == static_cast<Bits<Wide<T>>>(~Bits<Wide<T>>(0));
}

/// The number of a key that is not shared.
template <class T>
T number_of(Bits<Wide<T>> key) {
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

/// A key and where it stands, in integers of type Word.
template <class Word>
struct KeyAt {
  Word key, position;
};
using Entry = KeyAt<uint64_t>;

/// The order of sorting: equal keys keep the order that they came in.
template <class Word>
bool before(const KeyAt<Word>& a, const KeyAt<Word>& b) {
  return a.key != b.key ? a.key < b.key : a.position < b.position;
}

/// The arrays of a call, whose rows are sorted each by itself.
template <class T>
struct Rows {
  const T* x;
  T* values;
  int64_t* positions;
  int64_t count, length, kept;  ///< of each row, `kept` are wanted
  uint64_t flip;                ///< turns keys over for descending order

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

/// The memory of the calling thread for the entries of one row.
Scratch& entry_scratch() {
  static thread_local Scratch scratch;
  return scratch;
}

/// The lowest and the highest key of a row.
struct KeyRange {
  uint64_t low = ~uint64_t(0), high = 0;

  void take(uint64_t key) {
    low = std::min(low, key);
    high = std::max(high, key);
  }
};

/// Calls body(part, begin, end) for equal parts of [0, length), side by side.
template <class Body>
void for_parts(Parallel& parallel, int64_t length, int64_t parts, const Body& body) {
  parallel.for_range(parts, 1, [&](int64_t first, int64_t last) {
    for (int64_t part = first; part < last; ++part)
      body(part, length * part / parts, length * (part + 1) / parts);
  });
}

/// Moves entries to where the digit of their keys above bit `shift` says, in order. `counts`, of
/// each part for each digit: how often it has it, and then where the next one goes; the last part's
/// are at last where the entries of the digits end.
template <class Word>
void move_by_digit(Parallel& parallel, const KeyAt<Word>* from, KeyAt<Word>* to, int64_t length,
                   int64_t parts, int shift, int64_t digits, int64_t* counts) {
  const auto digit = [=](KeyAt<Word> entry) { return entry.key >> shift & (digits - 1); };
  for_parts(parallel, length, parts, [&](int64_t part, int64_t begin, int64_t end) {
    int64_t* own = counts + part * digits;
    std::fill_n(own, digits, 0);
    for (int64_t i = begin; i < end; ++i) ++own[digit(from[i])];
  });
  if (parts == 1)  // saves a tenth of the time of a row of 2000
    std::exclusive_scan(counts, counts + digits, counts, int64_t(0));
  else
    for (int64_t d = 0, start = 0; d < digits; ++d)
      for (int64_t i = d; i < parts * digits; i += digits) start += std::exchange(counts[i], start);
  for_parts(parallel, length, parts, [&](int64_t part, int64_t begin, int64_t end) {
    int64_t* places = counts + part * digits;
    for (int64_t i = begin; i < end; ++i) to[places[digit(from[i])]++] = from[i];
  });
}

/// Sorts by the lowest bits of keys digit by digit, the least significant first, which keeps the
/// order of equal keys. Each thread counts the digits of its part of the row and then moves its
/// part, behind what the parts before it have of each digit: the result does not depend on their
/// number.
template <class Word>
class DigitSort {
 public:
  DigitSort(Parallel& parallel, int64_t length, int64_t parts, int bits)
      : parallel_(parallel), length_(length), parts_(parts) {
    const int most = length < kManyCounts ? kDigitBits - 3 : kDigitBits;
    passes_ = (bits + most - 1) / most;
    digit_bits_ = (bits + passes_ - 1) / passes_;
  }

  /// `spare` has room for as many entries. Returns where the result lies.
  KeyAt<Word>* run(KeyAt<Word>* entries, KeyAt<Word>* spare) {
    static thread_local Scratch scratch;
    auto* counts = scratch.get<int64_t>(parts_ << digit_bits_);
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

/// Sorts keys by a first digit into buckets, and each of these in cache: fewer passes over memory.
/// For keys that fill their range evenly; it says if they do not.
template <class Word>
class BucketSort {
  using Entry = KeyAt<Word>;

 public:
  /// `bits` of the keys differ.
  BucketSort(Parallel& parallel, int64_t length, int64_t parts, int bits)
      : parallel_(parallel), length_(length), parts_(parts) {
    const int wanted = std::bit_width(static_cast<uint64_t>(length)) - kInBucketBits;
    bucket_bits_ = std::min({bits, kMostBucketBits, std::max(1, wanted)});
    shift_ = bits - bucket_bits_;
  }

  /// False if too many keys have one first digit; `entries` are as they were then, else sorted.
  /// `spare` has room for as many.
  bool run(Entry* entries, Entry* spare) {
    static thread_local Scratch scratch;
    const int64_t buckets = int64_t(1) << bucket_bits_;
    auto* counts = scratch.get<int64_t>(parts_ * buckets);
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
  /// About so many entries come into one bucket, which the first cache holds.
  static constexpr int kInBucketBits = sizeof(Word) == 4 ? 10 : 8;

  /// By two more digits, after which hardly any neighbours are in the wrong order. The result lies
  /// in `sorted`.
  void sort_bucket(const Entry* entries, Entry* sorted, int64_t count) const {
    static thread_local Scratch scratch;
    Entry* between = scratch.get<Entry>(std::max<int64_t>(1, count));
    move_in_cache(entries, between, count, std::max(0, shift_ - 16));
    move_in_cache(between, sorted, count, std::max(0, shift_ - 8));
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
    uint32_t places[257] = {};
    for (int64_t i = 0; i < count; ++i) ++places[(from[i].key >> shift & 255) + 1];
    std::partial_sum(places, places + 257, places);
    for (int64_t i = 0; i < count; ++i) to[places[from[i].key >> shift & 255]++] = from[i];
  }

  Parallel& parallel_;
  int64_t length_, parts_;
  int bucket_bits_, shift_;
};

/// A long row that is sorted by `parts` threads.
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
  /// Those of floating numbers are taken to fill their range.
  KeyRange key_range() {
    if (std::is_floating_point_v<Wide<T>>) return {0, ~uint64_t(0) >> (64 - 8 * sizeof(Wide<T>))};
    KeyRange range;
    std::mutex mutex;
    for_parts(parallel_, rows_.length, parts_, [&](int64_t, int64_t begin, int64_t end) {
      KeyRange own;
      for (int64_t i = begin; i < end; ++i) own.take(rows_.key(row_, i));
      const std::lock_guard lock(mutex);
      range.take(own.low);
      range.take(own.high);
    });
    return range;
  }

  template <class Word>
  void sort_as(KeyRange range) {
    auto* entries = entry_scratch().get<KeyAt<Word>>(2 * rows_.length);
    for_parts(parallel_, rows_.length, parts_, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        entries[i] = {static_cast<Word>(rows_.key(row_, i) - range.low), static_cast<Word>(i)};
    });
    const int bits = std::max<int>(1, std::bit_width(range.high - range.low));
    auto* sorted = entries;
    bool done = false;
    // Those of floating numbers crowd at a few exponents.
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

  /// Writes element i of the result. Nearly all numbers come from their keys: in x they lie
  /// anywhere.
  void write(int64_t i, uint64_t key, int64_t position) const {
    const auto own = static_cast<Bits<Wide<T>>>(key ^ rows_.flip);
    const int64_t at = row_ * rows_.kept + i;
    rows_.values[at] =
        is_shared<T>(own) ? rows_.x[row_ * rows_.length + position] : number_of<T>(own);
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
  Entry* entries = entry_scratch().get<Entry>(length);
  for (int64_t i = 0; i < length; ++i) entries[i] = rows.entry(row, i);
  std::sort(entries, entries + length, before<uint64_t>);
  rows.write(row, entries);
}

/// Keeps the first `kept` of the entries that it is shown, in room for twice as many: what is not
/// before the last one kept is passed over, which is nearly all of a long row.
class Selection {
 public:
  Selection(Entry* workspace, int64_t kept) : entries_(workspace), kept_(kept) {}

  void add(const Entry& entry) {
    if (full_ && entry.key >= limit_) return;  // among equal keys the earlier ones count
    entries_[size_++] = entry;
    if (size_ == 2 * kept_) drop_rest();
  }
  /// The entries kept, in order.
  int64_t finish() {
    if (size_ > kept_) drop_rest();
    std::sort(entries_, entries_ + size_, before<uint64_t>);
    return size_;
  }

 private:
  void drop_rest() {
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

/// The first of each row without sorting it: first those of parts of the row, then those of these.
template <class T>
void select(Parallel& parallel, const Rows<T>& rows) {
  static thread_local Scratch scratch;
  const int64_t part = std::max<int64_t>(kPart, 4 * rows.kept);
  const int64_t parts = (rows.length + part - 1) / part, total = rows.count * parts;
  Entry* workspace = scratch.get<Entry>(2 * rows.kept * total);
  parallel.for_range(total, std::max<int64_t>(1, kPart / rows.length),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t item = begin; item < end; ++item) {
                         const int64_t row = item / parts, first = item % parts * part;
                         const int64_t last = std::min(rows.length, first + part);
                         Selection selection(workspace + 2 * rows.kept * item, rows.kept);
                         for (int64_t i = first; i < last; ++i) selection.add(rows.entry(row, i));
                         const int64_t found = selection.finish();
                         // So that every part has as many: these come behind all others.
                         Entry* own = workspace + 2 * rows.kept * item;
                         std::fill(own + found, own + rows.kept,
                                   Entry{~uint64_t(0), static_cast<uint64_t>(rows.length)});
                       }
                     });
  parallel.for_range(rows.count, 64, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      Entry* own = workspace + 2 * rows.kept * parts * row;
      for (int64_t p = 1; p < parts; ++p)
        std::copy_n(own + 2 * rows.kept * p, rows.kept, own + rows.kept * p);
      std::partial_sort(own, own + rows.kept, own + rows.kept * parts, before<uint64_t>);
      rows.write(row, own);
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
    // Rows are shared out, or a few long ones one after the other.
    if (length >= kLongRow && count < call.parallel->threads()) return sort_rows(0, count);
    call.parallel->for_range(count, std::max<int64_t>(1, 1024 / length), sort_rows);
  });
}

}  // namespace tide
