// Padding of arrays with copies of their own elements.
#include <algorithm>
#include <vector>

#include "runtime/cpu/ops/compute.h"
#include "runtime/cpu/visit_type.h"
#include "runtime/ir/edge_segment.h"

namespace tide {
namespace {

/// Elements worth a thread.
constexpr int64_t kGrain = 1 << 15;

template <class T>
class PadEdges {
 public:
  explicit PadEdges(ComputeCall& call)
      : x_(static_cast<const T*>(call.inputs[0].data)),
        out_(static_cast<T*>(call.outputs[0].data)),
        shape_(call.outputs[0].layout.shape),
        length_(shape_[shape_.rank() - 1]) {
    const Layout x(call.inputs[0].layout.shape);
    const int64_t* next = call.attributes.data();
    for (int d = 0; d < shape_.rank(); ++d) {
      std::vector<EdgeSegment> segments;
      for (int64_t count = *next++; count > 0; --count, next += 4)
        segments.push_back({next[0], next[1], next[2], next[3]});
      if (d == shape_.rank() - 1) {
        row_ = segments;
        continue;
      }
      std::vector<int64_t>& offsets = offsets_.emplace_back(shape_[d]);
      for (const EdgeSegment& s : segments)
        for (int64_t i = 0; i < s.count; ++i)
          offsets[static_cast<size_t>(s.to + i)] = (s.from + i * s.step) * x.strides[d];
    }
  }

  void run(Parallel& parallel) const {
    const int64_t rows = shape_.numel() / length_;
    parallel.for_range(
        rows, std::max<int64_t>(1, kGrain / length_), [&](int64_t begin, int64_t end) {
          const int64_t height = offsets_.empty() ? 1 : shape_[shape_.rank() - 2];
          for (int64_t row = begin; row < end;) {
            const int64_t plane = row / height;
            const int64_t plane_end = std::min(end, (plane + 1) * height);
            const T* from = source_of_plane(plane);
            for (; row < plane_end; ++row)
              fill_row(out_ + row * length_, from + offset_of_row(row - plane * height));
          }
        });
  }

 private:
  const T* source_of_plane(int64_t plane) const {
    const T* from = x_;
    for (int d = shape_.rank() - 3; d >= 0; --d) {
      from += offsets_[static_cast<size_t>(d)][static_cast<size_t>(plane % shape_[d])];
      plane /= shape_[d];
    }
    return from;
  }

  int64_t offset_of_row(int64_t row) const {
    return offsets_.empty() ? 0 : offsets_.back()[static_cast<size_t>(row)];
  }

  void fill_row(T* to, const T* from) const {
    for (const EdgeSegment& s : row_) {
      // For a few elements, calling memcpy takes longer than a loop.
      if (s.step == 1 && s.count >= 8)
        std::copy_n(from + s.from, s.count, to + s.to);
      else
        for (int64_t i = 0; i < s.count; ++i) to[s.to + i] = from[s.from + i * s.step];
    }
  }

  const T* x_;
  T* out_;
  Shape shape_;
  int64_t length_;
  std::vector<EdgeSegment> row_;               ///< of the last dimension
  std::vector<std::vector<int64_t>> offsets_;  ///< of the others: the source offset of each index
};

}  // namespace

void compute_pad_edges(ComputeCall& call) {
  if (call.outputs[0].layout.shape.numel() == 0) return;
  visit_size(call.outputs[0].type,
             [&](auto tag) { PadEdges<typename decltype(tag)::Type>(call).run(*call.parallel); });
}

}  // namespace tide
