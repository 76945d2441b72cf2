// Sums, products and logical reductions.
#include "runtime/ops/reduce/reduction.h"

#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/reduce/reduce.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {
namespace {

/// y, a new result, as a view of another shape.
Tensor reshape_raw(const Tensor& y, const Shape& shape) {
  if (y.shape() == shape) return y;
  Layout layout(shape);
  layout.offset = y.layout().offset;
  return make_view(y, layout);
}

Tensor prod_over(const Tensor& x, unsigned dims, bool keepdim);

/// The gradient of a product: dy times the product of all other elements. With one zero among
/// them, only that element has a gradient; with more, none has.
Tensor prod_gradient(const Tensor& x, const Tensor& dy, unsigned dims) {
  const Tensor zero = eq(x, 0);
  const Tensor safe = where(zero, 1, x);
  const Tensor zeros = spread(sum_over(zero, dims, true), x.shape(), dims);
  const Tensor product = spread(prod_over(safe, dims, true), x.shape(), dims);
  const Tensor others = where(eq(zeros, convert(zero, DType::i64)), product / safe, 0);
  return others * spread(dy, x.shape(), dims);
}

Tensor prod_over(const Tensor& x, unsigned dims, bool keepdim) {
  Tensor y = reduce_raw(Reduction::prod, "prod", x, dims, keepdim);
  if (is_narrow(x.dtype())) y = convert_raw("prod", y, x.dtype());
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "prod", {x}, false,
                [dims, saved = Saved(x)](const GradientCall& call) -> std::vector<Tensor> {
                  return {prod_gradient(saved.get(), call.dy, dims)};
                });
  }
  return y;
}

/// Whether elements are not 0: x itself if it is bool.
Tensor truth(const char* name, const Tensor& x) {
  if (x.dtype() == DType::boolean) return x;
  return record_map(ElementwiseOp::ne, name, DType::boolean, x.dtype(), {x, 0});
}

/// any and all: the result is bool, but uint8 for uint8. With an empty list of dimensions they
/// reduce nothing, unlike other reductions, which then reduce all, as in PyTorch.
Tensor logical(const char* name, Reduction reduction, const Tensor& x, const OptionalDims& dims,
               bool keepdim) {
  Tensor y = truth(name, x);
  if (!dims || !dims->empty())
    y = reduce_raw(reduction, name, y, reduced_dims(name, dims, x.rank()), keepdim);
  return x.dtype() == DType::u8 ? convert_raw(name, y, DType::u8) : y;
}

}  // namespace

unsigned reduced_dims(const char* op, const OptionalDims& dims, int rank) {
  if (!dims || dims->empty()) return (1u << rank) - 1;
  return resolve_dims(op, *dims, rank);
}

Shape reduced_shape(const Shape& shape, unsigned dims, bool keepdim) {
  Shape result;
  for (int d = 0; d < shape.rank(); ++d) {
    if (!(dims >> d & 1))
      result.push_back(shape[d]);
    else if (keepdim)
      result.push_back(1);
  }
  return result;
}

int64_t reduced_count(const Shape& shape, unsigned dims) {
  int64_t count = 1;
  for (int d = 0; d < shape.rank(); ++d)
    if (dims >> d & 1) count *= shape[d];
  return count;
}

Tensor convert_raw(const char* name, const Tensor& x, DType type) {
  return x.dtype() == type ? x : record_map(ElementwiseOp::convert, name, type, x.dtype(), {x});
}

Tensor reduce_raw(Reduction reduction, const char* name, const Tensor& x, unsigned dims,
                  bool keepdim) {
  Tensor y = x;
  // Runs of adjacent dimensions, from the last to the first; the first one converts.
  for (int last = x.rank() - 1; last >= 0; --last) {
    if (!(dims >> last & 1)) continue;
    int first = last;
    while (first > 0 && (dims >> (first - 1) & 1)) --first;
    y = record_reduce(reduction, name, y, first, last);
    last = first;
  }
  if (y == x) {
    const bool adds = reduction == Reduction::sum || reduction == Reduction::prod;
    const DType wide = is_floating(x.dtype()) ? compute_type(x.dtype()) : DType::i64;
    y = record_map(ElementwiseOp::convert, name, adds ? wide : x.dtype(), x.dtype(), {x});
  }
  return reshape_raw(y, reduced_shape(x.shape(), dims, keepdim));
}

Tensor share_among(const Tensor& dy, const Tensor& counts) {
  const DType wide = compute_type(dy.dtype());
  return convert(convert(dy, wide) / convert(counts, wide), dy.dtype());
}

Tensor spread(const Tensor& reduced, const Shape& shape, unsigned dims) {
  return broadcast_to(reshape_to(reduced, reduced_shape(shape, dims, true)), shape);
}

Tensor sum_over(const Tensor& x, unsigned dims, bool keepdim) {
  Tensor y = reduce_raw(Reduction::sum, "sum", x, dims, keepdim);
  if (is_narrow(x.dtype())) y = convert_raw("sum", y, x.dtype());
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "sum", {x}, false,
                [dims, shape = x.shape()](const GradientCall& call) -> std::vector<Tensor> {
                  return {spread(call.dy, shape, dims)};
                });
  }
  return y;
}

Tensor sum(const Tensor& x, const OptionalDims& dims, bool keepdim, std::optional<DType> dtype) {
  return convert(sum_over(convert(x, dtype), reduced_dims("sum", dims, x.rank()), keepdim), dtype);
}

Tensor sum_to(const Tensor& x, const Shape& shape) {
  if (x.shape() == shape) return x;
  const int shift = x.rank() - shape.rank();
  unsigned dims = 0;
  for (int d = 0; d < x.rank(); ++d)
    if (d < shift || (shape[d - shift] == 1 && x.shape()[d] != 1)) dims |= 1u << d;
  return reshape_to(sum_over(x, dims, true), shape);
}

Tensor nansum(const Tensor& x, const OptionalDims& dims, bool keepdim, std::optional<DType> dtype) {
  return sum(is_floating(x.dtype()) ? where(isnan(x), 0, x) : x, dims, keepdim, dtype);
}

Tensor mean(const Tensor& input, const OptionalDims& dims, bool keepdim,
            std::optional<DType> dtype) {
  const Tensor x = convert(input, dtype);
  if (!is_floating(x.dtype()))
    throw DTypeError("mean: expected a floating type, got " + std::string(name_of(x.dtype())) +
                     "; convert it or give a dtype");
  const unsigned set = reduced_dims("mean", dims, x.rank());
  const double count = static_cast<double>(reduced_count(x.shape(), set));
  Tensor y = reduce_raw(Reduction::sum, "mean", x, set, keepdim);
  y = record_map(ElementwiseOp::div, "mean", y.dtype(), y.dtype(), {y, count});
  y = convert_raw("mean", y, x.dtype());
  if (needs_grad_fn(x)) {
    set_grad_fn(y, "mean", {x}, false,
                [set, count, shape = x.shape()](const GradientCall& call) -> std::vector<Tensor> {
                  return {spread(call.dy / count, shape, set)};
                });
  }
  return y;
}

Tensor prod(const Tensor& x, const OptionalDims& dims, bool keepdim, std::optional<DType> dtype) {
  return convert(prod_over(convert(x, dtype), reduced_dims("prod", dims, x.rank()), keepdim),
                 dtype);
}

Tensor any(const Tensor& x, const OptionalDims& dims, bool keepdim) {
  return logical("any", Reduction::max, x, dims, keepdim);
}

Tensor all(const Tensor& x, const OptionalDims& dims, bool keepdim) {
  return logical("all", Reduction::min, x, dims, keepdim);
}

Tensor count_nonzero(const Tensor& x, const OptionalDims& dims) {
  return reduce_raw(Reduction::sum, "count_nonzero", truth("count_nonzero", x),
                    reduced_dims("count_nonzero", dims, x.rank()), false);
}

bool equal(const Tensor& a, const Tensor& b) {
  if (!(a.shape() == b.shape())) return false;
  bool same = false;
  all(eq(a, b)).read(&same, "equal");
  return same;
}

Tensor trace(const Tensor& x) {
  check_rank("trace", x, 2);
  check_numbers("trace", x);
  return sum(diagonal(x));
}

}  // namespace tide
