// Masks and the positions of their true elements. Shapes that depend on values must be read.
#include <algorithm>
#include <string>

#include "runtime/core/error.h"
#include "runtime/ops/elementwise.h"
#include "runtime/ops/indexing.h"
#include "runtime/ops/pick.h"
#include "runtime/ops/shape_ops.h"
#include "runtime/ops/transfer.h"

namespace tide {
namespace {

/// The places from 0, in row-major order, of the elements of x that are not 0. Waits.
std::vector<int64_t> places_of(const char* name, const Tensor& x) {
  const Tensor truth = x.dtype() == DType::boolean ? x : ne(x, 0);
  std::vector<uint8_t> values(static_cast<size_t>(x.numel()));
  truth.read(values.data(), name);
  // Block by block, without a branch that no processor could foresee.
  constexpr size_t kBlock = 1024;
  std::vector<int64_t> places;
  int64_t found[kBlock];
  for (size_t begin = 0; begin < values.size(); begin += kBlock) {
    size_t count = 0;
    for (size_t i = begin; i < std::min(begin + kBlock, values.size()); ++i) {
      found[count] = static_cast<int64_t>(i);
      count += values[i] != 0;
    }
    places.insert(places.end(), found, found + count);
  }
  return places;
}

void check_mask(const char* op, const Tensor& mask) {
  if (mask.dtype() != DType::boolean)
    throw DTypeError(std::string(op) +
                     ": the mask must be bool: " + std::string(name_of(mask.dtype())));
}

}  // namespace

std::vector<int64_t> read_integers(const char* op, const Tensor& x) {
  std::vector<int64_t> values(static_cast<size_t>(x.numel()));
  positions_of(op, x).read(values.data(), op);
  return values;
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const TensorOrNumber& value) {
  check_mask("masked_fill", mask);
  if (value.tensor.defined() && value.tensor.rank() != 0)
    throw ShapeError("masked_fill: one value is needed: " + value.tensor.shape().text());
  if (!value.tensor.defined()) {
    check_fits("masked_fill", value.number, x.dtype());
    return convert(where(mask, value, x), x.dtype());
  }
  return where(mask, convert(value.tensor, x.dtype()), x);
}

Tensor masked_select(const Tensor& x, const Tensor& mask) {
  check_mask("masked_select", mask);
  const Shape shape = broadcast("masked_select", x.shape(), mask.shape());
  std::vector<int64_t> places = places_of("masked_select", broadcast_to(mask, shape));
  for (int64_t& place : places) ++place;
  const int64_t count = static_cast<int64_t>(places.size());
  const Tensor at = record_constant(places.data(), {count}, DType::i64, x.device());
  return gather_along("masked_select", ravel(broadcast_to(x, shape)), 0, at);
}

Tensor nonzero(const Tensor& x) {
  const std::vector<int64_t> places = places_of("nonzero", x);
  const int64_t count = static_cast<int64_t>(places.size());
  const Shape& shape = x.shape();
  const int last = x.rank() - 1;
  std::vector<int64_t> rows;
  rows.reserve(places.size() * static_cast<size_t>(x.rank()));
  // Places rise: the positions along all dimensions but the last stay for a while.
  Shape position = shape;
  int64_t first = 0, behind = 0;
  for (const int64_t place : places) {
    if (last < 0) break;
    if (place >= behind) {
      int64_t rest = place / shape[last];
      first = rest * shape[last], behind = first + shape[last];
      for (int d = last - 1; d >= 0; rest /= shape[d--]) position[d] = rest % shape[d] + 1;
    }
    for (int d = 0; d < last; ++d) rows.push_back(position[d]);
    rows.push_back(place - first + 1);
  }
  return record_constant(rows.data(), {count, x.rank()}, DType::i64, x.device());
}

std::vector<Tensor> where_positions(const Tensor& condition) {
  const Tensor rows = nonzero(condition);
  std::vector<Tensor> positions;
  for (int d = 0; d < condition.rank(); ++d)
    positions.push_back(select(rows, Dim{1}, Position{d + 1}));
  return positions;
}

TensorOrTable nonzero_as(const Tensor& x, bool as_tuple) {
  if (!as_tuple) return nonzero(x);
  return where_positions(x.rank() == 0 ? reshape_to(x, {1}) : x);
}

}  // namespace tide
