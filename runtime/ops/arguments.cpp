// Checks dimensions and positions passed by callers.
#include "runtime/ops/arguments.h"

#include <cmath>
#include <string>

#include "runtime/autograd/autograd.h"
#include "runtime/ops/elementwise/elementwise.h"

namespace tide {
namespace {

int resolve_below(const char* op, int64_t dim, int count, int rank) {
  const int64_t axis = dim < 0 ? dim + count : dim;
  if (axis < 0 || axis >= count)
    throw ShapeError(std::string(op) + ": there is no dimension " +
                     std::to_string(dim < 0 ? dim : dim + 1) + ": the tensor has " +
                     std::to_string(rank));
  return static_cast<int>(axis);
}

}  // namespace

int resolve_dim(const char* op, Dim dim, int rank) {
  return resolve_below(op, dim.value, rank == 0 ? 1 : rank, rank);
}

int resolve_new_dim(const char* op, Dim dim, int rank) {
  return resolve_below(op, dim.value, rank + 1, rank);
}

unsigned resolve_dims(const char* op, const Dims& dims, int rank) {
  unsigned set = 0;
  for (int64_t dim : dims) {
    const int axis = resolve_dim(op, Dim{dim}, rank);
    if (set >> axis & 1)
      throw ShapeError(std::string(op) +
                       ": a dimension appears twice: " + std::to_string(axis + 1));
    set |= 1u << axis;
  }
  return set;
}

int64_t resolve_position(const char* op, Position position, int64_t size) {
  if (position.value == 0) throw ShapeError(std::string(op) + ": positions start at 1, got 0");
  const int64_t index = position.value < 0 ? position.value + size : position.value - 1;
  if (index < 0 || index >= size)
    throw ShapeError(std::string(op) + ": position out of range: " +
                     std::to_string(position.value) + " of " + std::to_string(size));
  return index;
}

Number number_of(const char* op, const char* what, const TensorOrNumber& x) {
  if (!x.tensor.defined()) return x.number;
  if (x.tensor.rank() != 0)
    throw ShapeError(std::string(op) + ": " + what +
                     " must be a number or a tensor without dimensions, got shape " +
                     x.tensor.shape().text());
  const Tensor plain = detach(x.tensor);
  if (is_floating(plain.dtype())) {
    double value;
    convert(plain, DType::f64).read(&value, op);
    return value;
  }
  int64_t value;
  convert(plain, DType::i64).read(&value, op);
  return value;
}

int64_t integer_of(const char* op, const char* what, const TensorOrNumber& x) {
  const Number number = number_of(op, what, x);
  const double value = number.as_double();
  if (number.type() == DType::f64 && !(value == std::floor(value) && std::abs(value) < 0x1p63))
    throw Error(std::string(op) + ": " + what + " must be an integer, got " + number_text(value));
  return number.as_integer();
}

void check_list_length(const char* op, int64_t rows, int64_t columns) {
  constexpr int64_t kMost = int64_t{1} << 28;
  int64_t length;
  if (__builtin_mul_overflow(rows, columns, &length) || length > kMost)
    throw ShapeError(std::string(op) + ": too many positions: " + std::to_string(rows) +
                     (columns == 1 ? "" : " times " + std::to_string(columns)));
}

}  // namespace tide
