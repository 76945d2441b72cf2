// Stable sorting along the last dimension, and the first few of that order.
#include <algorithm>
#include <bit>

#include "runtime/cpu/native.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/visit_type.h"

namespace tide {
namespace {

/// Rows up to this length are sorted by comparing, longer ones digit by digit.
constexpr int64_t kShortRow = 512;
/// Elements of a row that one part of a selection looks through.
constexpr int64_t kPart = 1 << 18;
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

/// The order of sorting: equal keys keep the order that they came in.
bool before(const Entry& a, const Entry& b) {
  return a.key != b.key ? a.key < b.key : a.position < b.position;
}

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

/// The arrays of a call, whose rows are sorted each by itself.
template <class T>
struct Rows {
  const T* x;
  T* values;
  int64_t* positions;
  int64_t count, length, kept;  ///< of each row, `kept` are wanted
  uint64_t flip;                ///< turns keys over for descending order

  Entry entry(int64_t row, int64_t i) const { return {sort_key(x[row * length + i]) ^ flip, i}; }
  void write(int64_t row, const Entry* entries) const {
    for (int64_t i = 0; i < kept; ++i) {
      values[row * kept + i] = x[row * length + entries[i].position];
      positions[row * kept + i] = entries[i].position + 1;
    }
  }
};

template <class T>
void sort_row(const Rows<T>& rows, int64_t row) {
  static thread_local Scratch scratch;
  const int64_t length = rows.length;
  Entry* entries = scratch.get<Entry>(2 * length);
  for (int64_t i = 0; i < length; ++i) entries[i] = rows.entry(row, i);
  if (length <= kShortRow)
    std::sort(entries, entries + length, before);
  else
    entries = sort_by_digits(entries, entries + length, length, 8 * sizeof(Wide<T>));
  rows.write(row, entries);
}

/// Keeps the first `kept` of the entries that it is shown, in room for twice as many: what is not
/// before the last one kept is passed over, which is nearly all of a long row.
class Selection {
 public:
  Selection(Entry* room, int64_t kept) : entries_(room), kept_(kept) {}

  void add(const Entry& entry) {
    if (full_ && entry.key >= limit_) return;  // among equal keys the earlier ones count
    entries_[size_++] = entry;
    if (size_ == 2 * kept_) drop_rest();
  }
  /// The entries kept, in order.
  int64_t finish() {
    if (size_ > kept_) drop_rest();
    std::sort(entries_, entries_ + size_, before);
    return size_;
  }

 private:
  void drop_rest() {
    std::nth_element(entries_, entries_ + kept_ - 1, entries_ + size_, before);
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
  Entry* room = scratch.get<Entry>(2 * rows.kept * total);
  parallel.for_range(total, std::max<int64_t>(1, kPart / rows.length),
                     [&](int64_t begin, int64_t end) {
                       for (int64_t item = begin; item < end; ++item) {
                         const int64_t row = item / parts, first = item % parts * part;
                         const int64_t last = std::min(rows.length, first + part);
                         Selection selection(room + 2 * rows.kept * item, rows.kept);
                         for (int64_t i = first; i < last; ++i) selection.add(rows.entry(row, i));
                         const int64_t found = selection.finish();
                         // So that every part has as many: these come behind all others.
                         Entry* own = room + 2 * rows.kept * item;
                         std::fill(own + found, own + rows.kept, Entry{~uint64_t(0), rows.length});
                       }
                     });
  parallel.for_range(rows.count, 64, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      Entry* own = room + 2 * rows.kept * parts * row;
      for (int64_t p = 1; p < parts; ++p)
        std::copy_n(own + 2 * rows.kept * p, rows.kept, own + rows.kept * p);
      std::partial_sort(own, own + rows.kept, own + rows.kept * parts, before);
      rows.write(row, own);
    }
  });
}

}  // namespace

void native_sort(NativeCall& call) {
  const Shape& shape = call.inputs[0].layout.shape;
  const int64_t length = shape.rank() ? shape[shape.rank() - 1] : 1;
  if (call.outputs[0].layout.shape.numel() == 0) return;
  const bool descending = call.attributes[0] != 0;
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
    call.parallel->for_range(count, std::max<int64_t>(1, 1024 / length),
                             [&](int64_t begin, int64_t end) {
                               for (int64_t row = begin; row < end; ++row) sort_row(rows, row);
                             });
  });
}

}  // namespace tide
