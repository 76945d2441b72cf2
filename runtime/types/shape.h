// Shapes, and layouts: how the elements of a tensor map to its storage.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace tide {

constexpr int kMaxDims = 8;

/// Sizes of the dimensions of a tensor, outermost first. Value type without allocation.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> sizes)
      : Shape(std::span<const int64_t>(sizes.begin(), sizes.size())) {}
  /// Throws ShapeError for more than kMaxDims dimensions or a negative size.
  explicit Shape(std::span<const int64_t> sizes);
  /// Copies sizes one by one: ranks are small, and the sizes were usually just written one by one,
  /// so a wider load would fail store-to-load forwarding.
  Shape(const Shape& other) : rank_(other.rank_) { copy_sizes(other); }
  Shape& operator=(const Shape& other) {
    rank_ = other.rank_;
    copy_sizes(other);
    return *this;
  }

  int rank() const { return rank_; }
  int64_t operator[](int dim) const { return sizes_[dim]; }
  int64_t& operator[](int dim) { return sizes_[dim]; }
  const int64_t* begin() const { return sizes_.data(); }
  const int64_t* end() const { return sizes_.data() + rank_; }
  /// Product of the sizes; 1 for no dimensions.
  int64_t numel() const {
    int64_t n = 1;
    for (int d = 0; d < rank_; ++d) n *= sizes_[d];
    return n;
  }
  void push_back(int64_t size);
  void insert(int dim, int64_t size);
  void erase(int dim);
  /// "(2, 3)", "(5)" and "()".
  std::string text() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    if (a.rank_ != b.rank_) return false;
    for (int d = 0; d < a.rank_; ++d)
      if (a.sizes_[d] != b.sizes_[d]) return false;
    return true;
  }

 private:
  void copy_sizes(const Shape& other) {
    for (int d = 0; d < other.rank_; ++d) sizes_[d] = other.sizes_[d];
  }

  std::array<int64_t, kMaxDims> sizes_;
  int rank_ = 0;
};

/// The shape to which both broadcast. Throws ShapeError naming `op` if there is none.
Shape broadcast(const char* op, const Shape& a, const Shape& b);

/// An index map: element (i0, i1, ...) is at offset + sum of i_d * strides[d], counted in elements.
struct Layout {
  Shape shape;
  std::array<int64_t, kMaxDims> strides;
  int64_t offset = 0;

  Layout() = default;
  /// Row-major without gaps.
  explicit Layout(const Shape& shape);

  int rank() const { return shape.rank(); }
  /// Row-major without gaps, from offset 0 (strides of dimensions of size 1 do not count).
  bool is_dense() const { return offset == 0 && is_contiguous(); }
  /// Row-major without gaps, from any offset.
  bool is_contiguous() const;
  /// A layout (n, c, h, w) whose elements are stored without gaps in the order (n, h, w, c), and is
  /// not contiguous itself. Strides of dimensions of size 1 do not count.
  bool is_channels_last() const;
  /// No two elements share an offset.
  bool is_injective() const;
  /// First and one past the last offset used; {0, 0} if there are no elements.
  std::pair<int64_t, int64_t> range() const;
  /// A view of the same elements with another shape of equal numel; false if strides cannot express
  /// it.
  bool reshape(const Shape& shape, Layout* result) const;
  /// Dimensions whose sizes differ get stride 0. Requires that the shape broadcasts to `shape`.
  Layout broadcast_to(const Shape& shape) const;

  friend bool operator==(const Layout& a, const Layout& b);
};

/// The layout of shape (n, c, h, w) with its elements stored in the order (n, h, w, c).
Layout channels_last_layout(const Shape& planes);
/// (n, c, h, w) viewed as (n, h, w, c).
Layout with_channels_last(const Layout& planes);
/// (n, h, w, c) viewed as (n, c, h, w).
Layout as_planes(const Layout& last);

}  // namespace tide
