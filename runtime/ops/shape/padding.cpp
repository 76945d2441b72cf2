// Padding, pixel shuffling, and windows of planes as columns.
#include "runtime/ops/shape/padding.h"

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/reduce/reduction.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/view.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// x in the middle of a larger tensor filled with `value`.
Tensor surround(const Tensor& x, const Sizes& before, const Shape& shape, Number value) {
  check_fits("pad", value, x.dtype());
  Tensor y = full(shape, value, {.dtype = x.dtype(), .device = x.device()});
  Layout middle = y.layout();
  for (int d = 0; d < x.rank(); ++d) middle = slice_dim(middle, d, before[d], x.shape()[d], 1);
  record_fill("pad", make_view(y, middle), x);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "pad", {x}, false, [middle](const GradientCall& call) -> std::vector<Tensor> {
      return {take_part("pad", call.dy, middle)};
    });
  }
  return y;
}

[[noreturn]] void throw_cropped(int dim, const Shape& shape) {
  throw ShapeError("pad: more is cropped than there is: dimension " + std::to_string(dim + 1) +
                   " of " + shape.text());
}

/// Constant padding; negative amounts crop first.
Tensor pad_constant(const Tensor& x, const Sizes& before, const Sizes& after, Number value) {
  Tensor inner = x;
  Sizes grown;
  Shape shape;
  bool grows = false;
  for (int d = 0; d < x.rank(); ++d) {
    const int64_t cut_before = std::max<int64_t>(-before[d], 0);
    const int64_t cut_after = std::max<int64_t>(-after[d], 0);
    const int64_t left = x.shape()[d] - cut_before - cut_after;
    if (left < 0) throw_cropped(d, x.shape());
    if (cut_before + cut_after > 0) inner = slice(inner, d, cut_before, left);
    grown.push_back(std::max<int64_t>(before[d], 0));
    shape.push_back(left + grown[d] + std::max<int64_t>(after[d], 0));
    grows = grows || shape[d] != left;
  }
  return grows ? surround(inner, grown, shape, value) : clone(inner);
}

/// The source index of padded index i, which may be outside 0..n-1.
int64_t reflected(int64_t i, int64_t n) {
  if (n == 1) return 0;
  if (i < 0) i = -i;
  return i >= n ? 2 * (n - 1) - i : i;
}
int64_t replicated(int64_t i, int64_t n) { return std::clamp<int64_t>(i, 0, n - 1); }
int64_t wrapped(int64_t i, int64_t n) { return (i % n + n) % n; }

/// `count` indices of a padded dimension from `to` on, copied from the input's indices from `from`
/// on, `step` apart (-1, 0 or 1).
struct EdgeSegment {
  int64_t to, from, count, step;
};

/// How padding by copies of the input's elements maps each dimension.
struct Edges {
  Shape shape, grown;
  std::string mode;
  std::vector<int64_t> first;  ///< per dimension, the source index at padded index 0
  bool any = false;            ///< whether an element is added or cropped
  std::vector<std::vector<EdgeSegment>> segments;

  /// Calls visit(target, source) for each block that takes one segment of every dimension, with the
  /// block as a layout of a dense padded tensor and of a dense input.
  template <class Visit>
  void each_block(Visit visit) const {
    each_block(visit, 0, Layout(grown), Layout(shape));
  }

 private:
  template <class Visit>
  void each_block(Visit& visit, int dim, const Layout& target, const Layout& source) const {
    if (dim == shape.rank()) return visit(target, source);
    for (const EdgeSegment& s : segments[static_cast<size_t>(dim)])
      each_block(visit, dim + 1, slice_dim(target, dim, s.to, s.count, 1),
                 slice_dim(source, dim, s.from, s.count, s.step));
  }
};

Edges edges_of(const Shape& shape, const Sizes& before, const Sizes& after,
               const std::string& mode) {
  auto* const source = mode == "reflect" ? reflected : mode == "replicate" ? replicated : wrapped;
  Edges edges{shape, shape, mode, {}, false, {}};
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t n = shape[d], most = mode == "reflect" ? n - 1 : n;
    const int64_t first = -before[d], end = n + after[d];
    edges.first.push_back(first);
    std::vector<EdgeSegment>& segments = edges.segments.emplace_back();
    if (first == 0 && end == n) {
      segments.push_back({0, 0, n, 1});
      continue;
    }
    if (n == 0 || (mode != "replicate" && std::max(before[d], after[d]) > most))
      throw ShapeError("pad: mode " + mode + " pads dimension " + std::to_string(d + 1) + " of " +
                       shape.text() + " by at most " + std::to_string(most));
    if (end < first) throw_cropped(d, shape);
    edges.any = true;
    edges.grown[d] = end - first;
    for (const auto& [low, high] : {std::pair{first, int64_t{0}}, {int64_t{0}, n}, {n, end}}) {
      const int64_t from = std::max(low, first), count = std::min(high, end) - from;
      if (count <= 0) continue;
      const int64_t step = count > 1 ? source(from + 1, n) - source(from, n) : 1;
      segments.push_back({from - first, source(from, n), count, step});
    }
  }
  return edges;
}

Tensor pad_edges(const Tensor& x, const Edges& edges);

/// The gradient of pad_edges: the gradient of a padded element is added to its source element.
Tensor fold_edges(const Tensor& padded, const Edges& edges) {
  Tensor x = zeros(edges.shape, {.dtype = padded.dtype(), .device = padded.device()});
  const Tensor from = detach(contiguous(padded));
  edges.each_block([&](Layout target, Layout source) {
    target.offset += from.layout().offset;
    Tensor block = make_view(from, target);
    Dims repeated;
    for (int d = 0; d < source.rank(); ++d) {
      if (source.strides[d] != 0 || source.shape[d] == 1) continue;
      repeated.push_back(d);
      source.shape[d] = 1;
    }
    if (!repeated.empty()) block = sum(block, repeated, true);
    const Tensor part = make_view(x, source);
    record_fill("pad", part, add(part, block));
  });
  if (needs_grad_fn(padded)) {
    set_grad_fn(x, "pad", {padded}, false,
                [edges](const GradientCall& call) -> std::vector<Tensor> {
                  return {pad_edges(call.dy, edges)};
                });
  }
  return x;
}

/// For each padded index of a dimension, the position of its source, as `reflected`, `replicated`
/// and `wrapped` define it; undefined if they are the same.
Tensor source_positions(const Edges& edges, int dim, Device device) {
  const int64_t n = edges.shape[dim], first = edges.first[static_cast<size_t>(dim)];
  if (first == 0 && edges.grown[dim] == n) return Tensor();
  const Tensor i = positions_along(1, 0, edges.grown[dim], device) + Number(first - 1);
  if (edges.mode == "replicate") return clamp(i, Number(0), Number(n - 1)) + 1;
  if (edges.mode == "circular") return remainder(i, Number(n)) + 1;
  return Number(n) - abs(Number(n - 1) - abs(i));
}

/// x padded with copies of its elements.
Tensor pad_edges(const Tensor& x, const Edges& edges) {
  std::vector<Tensor> positions;
  for (int d = 0; d < x.rank(); ++d) positions.push_back(source_positions(edges, d, x.device()));
  const Tensor y = lookup("pad", x, positions);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "pad", {x}, false, [edges](const GradientCall& call) -> std::vector<Tensor> {
      return {fold_edges(call.dy, edges)};
    });
  }
  return y;
}

bool takes_away(const Sizes& before, const Sizes& after) {
  const auto negative = [](int64_t amount) { return amount < 0; };
  return std::any_of(before.begin(), before.end(), negative) ||
         std::any_of(after.begin(), after.end(), negative);
}

Tensor pad_by(const Tensor& x, const Sizes& before, const Sizes& after, const std::string& mode) {
  if (mode == "circular" && takes_away(before, after)) {
    // Cropped elements are not wrapped around.
    Sizes less_before, less_after, more_before, more_after;
    for (int d = 0; d < x.rank(); ++d) {
      less_before.push_back(std::min<int64_t>(before[d], 0));
      less_after.push_back(std::min<int64_t>(after[d], 0));
      more_before.push_back(std::max<int64_t>(before[d], 0));
      more_after.push_back(std::max<int64_t>(after[d], 0));
    }
    return pad_by(pad_constant(x, less_before, less_after, 0), more_before, more_after, mode);
  }
  const Edges edges = edges_of(x.shape(), before, after, mode);
  return edges.any ? pad_edges(x, edges) : clone(x);
}

/// Sizes for two dimensions from one number or two.
std::array<int64_t, 2> pair_of(const char* name, const char* what,
                               const std::optional<Sizes>& sizes, int64_t otherwise,
                               int64_t least) {
  if (!sizes) return {otherwise, otherwise};
  check_one_or_each(name, what, sizes->size(), 2);
  for (int64_t size : *sizes) check_amount(name, what, size, least);
  return {(*sizes)[0], (*sizes)[sizes->size() - 1]};
}

/// Windows over a plane of `height` by `width`, padded.
struct Windows {
  const char* name;
  std::array<int64_t, 2> kernel, dilation, padding, stride;
  std::array<int64_t, 2> padded, count;  ///< size of the padded plane; windows along each side

  Windows(const char* op, int64_t height, int64_t width, const Sizes& kernel_size,
          const std::optional<Sizes>& dilations, const std::optional<Sizes>& paddings,
          const std::optional<Sizes>& strides)
      : name(op) {
    kernel = pair_of(op, "kernel_size", kernel_size, 1, 1);
    dilation = pair_of(op, "dilation", dilations, 1, 1);
    padding = pair_of(op, "padding", paddings, 0, 0);
    stride = pair_of(op, "stride", strides, 1, 1);
    padded = {height + 2 * padding[0], width + 2 * padding[1]};
    for (int d = 0; d < 2; ++d) {
      const int64_t span = padded[d] - dilation[d] * (kernel[d] - 1) - 1;
      if (span < 0) throw_kernel_too_large(op, kernel[d], padded[d]);
      count[d] = span / stride[d] + 1;
    }
  }

  int64_t size() const { return kernel[0] * kernel[1]; }
  int64_t total() const { return count[0] * count[1]; }

  /// For each kernel element, then for each window: the position in the padded plane.
  Tensor positions(Device device) const {
    std::vector<int64_t> result;
    check_list_length(name, kernel[0], kernel[1]);
    check_list_length(name, count[0], count[1]);
    check_list_length(name, size(), total());
    for (int64_t i = 0; i < kernel[0]; ++i)
      for (int64_t j = 0; j < kernel[1]; ++j)
        for (int64_t y = 0; y < count[0]; ++y)
          for (int64_t x = 0; x < count[1]; ++x)
            result.push_back((y * stride[0] + i * dilation[0]) * padded[1] + x * stride[1] +
                             j * dilation[1] + 1);
    return record_constant(result.data(), {size() * total()}, DType::i64, device);
  }
};

}  // namespace

Tensor pad(const Tensor& x, const Sizes& amounts, const std::optional<std::string>& mode,
           std::optional<Number> value) {
  if (amounts.size() % 2 != 0 || amounts.size() > 2 * x.rank())
    throw ShapeError("pad: expected two amounts for each of the last dimensions, got " +
                     std::to_string(amounts.size()) + " for " + x.shape().text());
  Sizes before, after;
  for (int64_t amount : amounts) check_amount("pad", "an amount", amount, -INT32_MAX);
  for (int d = 0; d < x.rank(); ++d) {
    const int from_last = x.rank() - 1 - d;
    const bool has_amount = 2 * from_last < amounts.size();
    before.push_back(has_amount ? amounts[2 * from_last] : 0);
    after.push_back(has_amount ? amounts[2 * from_last + 1] : 0);
  }
  const std::string how = mode.value_or("constant");
  if (how == "constant") return pad_constant(x, before, after, value.value_or(Number(0)));
  choose("pad", "mode", how, {"constant", "reflect", "replicate", "circular"});
  if (value && value->as_double() != 0)
    throw Error("pad: a value goes with the mode \"constant\", got " + how);
  if (how != "circular") check_numbers("pad", x);
  return pad_by(x, before, after, how);
}

Tensor pixel_shuffle(const Tensor& x, int64_t factor) {
  if (x.rank() < 3 || factor < 1 || factor > INT32_MAX ||
      x.shape()[x.rank() - 3] % (factor * factor) != 0)
    throw ShapeError("pixel_shuffle: channels of " + x.shape().text() +
                     " do not divide by the square of " + std::to_string(factor));
  const int c = x.rank() - 3;
  Shape split = x.shape(), joined = x.shape();
  const int64_t channels = split[c] / (factor * factor);
  split[c] = channels;
  split.insert(c + 1, factor);
  split.insert(c + 2, factor);
  joined[c] = channels;
  joined[c + 1] *= factor;
  joined[c + 2] *= factor;
  const Tensor parts = reshape_to(x, split);
  return unshared(reshape_to(movedim(parts, {c + 1, c + 2}, {c + 2, c + 4}), joined), x);
}

Tensor pixel_unshuffle(const Tensor& x, int64_t factor) {
  if (x.rank() < 3 || factor < 1 || factor > INT32_MAX || x.shape()[x.rank() - 2] % factor != 0 ||
      x.shape()[x.rank() - 1] % factor != 0)
    throw ShapeError("pixel_unshuffle: planes of " + x.shape().text() + " do not divide by " +
                     std::to_string(factor));
  const int c = x.rank() - 3;
  Shape split = x.shape(), joined = x.shape();
  joined[c] *= factor * factor;
  joined[c + 1] /= factor;
  joined[c + 2] /= factor;
  split[c + 1] /= factor;
  split[c + 2] /= factor;
  split.insert(c + 2, factor);
  split.push_back(factor);
  const Tensor parts = reshape_to(x, split);
  return unshared(reshape_to(movedim(parts, {c + 2, c + 4}, {c + 1, c + 2}), joined), x);
}

namespace {

void check_kind(const char* name, const Tensor& x) {
  if (is_integer(x.dtype()) && x.dtype() != DType::boolean)
    throw_type(name, "a floating type or bool", x.dtype());
}

}  // namespace

Tensor unfold(const Tensor& input, const Sizes& kernel, const std::optional<Sizes>& dilation,
              const std::optional<Sizes>& padding, const std::optional<Sizes>& stride) {
  check_rank("unfold", input, 3, 4);
  check_kind("unfold", input);
  if (input.rank() == 3)
    return squeeze(unfold(unsqueeze(input, Dim{0}), kernel, dilation, padding, stride), Dims{0});
  const int64_t n = input.shape()[0], c = input.shape()[1];
  const Windows w("unfold", input.shape()[2], input.shape()[3], kernel, dilation, padding, stride);
  const auto [vertical, horizontal] = w.padding;
  const Tensor x = pad(input, {horizontal, horizontal, vertical, vertical});
  const Shape picked{n, c, w.size() * w.total()};
  const Tensor y = lookup_along("unfold", flatten(x, Dim{2}), 2,
                                spread_index(w.positions(x.device()), picked, 2));
  return reshape_to(y, {n, c * w.size(), w.total()});
}

Tensor fold(const Tensor& input, const Sizes& output_size, const Sizes& kernel,
            const std::optional<Sizes>& dilation, const std::optional<Sizes>& padding,
            const std::optional<Sizes>& stride) {
  if (input.rank() == 2)
    return squeeze(fold(unsqueeze(input, Dim{0}), output_size, kernel, dilation, padding, stride),
                   Dims{0});
  check_kind("fold", input);
  const auto [height, width] = pair_of("fold", "output_size", output_size, 1, 1);
  const Windows w("fold", height, width, kernel, dilation, padding, stride);
  if (input.rank() != 3 || input.shape()[1] % w.size() != 0 || input.shape()[2] != w.total())
    throw ShapeError("fold: columns of shape " + input.shape().text() + " do not fit " +
                     std::to_string(w.total()) + " windows of " + std::to_string(w.size()));
  const int64_t n = input.shape()[0], c = input.shape()[1] / w.size();
  const Tensor columns = reshape_to(input, {n, c, w.size() * w.total()});
  const Tensor base =
      zeros({n, c, w.padded[0] * w.padded[1]}, {.dtype = input.dtype(), .device = input.device()});
  const Tensor at = spread_index(w.positions(input.device()), columns.shape(), 2);
  const Tensor sums = scatter_along("fold", base, 2, at, columns, true);
  const Tensor planes = reshape_to(sums, {n, c, w.padded[0], w.padded[1]});
  const auto [vertical, horizontal] = w.padding;
  if (vertical == 0 && horizontal == 0) return planes;
  return pad(planes, {-horizontal, -horizontal, -vertical, -vertical});
}

}  // namespace tide
