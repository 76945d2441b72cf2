// Constants, iotas and triangles.
#include "runtime/ops/shape/creation.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/require.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/tensor/transfer.h"
#include "runtime/types/dtype.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// The type of new tensors made from numbers: that of the options, else i64, the default type or
/// bool.
DType type_for(const TensorOptions& options, std::initializer_list<Number> numbers) {
  if (options.dtype) return *options.dtype;
  DType type = DType::boolean;
  for (const Number& number : numbers) {
    if (number.type() == DType::f64) return default_dtype();
    if (number.type() == DType::i64) type = DType::i64;
  }
  return type;
}

Tensor fill_new(const char* name, const Shape& shape, Number value, DType type,
                const TensorOptions& options) {
  check_fits(name, value, type);
  Layout layout(shape);
  layout.strides.fill(0);
  return finish(record_iota(ElementwiseOp::fill, name, layout, type, type,
                            options.device.value_or(Device{}), {value}),
                options);
}

/// start + i * step for i below n.
Tensor iota(const char* name, Number start, Number step, int64_t n, DType type,
            const TensorOptions& options) {
  const Device device = options.device.value_or(Device{});
  // Floating iotas are computed in f64 and rounded once, as the number of steps may be large.
  const DType wide = is_floating(type) ? DType::f64 : DType::i64;
  Tensor x = record_iota(ElementwiseOp::iota, name, Layout({n}), wide, wide, device, {start, step});
  return finish(x.dtype() == type ? x : record_map(ElementwiseOp::convert, name, type, wide, {x}),
                options);
}

/// `steps` evenly spaced values in f64; for integer types the ends are truncated first. The upper
/// half is computed from the end, so that the last value is exact.
Tensor evenly_spaced(const char* name, const TensorOrNumber& first, const TensorOrNumber& last,
                     const TensorOrNumber& count, const TensorOptions& options) {
  double start = number_of(name, "start", first).as_double();
  double end = number_of(name, "end", last).as_double();
  const int64_t steps = integer_of(name, "the number of steps", count);
  check_least(name, "the number of steps", steps, 0);
  if (options.dtype && !is_floating(*options.dtype))
    start = std::trunc(start), end = std::trunc(end);
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  const int64_t lower = steps == 1 ? 1 : steps / 2;
  const Tensor index = iota("linspace", 0, 1, steps, DType::f64,
                            {.dtype = DType::f64, .device = options.device.value_or(Device{})});
  const Tensor left = Number(steps - 1) - index;
  return where(lt(index, Number(lower)), index * step + start, Number(end) - left * step);
}

/// The number of values start, start + step, ... before `end`, or up to it if `included`.
int64_t iota_length(const char* op, Number start, Number end, Number step, bool included) {
  const auto wrong = [&](const std::string& what) { return ShapeError(op + (": " + what)); };
  if (step.as_double() == 0) throw wrong("the step is 0");
  const bool integers =
      start.type() != DType::f64 && end.type() != DType::f64 && step.type() != DType::f64;
  const double distance = (end.as_double() - start.as_double()) / step.as_double();
  if (!std::isfinite(distance)) throw wrong("start and end must be finite");
  if (distance < 0) {
    if (included && distance > -1) return 0;
    throw wrong("the step leads away from the end: from " + std::to_string(start.as_double()) +
                " to " + std::to_string(end.as_double()) + " by " +
                std::to_string(step.as_double()));
  }
  constexpr double kMost = 1e18;  // more than any memory holds, but still exact in int64
  if (distance > kMost) throw wrong("too many elements");
  if (!integers)
    return static_cast<int64_t>(included ? std::floor(distance) + 1 : std::ceil(distance));
  const int64_t span = end.as_integer() - start.as_integer();
  const int64_t whole = span / step.as_integer();
  return included ? whole + 1 : whole + (span % step.as_integer() != 0);
}

/// x where column - row, compared with the diagonal, is on the kept side of it; zeros elsewhere.
Tensor triangle(const char* name, const Tensor& x, int64_t diagonal, bool lower) {
  check_min_rank(name, x, 2);
  Layout layout({x.shape()[x.rank() - 2], x.shape()[x.rank() - 1]});
  layout.strides[0] = -1;
  layout.strides[1] = 1;
  const Tensor across = index_iota(layout, x.device());
  const Tensor inside = lower ? le(across, Number(diagonal)) : ge(across, Number(diagonal));
  const Number zero = x.dtype() == DType::boolean ? Number(false) : Number(0);
  return where(inside, x, zero);
}

}  // namespace

TensorOptions like(const Tensor& x, TensorOptions options) {
  if (!options.dtype) options.dtype = x.dtype();
  if (!options.device) options.device = x.device();
  if (!options.format && x.layout().is_channels_last())
    options.format = MemoryFormat::channels_last;
  return options;
}

Tensor finish(Tensor x, const TensorOptions& options) {
  if (options.format) x = in_format(x, *options.format);
  if (options.pin_memory && x.device().is_host()) x = record_pinned(x);
  if (options.requires_grad) x.set_requires_grad(true);
  return x;
}

Tensor full(const Shape& shape, Number value, const TensorOptions& options) {
  return fill_new("full", shape, value, type_for(options, {value}), options);
}

Tensor zeros(const Shape& shape, const TensorOptions& options) {
  return fill_new("zeros", shape, 0, options.dtype.value_or(default_dtype()), options);
}

Tensor ones(const Shape& shape, const TensorOptions& options) {
  return fill_new("ones", shape, 1, options.dtype.value_or(default_dtype()), options);
}

Tensor empty(const Shape& shape, const TensorOptions& options) {
  return fill_new("empty", shape, 0, options.dtype.value_or(default_dtype()), options);
}

Tensor full_like(const Tensor& x, Number value, const TensorOptions& options) {
  return full(x.shape(), value, like(x, options));
}
Tensor zeros_like(const Tensor& x, const TensorOptions& options) {
  return zeros(x.shape(), like(x, options));
}
Tensor ones_like(const Tensor& x, const TensorOptions& options) {
  return ones(x.shape(), like(x, options));
}
Tensor empty_like(const Tensor& x, const TensorOptions& options) {
  return empty(x.shape(), like(x, options));
}

Tensor new_full(const Tensor& x, const Shape& shape, Number value, const TensorOptions& options) {
  TensorOptions new_options = like(x, options);
  new_options.format = options.format;
  return full(shape, value, new_options);
}
Tensor new_zeros(const Tensor& x, const Shape& shape, const TensorOptions& options) {
  return zeros(shape, like(x, options));
}
Tensor new_ones(const Tensor& x, const Shape& shape, const TensorOptions& options) {
  return ones(shape, like(x, options));
}
Tensor new_empty(const Tensor& x, const Shape& shape, const TensorOptions& options) {
  return empty(shape, like(x, options));
}

Tensor arange(Number start, Number end, std::optional<Number> step, const TensorOptions& options) {
  Number by = step.value_or(1);
  const DType type = type_for(options, {start, end, by, Number(0)});
  if (type == DType::i64) {
    // The count for narrower integers uses the values before truncation, as in PyTorch.
    for (Number* n : {&start, &end, &by})
      if (std::abs(n->as_double()) < 0x1p63) *n = n->as_integer();
  }
  const int64_t n = iota_length("arange", start, end, by, false);
  return iota("arange", start, by, n, type, options);
}

Tensor arange_to(Number end, const TensorOptions& options) { return arange(0, end, {}, options); }

Tensor range(Number first, Number last, std::optional<Number> step, const TensorOptions& options) {
  const Number by = step.value_or(1);
  const int64_t n = iota_length("range", first, last, by, true);
  return iota("range", first, by, n, type_for(options, {first, last, by, Number(0)}), options);
}

Tensor linspace(const TensorOrNumber& start, const TensorOrNumber& end, const TensorOrNumber& steps,
                const TensorOptions& options) {
  const Tensor x = evenly_spaced("linspace", start, end, steps, options);
  return finish(convert(x, options.dtype.value_or(default_dtype())), options);
}

Tensor logspace(const TensorOrNumber& start, const TensorOrNumber& end, const TensorOrNumber& steps,
                std::optional<double> base, const TensorOptions& options) {
  const Tensor powers = evenly_spaced("logspace", start, end, steps, options);
  return finish(
      convert(pow(Number(base.value_or(10)), powers), options.dtype.value_or(default_dtype())),
      options);
}

Tensor eye(int64_t n, std::optional<int64_t> m, const TensorOptions& options) {
  const int64_t columns = m.value_or(n);
  check_least("eye", "sizes", std::min(n, columns), 0);
  const TensorOptions plain{.dtype = options.dtype.value_or(default_dtype()),
                            .device = options.device};
  const Tensor y = zeros({n, columns}, plain);
  if (const int64_t count = std::min(n, columns)) {
    Layout diagonal({count});
    diagonal.offset = y.layout().offset;
    diagonal.strides[0] = columns + 1;
    record_fill("eye", make_view(y, diagonal), ones({count}, plain));
  }
  return finish(y, options);
}

Tensor tril(const Tensor& x, std::optional<int64_t> diagonal) {
  return triangle("tril", x, diagonal.value_or(0), true);
}

Tensor triu(const Tensor& x, std::optional<int64_t> diagonal) {
  return triangle("triu", x, diagonal.value_or(0), false);
}

Tensor one_hot(const Tensor& x, std::optional<int64_t> num_classes) {
  const Tensor positions = positions_of("one_hot", x);
  const bool counted = !num_classes || *num_classes == -1;
  int64_t classes = counted ? 0 : *num_classes;
  if (counted && x.numel() == 0)
    throw ShapeError("one_hot: num_classes is required for " + x.shape().text());
  if (counted)
    for (int64_t position : read_integers("one_hot", x)) classes = std::max(classes, position);
  else if (classes < (x.numel() > 0 ? 1 : 0))
    throw ShapeError("one_hot: num_classes must be at least 1, got " + std::to_string(classes));
  // A comparison alone would not detect positions out of range.
  const Tensor checked_positions =
      unsqueeze(require_positions("one_hot", positions, classes), Dim{-1});
  return convert(
      eq(checked_positions, positions_along(x.rank() + 1, x.rank(), classes, x.device())),
      DType::i64);
}

Tensor index_iota(const Layout& layout, Device device) {
  return record_iota(ElementwiseOp::iota, "iota", layout, DType::i64, DType::i64, device,
                     {Number(0), Number(1)});
}

Tensor positions_along(int rank, int dim, int64_t n, Device device) {
  Shape shape;
  for (int d = 0; d < rank; ++d) shape.push_back(d == dim ? n : 1);
  Layout layout(shape);
  layout.offset = 1;
  return index_iota(layout, device);
}

}  // namespace tide
