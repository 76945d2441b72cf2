// Copies with the elements in another order.
#include <algorithm>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/ops/shape/view.h"
#include "runtime/tensor/body.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// A copy without a grad function.
Tensor copy(const char* name, const Tensor& x) {
  return record_map(ElementwiseOp::copy, name, x.dtype(), x.dtype(), {x});
}

Tensor flip_dims(const Tensor& x, unsigned dims) {
  Layout layout = x.layout();
  for (int d = 0; d < x.rank(); ++d)
    if (dims >> d & 1) layout = slice_dim(layout, d, x.shape()[d] - 1, x.shape()[d], -1);
  Tensor y = copy("flip", make_view(x, layout));
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "flip", {x}, false, [dims](const GradientCall& call) -> std::vector<Tensor> {
      return {flip_dims(call.dy, dims)};
    });
  }
  return y;
}

Tensor roll_dim(const Tensor& x, int dim, int64_t shift) {
  const int64_t n = x.shape()[dim];
  if (n == 0) return x;
  shift = (shift % n + n) % n;
  if (shift == 0) return x;
  const Tensor y = record_room("roll", x.shape(), x.dtype(), x.device());
  const Layout& from = x.layout();
  const Layout& to = y.layout();
  const auto move = [&](int64_t source, int64_t target, int64_t count) {
    record_fill("roll", make_view(y, slice_dim(to, dim, target, count, 1)),
                make_view(x, slice_dim(from, dim, source, count, 1)));
  };
  move(n - shift, 0, shift);
  move(0, shift, n - shift);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "roll", {x}, false,
                [dim, shift](const GradientCall& call) -> std::vector<Tensor> {
                  return {roll_dim(call.dy, dim, -shift)};
                });
  }
  return y;
}

/// Repeats dimension dim `count` times: as a block (new dimension before it) or each element (after
/// it).
Tensor repeat_dim(const Tensor& x, int dim, int64_t count, bool whole) {
  Tensor wide = unsqueeze(x, Dim{whole ? dim : dim + 1});
  Shape expanded = wide.shape(), joined = x.shape();
  expanded[whole ? dim : dim + 1] = count;
  joined[dim] *= count;
  return reshape_to(clone(broadcast_to(wide, expanded)), joined);
}

}  // namespace

Tensor contiguous(const Tensor& x) {
  if (x.layout().is_contiguous()) return x;
  Tensor y = record_contiguous(x);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "contiguous", {x}, false,
                [](const GradientCall& call) -> std::vector<Tensor> { return {call.dy}; });
  }
  return y;
}

std::optional<MemoryFormat> memory_format_named(const char* function, const std::string& name) {
  if (name == "preserve_format") return {};
  if (name == "contiguous_format") return MemoryFormat::contiguous;
  if (name == "channels_last") return MemoryFormat::channels_last;
  throw Error(std::string(function) + ": unknown memory_format '" + name +
              "': known are contiguous_format, channels_last, preserve_format");
}

Tensor in_format(const Tensor& x, MemoryFormat format) {
  if (format == MemoryFormat::contiguous) return contiguous(x);
  if (x.rank() != 4)
    throw ShapeError("memory_format: channels_last is for planes (n, c, h, w), got " +
                     x.shape().text());
  if (with_channels_last(x.layout()).is_contiguous()) return x;
  return permute(contiguous(permute(x, {0, 2, 3, 1})), {0, 3, 1, 2});
}

Tensor in_format_of(const Tensor& y, const Tensor& x, const Tensor& other) {
  const bool last =
      x.layout().is_channels_last() || (other.defined() && other.layout().is_channels_last());
  return last && y.rank() == 4 ? in_format(y, MemoryFormat::channels_last) : y;
}

Tensor clone(const Tensor& x) {
  Tensor y = copy("clone", x);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "clone", {x}, false,
                [](const GradientCall& call) -> std::vector<Tensor> { return {call.dy}; });
  }
  return y;
}

Tensor unshared(const Tensor& y, const Tensor& x) {
  return y.body().cell == x.body().cell ? clone(y) : y;
}

Tensor contiguous_in(const Tensor& x, const std::optional<std::string>& memory_format) {
  const auto format = memory_format ? memory_format_named("contiguous", *memory_format)
                                    : std::optional(MemoryFormat::contiguous);
  return format ? in_format(x, *format) : x;
}

Tensor clone_in(const Tensor& x, const std::optional<std::string>& memory_format) {
  const auto format = memory_format ? memory_format_named("clone", *memory_format) : std::nullopt;
  const Tensor y = format ? in_format(x, *format) : x;
  return y == x ? clone(x) : y;
}

Tensor repeat_dims(const Tensor& x, const Sizes& repeats) {
  const int shift = repeats.size() - x.rank();
  if (shift < 0)
    throw ShapeError("repeat_dims: " + std::to_string(repeats.size()) +
                     " numbers are too few for " + x.shape().text());
  for (int64_t count : repeats) check_least("repeat_dims", "a number of copies", count, 0);
  Tensor y = x;
  for (int d = 0; d < shift; ++d) y = unsqueeze(y, Dim{0});
  bool copied = false;
  for (int d = repeats.size() - 1; d >= 0; --d) {
    if (repeats[d] == 1) continue;
    y = repeat_dim(y, d, repeats[d], true);
    copied = true;
  }
  return copied ? y : clone(y);
}

Tensor tile(const Tensor& x, const Sizes& repeats) {
  Sizes all;
  for (int d = repeats.size(); d < x.rank(); ++d) all.push_back(1);
  for (int64_t count : repeats) all.push_back(count);
  return repeat_dims(x, all);
}

Tensor repeat_interleave(const Tensor& x, int64_t repeats, std::optional<Dim> dim) {
  check_least("repeat_interleave", "a number of copies", repeats, 0);
  if (!dim) return repeat_dim(ravel(x), 0, repeats, false);
  return repeat_dim(x, resolve_dim("repeat_interleave", *dim, x.rank()), repeats, false);
}

Tensor repeat_interleave_counts(const Tensor& x, const Tensor& repeats, std::optional<Dim> dim,
                                std::optional<int64_t> output_size) {
  if (!dim) return repeat_interleave_counts(ravel(x), repeats, Dim{0}, output_size);
  const int axis = resolve_dim("repeat_interleave", *dim, x.rank());
  const int64_t n = x.shape()[axis];
  if (repeats.rank() > 1 || (repeats.numel() != n && repeats.numel() != 1))
    throw ShapeError("repeat_interleave: counts of shape " + repeats.shape().text() +
                     " do not fit " + std::to_string(n) + " elements");
  const std::vector<int64_t> counts = read_integers("repeat_interleave", repeats);
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t count = counts[counts.size() == 1 ? 0 : static_cast<size_t>(i)];
    check_least("repeat_interleave", "a number of copies", count, 0);
    check_list_length("repeat_interleave",
                      static_cast<int64_t>(positions.size()) + std::min(count, INT64_MAX / 2));
    positions.insert(positions.end(), static_cast<size_t>(count), i + 1);
  }
  const int64_t total = static_cast<int64_t>(positions.size());
  if (output_size && *output_size != total)
    throw ShapeError("repeat_interleave: the counts add up to " + std::to_string(total) +
                     ", not to output_size " + std::to_string(*output_size));
  return index_select(x, Dim{axis},
                      record_constant(positions.data(), {total}, DType::i64, x.device()));
}

Tensor flip(const Tensor& x, const Dims& dims) {
  return flip_dims(x, resolve_dims("flip", dims, x.rank()));
}

Tensor fliplr(const Tensor& x) { return flip(x, {1}); }
Tensor flipud(const Tensor& x) {
  check_min_rank("flipud", x, 1);
  return flip(x, {0});
}

Tensor roll(const Tensor& x, const Sizes& shifts, std::optional<Dims> dims) {
  if (shifts.empty()) throw ShapeError("roll: no shift is given");
  if (!dims) {
    if (shifts.size() != 1) throw ShapeError("roll: several shifts require dims");
    return reshape_to(roll(ravel(x), shifts, Dims{0}), x.shape());
  }
  check_same_count("roll", "shifts", shifts.size(), "dims", dims->size());
  check_min_rank("roll", x, 1);
  Tensor y = x;
  for (int i = 0; i < shifts.size(); ++i)
    y = roll_dim(y, resolve_dim("roll", Dim{(*dims)[i]}, x.rank()), shifts[i]);
  return y == x ? clone(x) : y;
}

Tensor rot90(const Tensor& x, std::optional<int64_t> turns, std::optional<Dims> dims) {
  const Dims plane = dims.value_or(Dims{0, 1});
  if (plane.size() != 2) throw ShapeError("rot90: expected two dimensions");
  resolve_dims("rot90", plane, x.rank());
  const Dim first{plane[0]}, second{plane[1]};
  switch ((turns.value_or(1) % 4 + 4) % 4) {
    case 0:
      return clone(x);
    case 1:
      return transpose(flip(x, {second.value}), first, second);
    case 2:
      return flip(x, plane);
    default:
      return flip(transpose(x, first, second), {second.value});
  }
}

}  // namespace tide
