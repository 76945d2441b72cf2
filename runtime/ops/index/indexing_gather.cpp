// Gather, scatter, and the ops built on them.
#include <string>
#include <utility>
#include <vector>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/checks.h"
#include "runtime/ops/elementwise/elementwise.h"
#include "runtime/ops/index/indexing.h"
#include "runtime/ops/index/pick.h"
#include "runtime/ops/require.h"
#include "runtime/ops/shape/creation.h"
#include "runtime/ops/shape/shape_ops.h"
#include "runtime/tensor/record.h"
#include "runtime/types/error.h"

namespace tide {

Tensor as_vector(const Tensor& x) { return x.rank() == 0 ? reshape_to(x, {1}) : x; }

void check_index(const char* op, const Tensor& x, const Tensor& index, int dim) {
  bool fits = index.rank() == x.rank();
  for (int d = 0; fits && d < x.rank(); ++d) fits = d == dim || index.shape()[d] <= x.shape()[d];
  if (!fits && index.numel() > 0)
    throw ShapeError(std::string(op) + ": an index of shape " + index.shape().text() +
                     " does not fit " + x.shape().text() + " apart from dimension " +
                     std::to_string(dim + 1));
}

void check_source(const char* op, const Tensor& x, const Tensor& index, const Tensor& source) {
  check_same_type(op, x.dtype(), source.dtype());
  bool fits = source.rank() == index.rank();
  for (int d = 0; fits && d < index.rank(); ++d) fits = index.shape()[d] <= source.shape()[d];
  if (!fits && index.numel() > 0)
    throw ShapeError(std::string(op) + ": an index of shape " + index.shape().text() +
                     " reaches beyond a source of " + source.shape().text());
}

Tensor trim(const Tensor& source, const Shape& shape) {
  Tensor part = source;
  for (int d = 0; d < shape.rank(); ++d)
    if (part.shape()[d] != shape[d]) part = slice(part, d, 0, shape[d]);
  return part;
}

namespace {

Tensor zeros_of(const Shape& shape, const Tensor& like) {
  return zeros(shape, {.dtype = like.dtype(), .device = like.device()});
}

/// A copy of x for an empty index: `source` is not used, and its gradient is 0.
Tensor nothing_written(const char* name, const Tensor& x, const Tensor& source) {
  if (!source.defined() || !needs_grad_fn(source)) return clone(x);
  const Tensor y = clone(detach(x));
  set_grad_fn(y, name, {x, source}, false,
              [shape = source.shape()](const GradientCall& call) -> std::vector<Tensor> {
                return {call.dy, zeros_of(shape, call.dy)};
              });
  return y;
}

/// A vector of positions; a 0-d tensor counts as one.
Tensor index_vector(const char* op, const Tensor& index) {
  check_max_rank(op, index, 1, "positions");
  return as_vector(positions_of(op, index));
}

}  // namespace

Tensor positions_of(const char* op, const Tensor& index) {
  check_integer(op, index.dtype(), "positions");
  return convert(index, DType::i64);
}

Tensor from_the_end(const Tensor& positions, int64_t size) {
  const Tensor counted = logical_and(lt(positions, 0), ge(positions, Number(-size)));
  return where(counted, positions + Number(size + 1), positions);
}

Tensor spread_index(const Tensor& index, const Shape& shape, int dim) {
  Shape across;
  for (int d = 0; d < shape.rank(); ++d) across.push_back(d == dim ? shape[d] : 1);
  return broadcast_to(reshape_to(index, across), shape);
}

namespace {

/// Sets the grad function of y, the elements of x along dim at `index`.
void set_gather_grad(const char* name, const Tensor& y, const Tensor& x, int dim,
                     const Tensor& index) {
  if (!needs_grad_fn(x)) return;
  set_grad_fn(
      y, name, {x}, false,
      [=, shape = x.shape(),
       index = Saved(index)](const GradientCall& call) -> std::vector<Tensor> {
        return {scatter_along(name, zeros_of(shape, call.dy), dim, index.get(), call.dy, true)};
      });
}

}  // namespace

Tensor gather_along(const char* name, const Tensor& x, int dim, const Tensor& index) {
  const Tensor inputs[] = {x, index};
  const ComputeResult result{index.shape(), x.dtype()};
  const auto attributes = pack(DimAttributes{dim});
  const Tensor y = record_compute(ComputeOp::gather, name, inputs, {&result, 1}, attributes)[0];
  set_gather_grad(name, y, x, dim, index);
  return y;
}

Tensor lookup_along(const char* name, const Tensor& x, int dim, const Tensor& index) {
  Layout layout = x.layout();
  layout.shape = index.shape();
  layout.strides[dim] = 0;
  const Tensor y = record_lookup(name, x, layout, index, x.shape()[dim], x.layout().strides[dim]);
  set_gather_grad(name, y, x, dim, index);
  return y;
}

Tensor lookup(const char* name, const Tensor& x, std::span<const Tensor> positions) {
  const auto is_looked_up = [&](int d) { return positions[static_cast<size_t>(d)].defined(); };
  int count = 0;
  bool ascends = true;
  for (int d = 0; d < x.rank(); ++d) {
    count += is_looked_up(d);
    ascends = ascends && (!is_looked_up(d) || x.layout().strides[d] >= 0);
  }
  // The positions of several dimensions are those of one, of all elements between the first and the
  // last.
  const Tensor from = count > 1 && !ascends ? contiguous(detach(x)) : detach(x);
  Layout layout = from.layout();
  for (int d = 0; d < x.rank(); ++d)
    if (is_looked_up(d)) layout.shape[d] = positions[static_cast<size_t>(d)].numel();
  Tensor at;
  int64_t size = 1, stride = 1;
  for (int d = 0; d < x.rank(); ++d) {
    if (!is_looked_up(d)) continue;
    const int64_t own = std::exchange(layout.strides[d], 0);
    Tensor vector = positions[static_cast<size_t>(d)];
    if (count == 1)
      stride = own;
    else
      vector = (vector - Number(1)) * Number(own);
    size += (x.shape()[d] - 1) * (count == 1 ? 1 : own);
    const Tensor spread = spread_index(vector, layout.shape, d);
    at = at.defined() ? at + spread : spread;
  }
  if (!at.defined()) return clone(from);
  return record_lookup(name, from, layout, count == 1 ? at : at + Number(1), size, stride);
}

Tensor select_along(const char* name, const Tensor& x, int dim, const Tensor& index) {
  const int64_t size = x.shape()[dim];
  Shape flat = x.shape(), shape, across = index.shape();
  flat[dim] = index.numel();
  for (int d = 0; d < dim; ++d) shape.push_back(x.shape()[d]);
  for (int64_t each : index.shape()) shape.push_back(each);
  Layout layout;
  for (int d = dim + 1; d < x.rank(); ++d) {
    shape.push_back(x.shape()[d]);
    across.push_back(1);
  }
  if (size == 0)
    return reshape_to(gather_along(name, x, dim, spread_index(ravel(index), flat, dim)), shape);
  layout.offset = x.layout().offset;
  layout.shape = shape;
  for (int d = 0; d < shape.rank(); ++d) {
    const int from = d < dim ? d : d - index.rank() + 1;
    layout.strides[d] = d < dim || from > dim ? x.layout().strides[from] : 0;
  }
  const Tensor positions =
      broadcast_to(reshape_to(require_positions(name, index, size, x), across), shape);
  const Tensor y = record_lookup(name, x, layout, positions, size, x.layout().strides[dim]);
  if (needs_grad_fn(x)) {
    set_grad_fn(y, name, {x}, false,
                [=, from = x.shape(),
                 index = Saved(index)](const GradientCall& call) -> std::vector<Tensor> {
                  return {scatter_along(name, zeros_of(from, call.dy), dim,
                                        spread_index(ravel(index.get()), flat, dim),
                                        reshape_to(call.dy, flat), true)};
                });
  }
  return y;
}

Tensor scatter_along(const char* name, const Tensor& base, int dim, const Tensor& index,
                     const Tensor& source, bool add) {
  const Tensor inputs[] = {contiguous(base), index, source};
  const ComputeResult result{base.shape(), base.dtype()};
  const auto attributes = pack(ScatterAttributes{dim, add});
  const Tensor y = record_compute(ComputeOp::scatter, name, inputs, {&result, 1}, attributes)[0];
  if (needs_grad_fn(base) || needs_grad_fn(source)) {
    set_grad_fn(y, name, {base, source}, false,
                [=, index = Saved(index)](const GradientCall& call) {
                  std::vector<Tensor> result(2);
                  const Tensor& dy = call.dy;
                  if (call.needed[0])
                    result[0] = add ? dy
                                    : scatter_along(name, dy, dim, index.get(),
                                                    zeros_of(index.get().shape(), dy), false);
                  if (call.needed[1]) result[1] = gather_along(name, dy, dim, index.get());
                  return result;
                });
  }
  return y;
}

Tensor gather(const Tensor& x, Dim dim, const Tensor& index) {
  const int axis = resolve_dim("gather", dim, x.rank());
  const Tensor from = as_vector(x), at = as_vector(positions_of("gather", index));
  check_index("gather", from, at, axis);
  const Tensor y = gather_along("gather", from, axis, at);
  return reshape_to(y, index.shape());
}

Tensor take_along_dim(const Tensor& x, const Tensor& index, std::optional<Dim> dim) {
  if (!dim) return take_along_dim(ravel(x), ravel(index), Dim{0});
  const int axis = resolve_dim("take_along_dim", *dim, x.rank());
  check_same_rank("take_along_dim", x, index);
  Shape from = x.shape(), positions = index.shape();
  from[axis] = positions[axis] = 1;
  Shape wide = broadcast("take_along_dim", from, positions), picked = wide;
  wide[axis] = x.shape()[axis];
  picked[axis] = index.shape()[axis];
  const Tensor at = from_the_end(positions_of("take_along_dim", index), x.shape()[axis]);
  return gather(broadcast_to(x, wide), Dim{axis}, broadcast_to(at, picked));
}

Tensor scatter(const Tensor& x, Dim dim, const Tensor& index, const TensorOrNumber& source,
               const std::optional<std::string>& reduce) {
  if (reduce) choose("scatter", "reduce", *reduce, {"add", "multiply"});
  const int axis = resolve_dim("scatter", dim, x.rank());
  check_index("scatter", x, index, axis);
  Tensor values = source.tensor;
  if (values.defined()) {
    check_source("scatter", x, index, values);
  } else {
    check_fits("scatter", source.number, x.dtype());
    values = full(index.shape(), source.number, {.dtype = x.dtype(), .device = x.device()});
  }
  if (index.numel() == 0) return nothing_written("scatter", x, source.tensor);
  if (reduce && *reduce == "multiply") return scatter_reduce(x, dim, index, values, "prod");
  const Tensor base = as_vector(x), at = as_vector(positions_of("scatter", index));
  const Tensor part = trim(as_vector(values), at.shape());
  const Tensor y = scatter_along("scatter", base, axis, at, part, reduce.has_value());
  return reshape_to(y, x.shape());
}

Tensor scatter_add(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source) {
  const int axis = resolve_dim("scatter_add", dim, x.rank());
  check_index("scatter_add", x, index, axis);
  check_source("scatter_add", x, index, source);
  if (index.numel() == 0) return nothing_written("scatter_add", x, source);
  const Tensor at = as_vector(positions_of("scatter_add", index));
  const Tensor y = scatter_along("scatter_add", as_vector(x), axis, at,
                                 trim(as_vector(source), at.shape()), true);
  return reshape_to(y, x.shape());
}

Tensor index_select(const Tensor& x, Dim dim, const Tensor& index) {
  const int axis = resolve_dim("index_select", dim, x.rank());
  const Tensor vector = index_vector("index_select", index);
  const Tensor y = select_along("index_select", as_vector(x), axis, vector);
  return x.rank() == 0 ? reshape_to(y, {}) : y;
}

namespace {

/// Checks that `source` has a slice of x for each of the positions.
void check_slices(const char* name, const Tensor& x, int axis, const Tensor& vector,
                  const Tensor& source) {
  Shape expected_shape = as_vector(x).shape();
  expected_shape[axis] = vector.numel();
  check_shape(name, "a source", as_vector(source), expected_shape);
}

}  // namespace

Tensor index_add(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source,
                 std::optional<Number> alpha) {
  const int axis = resolve_dim("index_add", dim, x.rank());
  const Tensor vector = index_vector("index_add", index);
  check_slices("index_add", x, axis, vector, source);
  const Tensor scaled = alpha ? mul(source, *alpha) : source;
  const Tensor at = spread_index(vector, as_vector(source).shape(), axis);
  return scatter_add(x, dim, x.rank() == 0 ? reshape_to(at, {}) : at, scaled);
}

Tensor index_copy(const Tensor& x, Dim dim, const Tensor& index, const Tensor& source) {
  const int axis = resolve_dim("index_copy", dim, x.rank());
  const Tensor vector = index_vector("index_copy", index), slices = as_vector(source);
  check_slices("index_copy", x, axis, vector, source);
  const Tensor at = spread_index(vector, slices.shape(), axis);
  return reshape_to(scatter(as_vector(x), Dim{axis}, at, slices), x.shape());
}

Tensor index_fill(const Tensor& x, Dim dim, const Tensor& index, const TensorOrNumber& value) {
  const int axis = resolve_dim("index_fill", dim, x.rank());
  const Tensor rows = as_vector(x), filler = value.tensor;
  if (filler.defined()) check_rank("index_fill", filler, 0, "a value");
  if (!filler.defined()) check_fits("index_fill", value.number, x.dtype());
  if (filler.defined() && needs_grad_fn(filler)) {
    // A repeated position is written once.
    const Tensor none = zeros(x.shape(), {.dtype = DType::boolean, .device = x.device()});
    const Tensor filled = index_fill(none, dim, index, Number(true));
    return where(filled, convert(filler, x.dtype()), x);
  }
  const Tensor vector = from_the_end(index_vector("index_fill", index), rows.shape()[axis]);
  if (vector.numel() == 0 || x.numel() == 0) return clone(x);
  Shape shape = rows.shape();
  shape[axis] = vector.numel();
  const Tensor one = filler.defined()
                         ? convert(filler, x.dtype())
                         : full({}, value.number, {.dtype = x.dtype(), .device = x.device()});
  const Tensor y = scatter_along("index_fill", rows, axis, spread_index(vector, shape, axis),
                                 broadcast_to(one, shape), false);
  return reshape_to(y, x.shape());
}

Tensor take(const Tensor& x, const Tensor& index) {
  const Tensor at = from_the_end(ravel(positions_of("take", index)), x.numel());
  return reshape_to(gather_along("take", ravel(x), 0, at), index.shape());
}

Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, bool accumulate) {
  check_same_type("put", x.dtype(), source.dtype());
  if (source.numel() != index.numel())
    throw ShapeError("put: expected as many elements as positions, got " + source.shape().text() +
                     " for " + index.shape().text());
  if (index.numel() == 0) return nothing_written("put", x, source);
  const Tensor at = from_the_end(ravel(positions_of("put", index)), x.numel());
  return reshape_to(scatter_along("put", ravel(x), 0, at, ravel(source), accumulate), x.shape());
}

std::vector<Tensor> unravel_index(const Tensor& indices, const Shape& shape) {
  const Tensor positions = from_the_end(positions_of("unravel_index", indices), shape.numel());
  Tensor quotient = require_positions("unravel_index", positions, shape.numel()) - 1;
  std::vector<Tensor> coordinates(static_cast<size_t>(shape.rank()));
  if (shape.numel() == 0) return std::vector<Tensor>(coordinates.size(), quotient);
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const Number size = shape[d];
    coordinates[static_cast<size_t>(d)] = remainder(quotient, size) + 1;
    quotient = floor_divide(quotient, size);
  }
  return coordinates;
}

}  // namespace tide
