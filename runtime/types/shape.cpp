// Shapes and layouts.
#include "runtime/types/shape.h"

#include <algorithm>

#include "runtime/types/error.h"

namespace tide {

Shape::Shape(std::span<const int64_t> sizes) {
  for (int64_t size : sizes) push_back(size);
}

void Shape::push_back(int64_t size) { insert(rank_, size); }

void Shape::insert(int dim, int64_t size) {
  if (rank_ == kMaxDims)
    throw ShapeError("shape: at most " + std::to_string(kMaxDims) + " dimensions are possible");
  if (size < 0) throw ShapeError("shape: sizes must be non-negative, got " + std::to_string(size));
  std::copy_backward(sizes_.begin() + dim, sizes_.begin() + rank_, sizes_.begin() + rank_ + 1);
  sizes_[dim] = size;
  ++rank_;
}

void Shape::erase(int dim) {
  std::copy(sizes_.begin() + dim + 1, sizes_.begin() + rank_, sizes_.begin() + dim);
  --rank_;
}

std::string Shape::text() const {
  std::string text = "(";
  for (int d = 0; d < rank_; ++d) {
    if (d) text += ", ";
    text += std::to_string(sizes_[d]);
  }
  return text + ")";
}

Shape broadcast(const char* op, const Shape& a, const Shape& b) {
  if (a == b) return a;
  const Shape& longer = a.rank() >= b.rank() ? a : b;
  const Shape& shorter = a.rank() >= b.rank() ? b : a;
  Shape result = longer;
  const int shift = longer.rank() - shorter.rank();
  for (int d = 0; d < shorter.rank(); ++d) {
    int64_t& size = result[d + shift];
    if (size == 1)
      size = shorter[d];
    else if (shorter[d] != 1 && shorter[d] != size)
      throw ShapeError(std::string(op) + ": shapes do not broadcast: " + a.text() + " and " +
                       b.text() + " differ in dimension " + std::to_string(d + shift + 1) + " (" +
                       std::to_string(a[d + a.rank() - shorter.rank()]) + " against " +
                       std::to_string(b[d + b.rank() - shorter.rank()]) + ")");
  }
  return result;
}

Layout::Layout(const Shape& s) : shape(s) {
  int64_t stride = 1;
  for (int d = s.rank() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= std::max<int64_t>(s[d], 1);
  }
}

bool Layout::is_contiguous() const {
  int64_t stride = 1;
  for (int d = rank() - 1; d >= 0; --d) {
    if (shape[d] == 0) return true;
    if (shape[d] == 1) continue;
    if (strides[d] != stride) return false;
    stride *= shape[d];
  }
  return true;
}

bool Layout::is_channels_last() const {
  return rank() == 4 && !is_contiguous() && with_channels_last(*this).is_contiguous();
}

namespace {

/// The four dimensions of a layout in another order.
Layout in_order(const Layout& layout, const std::array<int, 4>& order) {
  Layout result = layout;
  for (int d = 0; d < 4; ++d) {
    result.shape[d] = layout.shape[order[d]];
    result.strides[d] = layout.strides[order[d]];
  }
  return result;
}

}  // namespace

Layout channels_last_layout(const Shape& planes) {
  return as_planes(Layout(with_channels_last(Layout(planes)).shape));
}

Layout with_channels_last(const Layout& planes) { return in_order(planes, {0, 2, 3, 1}); }

Layout as_planes(const Layout& last) { return in_order(last, {0, 3, 1, 2}); }

bool Layout::is_injective() const {
  // In order of strides (by insertion sort), each stride must exceed the span of all smaller ones.
  const auto magnitude = [&](int d) { return strides[d] < 0 ? -strides[d] : strides[d]; };
  std::array<int, kMaxDims> order{};
  int n = 0;
  for (int d = 0; d < rank(); ++d) {
    if (shape[d] == 0) return true;
    if (shape[d] == 1) continue;
    int place = n++;
    for (; place > 0 && magnitude(order[place - 1]) > magnitude(d); --place)
      order[place] = order[place - 1];
    order[place] = d;
  }
  int64_t span = 0;
  for (int i = 0; i < n; ++i) {
    const int d = order[i];
    if (magnitude(d) <= span) return false;
    span += magnitude(d) * (shape[d] - 1);
  }
  return true;
}

std::pair<int64_t, int64_t> Layout::range() const {
  int64_t low = offset, high = offset + 1;
  for (int d = 0; d < rank(); ++d) {
    if (shape[d] == 0) return {0, 0};
    const int64_t reach = strides[d] * (shape[d] - 1);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

bool Layout::reshape(const Shape& target, Layout* result) const {
  result->shape = target;
  result->offset = offset;
  if (is_contiguous() || shape.numel() == 0) {  // without elements any strides are valid
    result->strides = Layout(target).strides;
    return true;
  }
  // Walks both shapes from the inside, matching runs of source dimensions that merge into one
  // (stride of the outer = size * stride of the inner) with runs of target dimensions.
  int source = rank() - 1, t = target.rank() - 1;
  while (source >= 0 || t >= 0) {
    while (source >= 0 && shape[source] == 1) --source;
    if (source < 0) {
      for (; t >= 0; --t) result->strides[t] = 0;  // all remaining sizes are 1
      return true;
    }
    int64_t run = shape[source];
    const int64_t inner = strides[source];
    while (source > 0 && (shape[source - 1] == 1 || strides[source - 1] == run * inner)) {
      --source;
      run *= shape[source];
    }
    --source;
    int64_t stride = inner;
    while (t >= 0 && run > 1) {
      if (run % target[t]) return false;
      result->strides[t] = stride;
      stride *= target[t];
      run /= target[t];
      --t;
    }
    if (run > 1) return false;
    while (source < 0 && t >= 0) result->strides[t--] = stride;
  }
  return true;
}

Layout Layout::broadcast_to(const Shape& target) const {
  Layout result;
  result.shape = target;
  result.offset = offset;
  const int shift = target.rank() - rank();
  for (int d = 0; d < target.rank(); ++d) {
    const int own = d - shift;
    result.strides[d] = own < 0 || shape[own] != target[d] || shape[own] == 1 ? 0 : strides[own];
  }
  return result;
}

bool operator==(const Layout& a, const Layout& b) {
  if (!(a.shape == b.shape) || a.offset != b.offset) return false;
  return std::equal(a.strides.begin(), a.strides.begin() + a.rank(), b.strides.begin());
}

}  // namespace tide
