// Reads at positions that are stored in tensors.
#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/ops/range_check.h"
#include "runtime/cpu/strided_walk.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/cpu/workspace.h"

namespace tide {
namespace {

/// Elements worth a thread.
constexpr int64_t kGrain = 16384;

/// to[j] = x[positions[j] - 1] up to the first position outside 1..size; returns the number of
/// elements. Eight loads are in flight while the next eight positions are checked.
template <class T>
int64_t pick_elements(const T* __restrict x, const int64_t* __restrict positions, int64_t count,
                      uint64_t size, T* __restrict to) {
  int64_t j = 0;
  for (; j + 8 <= count; j += 8) {
    bool outside = false;
    for (int64_t i = 0; i < 8; ++i) outside |= static_cast<uint64_t>(positions[j + i]) - 1 >= size;
    if (outside) break;
#pragma GCC unroll 8
    for (int64_t i = 0; i < 8; ++i) to[j + i] = x[positions[j + i] - 1];
  }
  for (; j < count && static_cast<uint64_t>(positions[j]) - 1 < size; ++j)
    to[j] = x[positions[j] - 1];
  return j;
}

/// One gather. Its points are independent of each other.
template <class T>
class Gather {
 public:
  explicit Gather(ComputeCall& call)
      : x_(call.inputs[0]),
        index_(call.inputs[1]),
        out_(static_cast<T*>(call.outputs[0].data)),
        size_(x_.layout.shape[unpack<DimAttributes>(call.attributes).dim]),
        check_(call, size_) {
    const int dim = unpack<DimAttributes>(call.attributes).dim;
    pick_stride_ = x_.layout.strides[dim];
    // Dimensions of size 1 are left out, so that rows are as long as possible.
    for (int d = 0; d < index_.layout.rank(); ++d) {
      if (index_.layout.shape[d] == 1) continue;
      const int dimension = rows_.rank();
      rows_.push_back(index_.layout.shape[d]);
      // Along the gathered dimension x is indexed by positions instead of walked.
      walked_[dimension] = d == dim ? 0 : x_.layout.strides[d];
      index_walked_[dimension] = index_.layout.strides[d];
    }
    const int last = rows_.rank() - 1;
    if (last < 0) return;
    length_ = rows_[last];
    stride_ = walked_[last];
    index_stride_ = index_walked_[last];
    rows_.erase(last);
    rows_share_index_ = neighbours_share_index();
  }

  /// Gathers the points begin to end of the index, in row-major order.
  void run(int64_t begin, int64_t end) {
    static thread_local Workspace workspace;
    int64_t* const offsets = rows_share_index_ ? workspace.get<int64_t>(length_) : nullptr;
    const int64_t* offsets_index = nullptr;  // the row of the index that `offsets` belong to
    StridedWalk<2> walk(rows_, {walked_.data(), index_walked_.data()}, begin / length_);
    for (int64_t row = begin / length_; row * length_ < end; ++row, walk.next()) {
      const T* x = static_cast<const T*>(x_.data) + walk.offset(0);
      const int64_t* index = static_cast<const int64_t*>(index_.data) + walk.offset(1);
      const int64_t first = std::max<int64_t>(begin - row * length_, 0),
                    last = std::min(end - row * length_, length_);
      if (!offsets) {
        gather_row(x, index, row, first, last);
        continue;
      }
      if (index != offsets_index) look_up(index, row, first, last, offsets);
      offsets_index = last - first == length_ ? index : nullptr;
      T* to = out_ + row * length_;
      for (int64_t j = first; j < last; ++j) to[j] = x[offsets[j]];
    }
  }

 private:
  /// Whether consecutive rows of the index are mostly the same row.
  bool neighbours_share_index() const {
    const int d = rows_.rank() - 1;
    return d >= 0 && index_walked_[d] == 0 && index_stride_ != 0 && size_ > 0;
  }

  /// Computes the offsets in x, from its row's start, for the points first to last of a row of the
  /// index.
  void look_up(const int64_t* index, int64_t row, int64_t first, int64_t last, int64_t* offsets) {
    for (int64_t j = first; j < last; ++j) {
      const int64_t position = index[j * index_stride_];
      check_.allows(position, row * length_ + j);
      offsets[j] = (check_.clamp(position) - 1) * pick_stride_ + j * stride_;
    }
  }

  /// Gathers the points first to last of a row of the index, along its last dimension.
  void gather_row(const T* x, const int64_t* index, int64_t row, int64_t first, int64_t last) {
    T* to = out_ + row * length_;
    if (size_ == 0) {
      check_.allows(index[first * index_stride_], row * length_ + first);
      std::fill(to + first, to + last, T(0));
    } else if (index_stride_ == 0 && stride_ == 1) {
      check_.allows(*index, row * length_ + first);
      std::memcpy(to + first, x + (check_.clamp(*index) - 1) * pick_stride_ + first,
                  (last - first) * sizeof(T));
    } else {
      int64_t j = first;
      if (stride_ == 0 && pick_stride_ == 1 && index_stride_ == 1)
        j +=
            pick_elements(x, index + first, last - first, static_cast<uint64_t>(size_), to + first);
      for (; j < last; ++j) {
        int64_t position = index[j * index_stride_];
        if (!check_.allows(position, row * length_ + j)) position = check_.clamp(position);
        to[j] = x[(position - 1) * pick_stride_ + j * stride_];
      }
    }
  }

  const ArrayView& x_;
  const ArrayView& index_;
  T* out_;
  int64_t size_;  ///< of the gathered dimension
  RangeCheck check_;
  Shape rows_;
  int64_t length_ = 1, stride_ = 0, index_stride_ = 0, pick_stride_ = 0;
  std::array<int64_t, kMaxDims> walked_{}, index_walked_{};  ///< strides of x and of the index
  bool rows_share_index_ = false;
};

}  // namespace

void compute_gather(ComputeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  visit_size(call.outputs[0].type, [&](auto tag) {
    Gather<typename decltype(tag)::Type> gather(call);
    call.parallel->for_range(call.outputs[0].layout.shape.numel(), kGrain,
                             [&](int64_t begin, int64_t end) { gather.run(begin, end); });
  });
}

}  // namespace tide
