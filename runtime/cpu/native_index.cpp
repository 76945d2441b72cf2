// Reading and writing at positions that are stored in tensors.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "runtime/cpu/native.h"
#include "runtime/cpu/scratch.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"

namespace tide {
namespace {

/// Elements worth a thread.
constexpr int64_t kGrain = 16384;

/// Collects positions that are out of range, from all parts of a call.
class RangeCheck {
 public:
  RangeCheck(NativeCall& call, int64_t limit) : call_(call), limit_(limit) {}

  /// Whether `position` may be used. `place` is its linear number in the index.
  bool allows(int64_t position, int64_t place) {
    if (position >= 1 && position <= limit_) [[likely]]
      return true;
    report(position, place);
    return false;
  }

  int64_t clamp(int64_t position) const { return std::clamp<int64_t>(position, 1, limit_); }

 private:
  void report(int64_t position, int64_t place) {
    std::lock_guard lock(mutex_);
    if (call_.out_of_range && place > first_) return;
    call_.out_of_range = true;
    call_.position = position;
    call_.limit = limit_;
    first_ = place;
  }

  NativeCall& call_;
  int64_t limit_;
  std::mutex mutex_;
  int64_t first_ = 0;
};

/// One gather; its rows (of the index, along the last dimension) are independent of each other.
template <class T>
class Gather {
 public:
  explicit Gather(NativeCall& call)
      : x_(call.inputs[0]),
        index_(call.inputs[1]),
        out_(static_cast<T*>(call.outputs[0].data)),
        dim_(static_cast<int>(call.attributes[0])),
        check_(call, x_.layout.shape[dim_]) {
    const int last = index_.layout.rank() - 1;
    rows_ = index_.layout.shape;
    rows_.erase(last);
    length_ = index_.layout.shape[last];
    index_stride_ = index_.layout.strides[last];
    // Along the gathered dimension x is entered at a position instead of walked through.
    walked_ = x_.layout.strides;
    pick_stride_ = walked_[dim_];
    walked_[dim_] = 0;
  }

  int64_t rows() const { return rows_.numel(); }
  int64_t length() const { return length_; }

  void run(int64_t begin, int64_t end) {
    StridedWalk<2> walk(rows_, {walked_.data(), index_.layout.strides.data()}, begin);
    for (int64_t row = begin; row < end; ++row, walk.next())
      gather_row(static_cast<const T*>(x_.data) + walk.offset(0),
                 static_cast<const int64_t*>(index_.data) + walk.offset(1), row);
  }

 private:
  void gather_row(const T* x, const int64_t* index, int64_t row) {
    const int64_t stride = walked_[index_.layout.rank() - 1];
    T* to = out_ + row * length_;
    if (x_.layout.shape[dim_] == 0) {
      check_.allows(*index, row * length_);
      std::fill_n(to, length_, T(0));
    } else if (index_stride_ == 0 && stride == 1) {
      check_.allows(*index, row * length_);
      std::memcpy(to, x + (check_.clamp(*index) - 1) * pick_stride_, length_ * sizeof(T));
    } else {
      for (int64_t j = 0; j < length_; ++j) {
        int64_t position = index[j * index_stride_];
        if (!check_.allows(position, row * length_ + j)) position = check_.clamp(position);
        to[j] = x[(position - 1) * pick_stride_ + j * stride];
      }
    }
  }

  const ArrayView& x_;
  const ArrayView& index_;
  T* out_;
  int dim_;
  RangeCheck check_;
  Shape rows_;
  int64_t length_, index_stride_, pick_stride_;
  std::array<int64_t, kMaxDims> walked_;
};

/// Strides of the dimensions first..last (exclusive).
std::array<int64_t, kMaxDims> strides_between(const Layout& layout, int first, int last) {
  std::array<int64_t, kMaxDims> strides{};
  for (int d = first; d < last; ++d) strides[d - first] = layout.strides[d];
  return strides;
}

Shape shape_between(const Shape& shape, int first, int last) {
  return Shape(std::span(shape.begin() + first, shape.begin() + last));
}

/// Writes or adds `source` into `to`, which holds the base already. Source is of type T, `to` of
/// type To: where many addends meet in one place, halves are summed in float.
template <class T, class To>
void scatter_into(NativeCall& call, To* to, const Layout& to_layout) {
  const ArrayView &index = call.inputs[1], &source = call.inputs[2];
  const int dim = static_cast<int>(call.attributes[0]), rank = index.layout.rank();
  const bool add = call.attributes[1] != 0;
  const Layout* layouts[] = {&to_layout, &index.layout, &source.layout};
  std::array<std::array<int64_t, kMaxDims>, 3> outer, inner;
  for (int i = 0; i < 3; ++i) {
    outer[i] = strides_between(*layouts[i], 0, dim);
    inner[i] = strides_between(*layouts[i], dim + 1, rank);
  }
  const Shape outer_shape = shape_between(index.layout.shape, 0, dim);
  const Shape inner_shape = shape_between(index.layout.shape, dim + 1, rank);
  const int64_t length = index.layout.shape[dim], inner_count = inner_shape.numel();
  RangeCheck check(call, to_layout.shape[dim]);

  // Points that differ only along dim may meet, so one part takes them all, in order.
  const auto body = [&](int64_t begin, int64_t end) {
    for (int64_t lane = begin; lane < end;) {
      const int64_t block = lane / inner_count, first = lane % inner_count;
      const int64_t last = std::min(inner_count, first + end - lane);
      lane += last - first;
      const StridedWalk<3> start(outer_shape, {outer[0].data(), outer[1].data(), outer[2].data()},
                                 block);
      for (int64_t j = 0; j < length; ++j) {
        StridedWalk<3> walk(inner_shape, {inner[0].data(), inner[1].data(), inner[2].data()},
                            first);
        To* target = to + start.offset(0);
        const int64_t* positions = static_cast<const int64_t*>(index.data) + start.offset(1) +
                                   j * index.layout.strides[dim];
        const T* values =
            static_cast<const T*>(source.data) + start.offset(2) + j * source.layout.strides[dim];
        for (int64_t i = first; i < last; ++i, walk.next()) {
          const int64_t position = positions[walk.offset(1)];
          if (!check.allows(position, (block * length + j) * inner_count + i)) continue;
          To& cell = target[walk.offset(0) + (position - 1) * to_layout.strides[dim]];
          const To value = static_cast<To>(values[walk.offset(2)]);
          cell = add ? static_cast<To>(cell + value) : value;
        }
      }
    }
  };
  const int64_t lanes = outer_shape.numel() * inner_count;
  call.parallel->for_range(lanes, std::max<int64_t>(1, kGrain / std::max<int64_t>(1, length)),
                           body);
}

/// to[i] = from[i], converted.
template <class From, class To>
void copy_all(Parallel& parallel, const From* from, To* to, int64_t count) {
  parallel.for_range(count, 2 * kGrain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] = static_cast<To>(from[i]);
  });
}

}  // namespace

void native_gather(NativeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  visit_size(call.outputs[0].type, [&](auto tag) {
    Gather<typename decltype(tag)::Type> gather(call);
    const int64_t grain = std::max<int64_t>(1, kGrain / gather.length());
    call.parallel->for_range(gather.rows(), grain,
                             [&](int64_t begin, int64_t end) { gather.run(begin, end); });
  });
}

void native_scatter(NativeCall& call) {
  const ArrayView& base = call.inputs[0];
  const Layout layout(base.layout.shape);
  const int64_t count = layout.shape.numel();
  const bool empty = call.inputs[1].layout.shape.numel() == 0;
  const auto run = [&](auto tag) {
    using T = typename decltype(tag)::Type;
    const auto* from = static_cast<const T*>(base.data);
    auto* to = static_cast<T*>(call.outputs[0].data);
    if constexpr (!std::is_same_v<T, Wide<T>>) {
      static thread_local Scratch scratch;
      float* sums = scratch.get<float>(std::max<int64_t>(count, 1));
      copy_all(*call.parallel, from, sums, count);
      if (!empty) scatter_into<T>(call, sums, layout);
      copy_all(*call.parallel, sums, to, count);
    } else {
      if (from != to) copy_all(*call.parallel, from, to, count);
      if (!empty) scatter_into<T>(call, to, layout);
    }
  };
  if (call.attributes[1] != 0)
    visit_type(base.type, run);
  else
    visit_size(base.type, run);
}

}  // namespace tide
